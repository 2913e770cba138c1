#include "mechfit/estimate/motion/motion_noise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/estimate/motion/model_smoother.h"
#include "mechfit/integrate/simulate.h"
#include "mechfit/mechanics/families/analytic/analytic.h"

namespace mechfit {
namespace {

// The paper's undamped double pendulum, noise 0.1 on the first joint and 0.05 on the second.
Simulation swinging(const AnalyticSystem& system, int runs, int steps) {
  PaperProtocol paper = paper_protocol(false, false);
  paper.options.runs = runs;
  paper.options.steps = steps;
  paper.options.noise = {0.1, 0.05};
  ThreadPool pool(2);
  return simulate(Model(system), system_channels(system), paper.options, pool);
}

double rms_error(const Log& a, const Log& b, std::vector<double> Trajectory::*values) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t r = 0; r < a.runs.size(); ++r)
    for (std::size_t k = 0; k < a.runs[r].q.size(); ++k, ++count)
      sum += std::pow((a.runs[r].*values)[k] - (b.runs[r].*values)[k], 2);
  return std::sqrt(sum / static_cast<double>(count));
}

TEST(ModelSmoother, IsFarBetterThanWhiteJerkWhereTheModelIsGood) {
  const AnalyticSystem system = make_system("double-pendulum-points");
  const Simulation simulation = swinging(system, 6, 200);
  ThreadPool pool(2);
  const auto plain = smooth(simulation.observed, {}, pool);
  const auto result = smooth_with_model(Model(system), simulation.observed, pool);
  for (const auto& run : result.runs) EXPECT_TRUE(run.converged);
  EXPECT_NEAR(result.noise.sigma[0], 0.1, 0.01);
  EXPECT_NEAR(result.noise.sigma[1], 0.05, 0.005);
  const auto error = [&](const Log& log, std::vector<double> Trajectory::*values) {
    return rms_error(log, simulation.truth, values);
  };
  EXPECT_LT(error(result.log, &Trajectory::q), 0.25 * error(plain.log, &Trajectory::q));
  EXPECT_LT(error(result.log, &Trajectory::qd), 0.2 * error(plain.log, &Trajectory::qd));
  EXPECT_LT(error(result.log, &Trajectory::qdd), 0.2 * error(plain.log, &Trajectory::qdd));
  // The standard deviations are those of the errors.
  for (const auto& [values, deviations] : {std::pair{&Trajectory::q, &Trajectory::q_sd},
                                           std::pair{&Trajectory::qd, &Trajectory::qd_sd}}) {
    double sum = 0;
    int count = 0;
    for (std::size_t r = 0; r < result.runs.size(); ++r)
      for (std::size_t k = 0; k < result.log.runs[r].q.size(); ++k, ++count)
        sum += std::pow(((result.log.runs[r].*values)[k] - (simulation.truth.runs[r].*values)[k]) /
                            (result.log.runs[r].*deviations)[k],
                        2);
    EXPECT_NEAR(std::sqrt(sum / count), 1, 0.35);
  }
}

TEST(LikelyNoise, FindsHowWrongAModelIs) {
  AnalyticSystem system = make_system("double-pendulum-points");
  const Simulation simulation = swinging(system, 6, 200);
  ThreadPool pool(2);
  const auto start = smooth(simulation.observed, {}, pool);
  const MotionNoise good = likely_noise(Model(system), simulation.observed, start, pool);
  system.set_constant("g", 8);
  const MotionNoise bad = likely_noise(Model(system), simulation.observed, start, pool);
  for (int j = 0; j < 2; ++j) {
    EXPECT_LT(good.s[j], 0.2);
    EXPECT_GT(bad.s[j], 0.5);  // up to 2 sin q, here and there more
    EXPECT_NEAR(bad.sigma[j], good.sigma[j], 0.3 * good.sigma[j]);
  }
}

TEST(LikelyNoise, TakesPiecesOfALongLogAndDoesNotDependOnThreads) {
  const AnalyticSystem system = make_system("double-pendulum-points");
  const Simulation simulation = swinging(system, 2, 3000);
  ThreadPool one(1), two(2);
  const auto start = smooth(simulation.observed, {}, two);
  const MotionNoise a = likely_noise(Model(system), simulation.observed, start, one);
  const MotionNoise b = likely_noise(Model(system), simulation.observed, start, two);
  EXPECT_NEAR(a.sigma[0], 0.1, 0.005);
  EXPECT_NEAR(a.sigma[1], 0.05, 0.0025);
  EXPECT_EQ(a.sigma, b.sigma);
  EXPECT_EQ(a.s, b.s);
}

TEST(LikelyNoise, IsFiniteForObservationsWithoutNoiseAndJointsAtRest) {
  const AnalyticSystem system = make_system("double-pendulum-points");
  ThreadPool pool(2);
  PaperProtocol paper = paper_protocol(false, false);
  paper.options.runs = 2;
  paper.options.noise = {};
  const Model model(system);
  const Log exact = simulate(model, system_channels(system), paper.options, pool).observed;
  paper.options.q0 = {{0, 0}, {0, 0}};
  const Log still = simulate(model, system_channels(system), paper.options, pool).observed;
  for (const Log& log : {exact, still}) {
    const auto result = smooth_with_model(model, log, pool);
    EXPECT_LT(rms_error(result.log, log, &Trajectory::q), 1e-6);
    for (const auto& run : result.log.runs)
      for (double v : run.qd) EXPECT_TRUE(std::isfinite(v));
  }
}

TEST(LikelyNoise, RefusesAModelWithoutPositiveMass) {
  EquationWriter writer("odd", {{"q", JointType::plain, "rad"}});
  writer.M(0, 0) = writer.constant("m", -1, "kg", Range::any);
  const Model model(AnalyticSystem(writer.finish()));
  Log log;
  log.channels.joints = {"q"};
  log.channels.joint_types = {JointType::plain};
  log.runs.resize(1);
  for (int k = 0; k < 20; ++k) {
    log.runs[0].t.push_back(0.1 * k);
    log.runs[0].q.push_back(std::sin(0.3 * k) + (k % 2 ? 0.01 : -0.01));
  }
  ThreadPool pool(1);
  EXPECT_THROW(smooth_with_model(model, log, pool), InputError);
}

}  // namespace
}  // namespace mechfit
