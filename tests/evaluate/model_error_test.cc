#include "mechfit/evaluate/model_error.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mechfit/base/random.h"
#include "mechfit/evaluate/acceleration_error.h"
#include "mechfit/integrate/simulate.h"
#include "mechfit/mechanics/families/trig/trig.h"
#include "tests/support/machines.h"

namespace mechfit {
namespace {

struct Case {
  Simulation data;
  Model model;
  double truth;  // root mean square of the acceleration error on noise-free states
};

struct CaseOptions {
  double noise = 0.02, h = 0.05;
  int runs = 3, steps = 80;
};

// A double pendulum whose second mass the model takes for `m2` (truth: 1).
Case pendulum_case(double m2, const CaseOptions& o, ThreadPool& pool) {
  const AnalyticSystem system = make_system("double-pendulum");
  AnalyticSystem wrong = system;
  wrong.set_constant("m2", m2);
  SimulateOptions options;
  options.runs = o.runs;
  options.steps = o.steps;
  options.h = o.h;
  options.substeps = std::max(1, static_cast<int>(std::lround(o.h / 0.002)));
  options.integrator = Integrator::rk4;
  options.q0 = default_start(system);
  options.v0.assign(2, {-0.5, 0.5});
  options.noise = {o.noise, o.noise};
  options.seed = 11;
  Case out{simulate(Model(system), system_channels(system), options, pool), Model(wrong), 0};
  const MotionPoints points = motion_points(out.data.truth, InputAtSample::next);
  out.truth = std::sqrt(acceleration_mse(out.model, points, pool));
  return out;
}

void add_to_inputs(std::uint64_t seed, Log& log) {
  Random random(seed);
  for (Trajectory& run : log.runs)
    for (double& u : run.u) u += random.normal();
}

TEST(ModelError, FindsTheErrorOfAWrongMassThroughNoise) {
  ThreadPool pool(2);
  for (const double noise : {0.0, 0.001, 0.02}) {
    const Case c = pendulum_case(1.3, {noise}, pool);
    const ModelError error = model_error(c.model, c.data.observed, pool);
    ASSERT_GT(c.truth, 0.1);
    EXPECT_GT(error.overall, 0.6 * c.truth) << noise;
    EXPECT_LT(error.overall, 1.6 * c.truth) << noise;
    EXPECT_LT(error.low, error.overall);
    EXPECT_GT(error.high, error.overall);
    EXPECT_NEAR(error.noise[0], noise, 0.2 * noise + 1e-4);
    EXPECT_EQ(error.without_model, 0);
    double square = 0;
    for (const double x : error.joint) square += x * x / 2;
    EXPECT_NEAR(error.overall, std::sqrt(square), 1e-9 * error.overall);
  }
}

// A fit may ask for steps so fine that a piece of 400 of them has few samples.
TEST(ModelError, JudgesMotionsOfSomeLengthHoweverFineTheStepsOfTheModel) {
  ThreadPool pool(2);
  const Case c = pendulum_case(1.3, {}, pool);
  Ensemble ensemble{c.model, {}, false};
  ensemble.knowledge.emplace().grid = 0.05 / 64;
  const ModelError error = model_error(ensemble, c.data.observed, pool);
  double judged = 0;
  for (const Trajectory& run : error.motion.runs) judged += run.t.back() - run.t.front();
  EXPECT_GT(judged, 0.4 * 3 * 80 * 0.05);
  EXPECT_GT(error.overall, 0.6 * c.truth);
  EXPECT_LT(error.overall, 1.6 * c.truth);
}

TEST(ModelError, IsSmallForTheTrueModelAtCoarseSteps) {
  ThreadPool pool(2);
  // The midpoint rule on the log's own steps would err by several percent here.
  const Case c = pendulum_case(1, {0.001, 0.1, 3, 60}, pool);
  const ModelError error = model_error(c.model, c.data.observed, pool);
  EXPECT_LT(c.truth, 1e-9);
  EXPECT_LT(error.overall, 0.005 * error.acceleration[1]);
  EXPECT_GT(error.explained(), 0.9999);
}

TEST(ModelError, CallsAModelOfNothingBad) {
  ThreadPool pool(2);
  Case c = pendulum_case(1, {0.05}, pool);
  AnalyticSystem weightless = make_system("double-pendulum");
  weightless.set_constant("g", -10);
  const Model model(weightless);
  const MotionPoints points = motion_points(c.data.truth, InputAtSample::next);
  const double truth = std::sqrt(acceleration_mse(model, points, pool));
  const ModelError error = model_error(model, c.data.observed, pool);
  EXPECT_GT(error.overall, 0.5 * truth);
  EXPECT_LT(error.overall, 2 * truth);
  EXPECT_LT(error.explained(), 0.2);
}

TEST(ModelError, SeesAccelerationsOfTheMotion) {
  ThreadPool pool(2);
  const Case c = pendulum_case(1.1, {0.02}, pool);
  const ModelError error = model_error(c.model, c.data.observed, pool);
  const AccelerationError zero = zero_baseline(motion_points(c.data.truth, InputAtSample::next));
  for (int j = 0; j < 2; ++j)
    EXPECT_NEAR(error.acceleration[j], std::sqrt(zero.joint_mse[j]),
                0.1 * std::sqrt(zero.joint_mse[j]));
}

// Then s is known so well that factors of it are all out of the question.
TEST(ModelError, FindsErrorsThatAreNewAtEveryStepOfAnExactLog) {
  ThreadPool pool(2);
  Simulation data = testing::record(testing::kCart, {0, 0.02, 6, 6}, 3, pool);
  for (Log* log : {&data.observed, &data.truth}) add_to_inputs(1, *log);
  const Model model(testing::system_of(testing::kCart));
  const double truth =
      std::sqrt(acceleration_mse(model, motion_points(data.truth, InputAtSample::next), pool));
  const ModelError error = model_error(model, data.observed, pool);
  EXPECT_GT(error.overall, 0.5 * truth);
  EXPECT_LT(error.overall, 2 * truth);
}

TEST(ModelError, DoesNotDependOnTheNumberOfThreads) {
  const CaseOptions small{0.02, 0.05, 3, 40};
  ThreadPool one(1), three(3);
  const Case c = pendulum_case(1.2, small, one);
  const ModelError a = model_error(c.model, c.data.observed, one),
                   b = model_error(c.model, c.data.observed, three);
  EXPECT_EQ(a.joint, b.joint);
  EXPECT_EQ(a.low, b.low);
  EXPECT_EQ(a.high, b.high);
}

TEST(ModelError, TakesWhatNoiseHidesFromTheMembersSpread) {
  ThreadPool pool(2);
  const Case c = pendulum_case(1.05, {0.2, 0.05, 2, 40}, pool);
  const auto with = [&](double m2) {
    AnalyticSystem system = make_system("double-pendulum");
    system.set_constant("m2", m2);
    return Model(system);
  };
  const Ensemble narrow{c.model, {with(1.05 - 1e-4), with(1.05 + 1e-4)}, false};
  const Ensemble wide{c.model, {with(0.95), with(1.15)}, false};
  const ModelError sure = model_error(narrow, c.data.observed, pool),
                   unsure = model_error(wide, c.data.observed, pool);
  EXPECT_LT(sure.seen, 0.5);
  EXPECT_GT(unsure.overall, 2 * sure.overall);
  EXPECT_EQ(unsure.spread.size(), 2u);
}

TEST(ModelError, StaysFiniteWithGapsAndWithoutMotion) {
  ThreadPool pool(1);
  Case c = pendulum_case(1.2, {0.02, 0.05, 2, 60}, pool);
  for (auto& run : c.data.observed.runs)
    for (std::size_t k = 1; k < run.q.size(); k += 6) run.q[k] = NAN;
  const ModelError gaps = model_error(c.model, c.data.observed, pool);
  EXPECT_GT(gaps.overall, 0.4 * c.truth);
  EXPECT_LT(gaps.overall, 2.5 * c.truth);
  for (auto& run : c.data.observed.runs) std::fill(run.q.begin(), run.q.end(), 0.0);
  const ModelError rest = model_error(c.model, c.data.observed, pool);
  EXPECT_LT(rest.overall, 1e-3);
  EXPECT_TRUE(rest.low >= 0 && rest.high >= rest.overall);
}

TEST(ModelError, IsInfiniteWhereTheModelHasNoMass) {
  ThreadPool pool(1);
  const Case c = pendulum_case(1, {0.01, 0.05, 2, 30}, pool);
  TrigConfig config;
  config.joints = {JointType::periodic, JointType::periodic};
  Trig trig(config);
  trig.set_parameters(std::vector<double>(trig.parameter_count(), 0.0));  // M = 0
  const ModelError error = model_error(Model(trig), c.data.observed, pool);
  EXPECT_TRUE(std::isinf(error.overall) && std::isinf(error.joint[1]));
  EXPECT_EQ(error.without_model, error.runs);
  EXPECT_LT(error.explained(), 0);
}

}  // namespace
}  // namespace mechfit
