#include "mechfit/evaluate/rollout_error.h"

#include <gtest/gtest.h>

#include "mechfit/base/error.h"
#include "mechfit/evaluate/starts.h"
#include "mechfit/files/read_log.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "tests/support/models.h"
#include "tests/support/shared_data.h"
#include "tests/support/simulated.h"

namespace mechfit {
namespace {

using testing::random_analytic;
using testing::simulate;
using testing::SimulationOptions;

// One joint that moves with unit speed, sampled every second.
Log straight_line(int samples) {
  Log log;
  log.channels.joints = {"q"};
  Trajectory run;
  for (int k = 0; k < samples; ++k) {
    run.t.push_back(k);
    run.q.push_back(3.0 + k);
    run.qd.push_back(1);
    run.qdd.push_back(0);
  }
  log.runs.push_back(run);
  return log;
}

Model free_mass() {
  EquationWriter writer("mass", {{"q", JointType::plain, "m"}});
  writer.M(0, 0) = writer.constant("m", 2, "kg");
  return Model(AnalyticSystem(writer.finish()));
}

// M = cos q, no potential: the motion ends at q = pi/2.
Model stops_at_half_pi() {
  EquationWriter writer("odd", {{"q", JointType::plain, "rad"}});
  writer.M(0, 0) = cos(writer.q(0));
  return Model(AnalyticSystem(writer.finish()));
}

TEST(RolloutError, IsSmallForTheTrueModelAndLargeForTheBaselines) {
  ThreadPool pool(2);
  for (const char* system : {"cart-pole", "furuta", "double-pendulum"}) {
    Random random(4);
    const Model model = random_analytic(system, 2, random);
    SimulationOptions simulation;
    simulation.uneven = 0.3;
    const Log log = simulate(model, simulation);
    RolloutErrorOptions options;
    options.horizons = {0.1, 0.5};
    const RolloutScores scores = rollout_error(model, log, options, pool);
    ASSERT_EQ(scores.horizons.size(), 2u) << system;
    for (const HorizonScore& h : scores.horizons) {
      EXPECT_LT(h.rk4.overall, 1e-4) << system;
      EXPECT_LT(h.variational.overall, 0.02) << system;
      EXPECT_GT(h.velocity.overall, 5 * h.variational.overall) << system;
      EXPECT_GT(h.stay.overall, 10 * h.variational.overall) << system;
      EXPECT_EQ(h.variational_failed + h.rk4_failed, 0) << system;
      EXPECT_GT(h.starts, 150) << system;
    }
    EXPECT_EQ(scores.first_failure, "");
    options.substeps = 4;
    const RolloutScores finer = rollout_error(model, log, options, pool);
    EXPECT_LT(finer.horizons[1].variational.overall, 0.1 * scores.horizons[1].variational.overall);
  }
}

TEST(RolloutError, ComparesAtTheHorizonWithBaselinesThatAreExactHere) {
  ThreadPool pool(1);
  const Log log = straight_line(11);
  RolloutErrorOptions options;
  options.horizons = {2, 5, 100};
  const RolloutScores scores = rollout_error(free_mass(), log, options, pool);
  ASSERT_EQ(scores.horizons.size(), 2u);  // 100 s fit nowhere
  EXPECT_EQ(scores.horizons[0].starts, 9);
  EXPECT_EQ(scores.horizons[1].starts, 6);
  EXPECT_DOUBLE_EQ(scores.horizons[0].stay.overall, 2);
  EXPECT_DOUBLE_EQ(scores.horizons[1].stay.joint[0], 5);
  EXPECT_EQ(scores.horizons[1].velocity.overall, 0);
  EXPECT_NEAR(scores.horizons[1].variational.overall, 0, 1e-12);
  EXPECT_NEAR(scores.horizons[1].rk4.overall, 0, 1e-12);
}

TEST(RolloutError, CountsAFailedRolloutWithTheWorseBaseline) {
  ThreadPool pool(1);
  Log log = straight_line(11);
  for (double& q : log.runs[0].q) q = 0.2 * (q - 3);  // 0 to 2
  for (double& v : log.runs[0].qd) v = 0.2;
  RolloutErrorOptions options;
  options.horizons = {10};
  const RolloutScores scores = rollout_error(stops_at_half_pi(), log, options, pool);
  ASSERT_EQ(scores.horizons.size(), 1u);
  EXPECT_EQ(scores.horizons[0].starts, 1);
  EXPECT_EQ(scores.horizons[0].variational_failed, 1);
  EXPECT_EQ(scores.horizons[0].rk4_failed, 1);
  EXPECT_DOUBLE_EQ(scores.horizons[0].variational.overall, 2);
  EXPECT_DOUBLE_EQ(scores.horizons[0].stay.overall, 2);
  EXPECT_NE(scores.first_failure, "");
}

TEST(RolloutError, SeesTheInputs) {
  Random random(5);
  ThreadPool pool(1);
  const Model model = random_analytic("cart-pole", 2, random);
  Log log = simulate(model);
  RolloutErrorOptions options;
  options.horizons = {0.5};
  const double with = rollout_error(model, log, options, pool).horizons[0].rk4.overall;
  for (auto& run : log.runs)
    for (double& u : run.u) u = -u;
  const double against = rollout_error(model, log, options, pool).horizons[0].rk4.overall;
  EXPECT_LT(with, 1e-6);
  EXPECT_GT(against, 1e-2);
}

TEST(RolloutError, EnergyDriftFallsWithTheSquareOfTheStepWithAndWithoutForces) {
  ThreadPool pool(1);
  for (const bool damped : {false, true}) {
    AnalyticSystem system = make_system("double-pendulum-points");
    if (damped)
      for (const auto& constant : system.constants())
        if (constant.range == Range::nonnegative) system.set_constant(constant.name, 0.5);
    const Model model(system);
    const Log log = simulate(model);
    RolloutErrorOptions options;
    options.horizons = {1};
    const double coarse = rollout_error(model, log, options, pool).energy_drift;
    options.substeps = 2;
    const double fine = rollout_error(model, log, options, pool).energy_drift;
    EXPECT_LT(coarse, 0.05) << damped;
    EXPECT_GT(coarse, 1e-6) << damped;
    // With even substeps the work is that of the samples' midpoints: still of second order.
    if (!damped) {
      EXPECT_NEAR(coarse / fine, 4, 0.5);
    }
    EXPECT_LT(fine, coarse);
  }
}

TEST(Starts, AreEvenlySpreadAndBounded) {
  Random random(6);
  const Model model = random_analytic("pendulum", 1, random);
  const Log log = simulate(model);
  EXPECT_EQ(choose_starts(log, 0.1, 0, 1000).size(), 400);
  const Starts few = choose_starts(log, 0.1, 0, 10);
  EXPECT_EQ(few.size(), 10);
  EXPECT_EQ(few.run.back(), 3);
  const Starts spaced = choose_starts(log, 0.1, 0.1, 1000);
  EXPECT_EQ(spaced.size(), 80);
  EXPECT_EQ(spaced.sample[1], 5);
  EXPECT_EQ(spaced.steps[0], 5);
  EXPECT_EQ(spaced.steps[19], 5);
}

TEST(Starts, FindTheNearestSample) {
  Trajectory run;
  run.t = {0, 1, 2, 4};
  EXPECT_EQ(sample_near(run, 0, 0.2), 1);
  EXPECT_EQ(sample_near(run, 0, 1.4), 1);
  EXPECT_EQ(sample_near(run, 0, 1.6), 2);
  EXPECT_EQ(sample_near(run, 1, 2.5), 3);
  EXPECT_EQ(sample_near(run, 0, 4.9), 3);
  EXPECT_EQ(sample_near(run, 0, 5.1), -1);
  EXPECT_EQ(sample_near(run, 3, 0.1), -1);
}

TEST(DefaultHorizons, FollowTheMotionAndTheRuns) {
  const Model model(make_system("double-pendulum-points"));
  SimulationOptions simulation;
  simulation.step = 0.05;
  simulation.samples = 202;
  EXPECT_EQ(default_horizons(simulate(model, simulation)),
            (std::vector<double>{0.1, 0.25, 0.5, 1, 2.5}));
  simulation.samples = 21;
  EXPECT_EQ(default_horizons(simulate(model, simulation)), (std::vector<double>{0.1, 0.25, 0.5}));
  simulation.samples = 3;
  EXPECT_EQ(default_horizons(simulate(model, simulation)).size(), 1u);
  Log still = simulate(model, simulation);
  for (auto& run : still.runs) {
    std::fill(run.qd.begin(), run.qd.end(), 0.0);
    std::fill(run.qdd.begin(), run.qdd.end(), 0.0);
  }
  EXPECT_FALSE(default_horizons(still).empty());
}

// Published with the record: root mean squares of the constant-velocity prediction over segments
// 02, 10, 14 and 22, started every 50 ms.
TEST(RolloutError, BaselineOfARealDoublePendulumIsThePublishedOne) {
  const std::string folder = testing::shared_data("double_pendulum_real");
  if (folder.empty()) GTEST_SKIP() << "no record of a real double pendulum";
  ReadOptions read;
  read.qd = {"dth1_rad_s", "dth2_rad_s"};
  std::vector<std::string> files;
  for (const char* segment : {"02", "10", "14", "22"})
    files.push_back(folder + "/segment_" + segment + ".csv");
  const Log log = read_log(files, read).log;
  ThreadPool pool(2);
  RolloutErrorOptions options;
  options.horizons = {0.05, 0.1, 0.25, 0.5};
  options.start_every = 0.05;
  options.most_starts = 10000;
  const RolloutScores scores =
      rollout_error(Model(make_system("double-pendulum-points")), log, options, pool);
  ASSERT_EQ(scores.horizons.size(), 4u);
  EXPECT_NEAR(scores.horizons[0].velocity.overall, 0.045, 0.0025);
  EXPECT_NEAR(scores.horizons[1].velocity.overall, 0.169, 0.01);
  EXPECT_NEAR(scores.horizons[2].velocity.overall, 0.841, 0.04);
  EXPECT_NEAR(scores.horizons[3].velocity.overall, 1.995, 0.1);
}

TEST(ObservedSum, TakesTheNoisesShareOff) {
  Random random(5);
  const std::vector<double> sigma = {0.1, 0.3};
  ObservedSum sum(sigma);
  for (int k = 0; k < 4000; ++k)
    for (int j = 0; j < 2; ++j)
      sum.add({k / 10, 0}, j, 0.2 + sigma[j] * random.normal());  // always off by 0.2
  sum.add({0, 0}, 1, NAN);
  const ObservedErrors errors = sum.finish();
  EXPECT_EQ(errors.observations, 8000);
  EXPECT_NEAR(errors.joint[0], 0.2, 0.01);
  EXPECT_NEAR(errors.joint[1], 0.2, 0.03);
  EXPECT_NEAR(errors.overall, 0.2, 0.02);
  EXPECT_GT(errors.standard_error, 0.0005);
  EXPECT_NEAR(errors.mean_square, 0.04, 4 * errors.standard_error);
}

TEST(RolloutError, FindsTheTrueErrorInNoisyObservations) {
  Random random(6);
  ThreadPool pool(2);
  const Model truth = random_analytic("double-pendulum", 2, random);
  SimulationOptions simulation;
  simulation.samples = 201;
  const Log log = simulate(truth, simulation);
  Log noisy = log;
  for (auto& run : noisy.runs)
    for (double& q : run.q) q += 0.05 * random.normal();
  AnalyticSystem wrong = *truth.as<AnalyticSystem>();
  wrong.set_constant("l2", 1.5 * wrong.constant("l2"));
  RolloutErrorOptions options;
  options.horizons = {0.02, 0.5, 1};
  options.observed = &noisy;
  options.noise = {0.05, 0.05};
  const RolloutScores good = rollout_error(truth, log, options, pool),
                      bad = rollout_error(Model(wrong), log, options, pool);
  ASSERT_EQ(good.horizons.size(), 3u);
  for (const HorizonScore& h : good.horizons) {
    EXPECT_LT(std::fabs(h.rk4_observed.mean_square), 4 * h.rk4_observed.standard_error + 1e-6);
    EXPECT_EQ(h.judgeable, h.seconds > 0.1);
  }
  for (const HorizonScore& h : bad.horizons)
    EXPECT_NEAR(h.rk4_observed.mean_square, h.rk4.overall * h.rk4.overall,
                4 * h.rk4_observed.standard_error);
  const ObservedErrors& last = bad.horizons[2].rk4_observed;
  EXPECT_GT(last.mean_square, 4 * last.standard_error);  // seen through the noise
  EXPECT_NEAR(bad.horizons[2].stay_observed.overall, bad.horizons[2].stay.overall,
              0.1 * bad.horizons[2].stay.overall);
}

}  // namespace
}  // namespace mechfit
