#include "mechfit/fit/joint/joint_network.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mechfit/base/gradient_check.h"
#include "mechfit/estimate/kalman/smoother.h"
#include "mechfit/evaluate/acceleration_error.h"
#include "mechfit/fit/data_scales.h"
#include "mechfit/fit/fit.h"
#include "mechfit/fit/joint/joint_gauss_newton.h"
#include "mechfit/fit/joint/joint_problem.h"
#include "mechfit/fit/smoothed/samples.h"
#include "mechfit/log/thin.h"
#include "mechfit/mechanics/families/smm/smm.h"
#include "mechfit/mechanics/families/start.h"
#include "mechfit/mechanics/families/trig/trig.h"
#include "tests/support/machines.h"
#include "tests/support/pendulum_data.h"

namespace mechfit {
namespace {

using testing::PendulumData;

Model small_network(const Log& train, ThreadPool& pool) {
  SmmConfig config;
  config.joints = train.channels.joint_types;
  config.hidden = {6, 6};
  config.activations.assign(2, Activation::tanh);
  config.friction = true;
  const Samples samples = make_samples(smooth(train, {}, pool).log);
  config.scales = data_scales(magnitudes(samples), config.joints, {}, false);
  Smm smm(config);
  Random random(7);
  smm.initialise(random);
  return Model(std::move(smm));
}

// The reduced objective: J with the motions solved for.
TEST(JointNetwork, ReducedGradientAgreesWithFiniteDifferences) {
  const PendulumData data = testing::pendulum_data(0.5, 0.05, 3, 14, 2);
  ThreadPool pool(1);
  const MotionNoise noise{{0.05, 0.04}, {6.0, 5.0}};
  const Model model = small_network(data.train, pool);
  const MotionRun::Options exactly{100, 1e-20};
  JointRuns runs(model, data.train, data.train, pool);
  runs.solve(model, noise, exactly);

  // By the envelope theorem the gradient is that of J with the motions held.
  std::vector<double> merged(model.merged_size()), gradient(model.parameter_count());
  runs.each([&](MotionRun& run, int) {
    ASSERT_TRUE(std::isfinite(run.objective(model, run.q, noise)));
    std::vector<double> g = run.error.e;
    for (std::size_t i = 0; i < g.size(); ++i) g[i] /= noise.s[i % 2] * noise.s[i % 2];
    auto& w = run.error.run.block.model;
    model.clear_gradient(w);
    del_run_error_pullback(model, run.view(run.q), g, {}, true, run.error);
    model.add_gradient(w, merged);
  });
  model.expand_gradient(merged, gradient);
  Random random(8);
  for (int direction = 0; direction < 3; ++direction) {
    std::vector<double> d(gradient.size());
    for (double& x : d) x = random.normal();
    const auto reduced = [&](std::span<const double> t) {
      std::vector<double> theta(model.parameters().begin(), model.parameters().end());
      for (std::size_t i = 0; i < theta.size(); ++i) theta[i] += t[0] * d[i];
      Model other = model;
      other.set_parameters(theta);
      JointRuns own(other, data.train, data.train, pool);
      return own.solve(other, noise, exactly);
    };
    double slope = 0;
    for (std::size_t i = 0; i < d.size(); ++i) slope += gradient[i] * d[i];
    const auto report = check_gradient(reduced, std::vector{0.0}, std::vector{slope});
    EXPECT_TRUE(report.agrees(1e-5)) << report.text();
  }
}

TEST(JointNetwork, StepsLowerTheObjectiveAndHeldMotionsStay) {
  const PendulumData data = testing::pendulum_data(0.0, 0.05, 4, 40, 2);
  ThreadPool pool(1);
  const Model model = small_network(data.train, pool);
  const MotionNoise noise{{0.05, 0.05}, {5.0, 5.0}};
  using Motion = JointNetwork::Motion;
  for (const auto& [motions, share] : {std::pair{Motion::moved, 0.5}, {Motion::held, 0.9}}) {
    JointRuns runs(model, data.train, data.train, pool);
    const auto before = runs.motions();
    JointNetwork solver(model, runs, nullptr);
    const double first = solver.step(noise, 1e-2, motions);
    double last = first;
    for (int k = 0; k < 60; ++k) last = solver.step(noise, 1e-2, motions);
    EXPECT_LT(last, share * first);
    EXPECT_EQ(runs.motions() == before, motions == Motion::held);
  }
}

TEST(JointNetwork, JacobianToTheParametersGivesTheGatheredGradient) {
  const PendulumData data = testing::pendulum_data(0.5, 0.05, 9, 40, 1);
  ThreadPool pool(1);
  const Model model = small_network(data.train, pool);
  MotionRun run(model, data.train.runs[0], data.train.runs[0].q);
  ASSERT_TRUE(run.linearise(model, RunDerivatives::parameters));
  const std::vector<double> g = run.error.e;
  std::vector<double> expected(model.parameter_count()), merged(model.merged_size());
  for (std::size_t row = 0; row < g.size(); ++row)
    for (std::size_t k = 0; k < expected.size(); ++k)
      expected[k] += g[row] * run.error.theta[row * expected.size() + k];
  auto& w = run.error.run.block.model;
  model.clear_gradient(w);
  del_run_error_pullback(model, run.view(run.q), g, {}, true, run.error);
  model.add_gradient(w, merged);
  std::vector<double> gradient(expected.size());
  model.expand_gradient(merged, gradient);
  double largest = 0;
  for (double x : gradient) largest = std::max(largest, std::abs(x));
  for (std::size_t k = 0; k < gradient.size(); ++k)
    EXPECT_NEAR(expected[k], gradient[k], 1e-11 * largest);
}

TEST(JointNetwork, GaussNewtonStepsLowerTheObjective) {
  const PendulumData data = testing::pendulum_data(0.0, 0.01, 4, 40, 2);
  ThreadPool pool(1);
  const Model model = small_network(data.train, pool);
  const MotionNoise noise{{0.01, 0.01}, {1.0, 1.0}};
  JointRuns runs(model, data.train, data.train, pool);
  JointGaussNewton solver(model, runs, {}, nullptr);
  const double first = solver.objective(noise);
  double last = first;
  for (int k = 0; k < 25; ++k) {
    ASSERT_TRUE(solver.linearise());
    const auto step = solver.step(noise);
    EXPECT_LE(step.objective, last);
    last = step.objective;
  }
  EXPECT_LT(last, 0.01 * first);
}

// The motions of a family with few parameters are worth more than smoothed ones.
TEST(JointNetwork, GainsByTheMotionsOfAnotherFamily) {
  const PendulumData data = testing::pendulum_data(0.0, 0.1, 21);
  ThreadPool pool(2);
  const Model model = small_network(data.train, pool);
  TrigConfig config;
  config.joints = data.train.channels.joint_types;
  config.friction = true;
  config.scales = model.as<Smm>()->config().scales;
  const JointResult trig =
      fit_joint(Model(Trig(config)), joint_data(data.train, data.validation, pool), {}, pool);
  const auto error = [&](const JointResult* before) {
    JointOptions options;
    options.before = before;
    const auto result =
        fit_joint(model, joint_data(data.train, data.validation, pool), options, pool);
    return acceleration_mse(result.model, data.test, pool);
  };
  EXPECT_LT(error(&trig), 0.7 * error(nullptr));
}

JointResult short_fit(const PendulumData& data, int threads, const JointHooks& hooks = {}) {
  ThreadPool pool(threads);
  JointOptions options;
  options.iterations = 60;
  return fit_joint(small_network(data.train, pool), joint_data(data.train, data.validation, pool),
                   options, pool, hooks);
}

std::vector<double> parameters(const JointResult& result) {
  return {result.model.parameters().begin(), result.model.parameters().end()};
}

TEST(JointNetwork, GivesTheSameBitsForAnyNumberOfThreads) {
  const PendulumData data = testing::pendulum_data(0.5, 0.1, 5, 40, 3);
  EXPECT_EQ(parameters(short_fit(data, 1)), parameters(short_fit(data, 2)));
}

TEST(JointNetwork, AResumedFitEndsAsAnUninterruptedOne) {
  const PendulumData data = testing::pendulum_data(0.5, 0.1, 6, 40, 3);
  const JointResult whole = short_fit(data, 1);
  std::optional<JointState> state;
  JointHooks hooks;
  hooks.checkpoint = [&](const JointState& s) { state = s; };
  hooks.progress = [](const FitRecord& record, int) { return record.step < 37; };
  const JointResult part = short_fit(data, 1, hooks);
  EXPECT_EQ(part.status, FitStatus::interrupted);
  ASSERT_TRUE(state);
  JointHooks resumed;
  resumed.resume = &*state;
  const JointResult rest = short_fit(data, 1, resumed);
  EXPECT_EQ(rest.status, FitStatus::finished);
  EXPECT_EQ(parameters(rest), parameters(whole));
  EXPECT_EQ(rest.history.records.size(), whole.history.records.size());
}

TEST(Thin, KeepsEveryThirdSampleAndTheMeanOfTheInputs) {
  Log log;
  log.channels = {{"q"}, {JointType::plain}, {""}, {"u"}};
  Trajectory run;
  for (int k = 0; k < 8; ++k) {
    run.t.push_back(0.1 * k);
    run.q.push_back(k);
    run.u.push_back(10 * k);
  }
  log.runs = {run};
  const Log thinned = thin(log, 0.3);
  ASSERT_EQ(thinned.runs[0].q, (std::vector<double>{0, 3, 6}));
  EXPECT_NEAR(thinned.runs[0].u[0], 10, 1e-12);
  EXPECT_NEAR(thinned.runs[0].u[1], 40, 1e-12);
  EXPECT_NEAR(thinned.runs[0].u[2], 60, 1e-12);
}

TEST(Thin, ALogFarFinerThanItsMotionIsThinnedAndACoarseOneIsNot) {
  const auto sine = [](double h, int samples) {
    Log log;
    log.channels = {{"q"}, {JointType::plain}, {""}, {}};
    Trajectory run;
    for (int k = 0; k < samples; ++k) {
      const double t = h * k;
      run.t.push_back(t);
      run.q.push_back(std::sin(5 * t));
      run.qdd.push_back(-25 * std::sin(5 * t));
    }
    log.runs = {run};
    return log;
  };
  EXPECT_EQ(choose_thinning(sine(0.05, 200), 0).step, 0);
  const Log fine = sine(0.001, 5000);
  const Thinning thinning = choose_thinning(fine, 0);
  EXPECT_NE(thinning.note.find("every 22nd sample is used, 0.022 s"), std::string::npos);
  EXPECT_EQ(thin(fine, thinning.step).runs[0].size(), 228);  // every 22nd: omega h = 0.11
  EXPECT_EQ(thin(fine, choose_thinning(fine, 0.01).step).runs[0].size(), 500);

  Log both = fine;  // a run that is sampled as it should be stays
  both.runs.push_back(sine(0.02, 300).runs[0]);
  const Log thinned = thin(both, choose_thinning(both, 0).step);
  EXPECT_NEAR(thinned.runs[0].size(), 228, 12);
  EXPECT_EQ(thinned.runs[1].size(), 300);
}

// Of a coarse log, whose own steps are too long for the midpoint rule.
TEST(JointNetwork, AloneTakesTheStepsOfTheFamilyThatPreparesItsMotions) {
  ThreadPool pool(2);
  const Log log = testing::record(testing::kPoints, {0.01, 0.1, 6, 6}, 1, pool).observed;
  FitOptions options = testing::options_of("smm", FitMethod::joint, 30);
  options.quick = true;
  const FitResult result = fit(log, std::nullopt, options, pool);
  EXPECT_EQ(result.model.kind(), ParameterKind::weights);
  EXPECT_GT(result.knowledge.grid, 0);
  EXPECT_LT(result.knowledge.grid, 0.06);
  options.step = 0.1;
  EXPECT_EQ(fit(log, std::nullopt, options, pool).knowledge.grid, 0);
}

}  // namespace
}  // namespace mechfit
