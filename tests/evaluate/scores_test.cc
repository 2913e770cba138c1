#include "mechfit/evaluate/scores.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "mechfit/base/error.h"
#include "mechfit/integrate/variational.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "tests/support/models.h"
#include "tests/support/simulated.h"

namespace mechfit {
namespace {

using testing::random_analytic;
using testing::simulate;
using testing::SimulationOptions;

TEST(Evaluate, GivesTheTrueModelGoodMarks) {
  Random random(1);
  ThreadPool pool(2);
  const Model model = random_analytic("cart-pole", 2, random);
  const Scores scores = evaluate(model, simulate(model), {}, pool);
  EXPECT_EQ(scores.runs, 4);
  EXPECT_EQ(scores.samples, 404);
  EXPECT_NEAR(scores.seconds, 8, 1e-9);
  EXPECT_TRUE(scores.logged_velocities && scores.logged_accelerations);
  EXPECT_LT(scores.acceleration.mse, 1e-20);
  EXPECT_GT(scores.acceleration_zero.mse, 0.1);
  EXPECT_GT(scores.acceleration_mean.mse, 0.1);
  EXPECT_LT(scores.next_state.q.overall, 1e-6);
  EXPECT_LT(scores.next_state.v.overall, 1e-5);
  EXPECT_GT(scores.next_state.v_baseline.overall, 1e-2);
  EXPECT_EQ(scores.next_state.steps, 400);
  EXPECT_EQ(scores.del.triples, 396);
  EXPECT_GT(scores.mass.smallest, 0);
  EXPECT_GE(scores.rollout.horizons.size(), 3u);
}

TEST(Evaluate, SmoothsWhatTheLogDoesNotHave) {
  Random random(2);
  ThreadPool pool(2);
  const Model model = random_analytic("double-pendulum", 2, random);
  SimulationOptions simulation;
  simulation.noise = 1e-3;
  simulation.step = 0.01;
  simulation.derivatives = false;
  Log log = simulate(model, simulation);
  const Scores smoothed = evaluate(model, log, {}, pool);
  EXPECT_FALSE(smoothed.logged_velocities || smoothed.logged_accelerations);
  EXPECT_LT(smoothed.acceleration.mse, 0.2 * smoothed.acceleration_zero.mse);

  simulation.derivatives = true;
  log = simulate(model, simulation);
  for (auto& run : log.runs) run.qdd.clear();
  const Scores mixed = evaluate(model, log, {}, pool);
  EXPECT_TRUE(mixed.logged_velocities);
  EXPECT_FALSE(mixed.logged_accelerations);
  EXPECT_EQ(mixed.acceleration.mse, smoothed.acceleration.mse);
  EXPECT_NE(mixed.rollout.horizons[0].rk4.overall, smoothed.rollout.horizons[0].rk4.overall);
}

TEST(Evaluate, ALogThatIsSmoothedAlreadyGivesTheSameScores) {
  Random random(6);
  ThreadPool pool(2);
  const Model model = random_analytic("double-pendulum", 2, random);
  SimulationOptions simulation;
  simulation.noise = 1e-3;
  simulation.step = 0.01;
  for (const bool velocities : {false, true}) {
    Log log = simulate(model, simulation);
    for (auto& run : log.runs) {
      run.qdd.clear();
      if (!velocities) run.qd.clear();
    }
    const EvaluationData data = evaluation_data(log, smooth(log, {}, pool).log);
    ASSERT_TRUE(data.smoothed);
    EXPECT_EQ(data.logged_velocities, velocities);
    EXPECT_EQ(&data.states(), velocities ? &data.observed : &*data.smoothed);
    const Scores scores = evaluate(Ensemble{model, {}, false}, data, {}, pool);
    EXPECT_EQ(scores_json(scores), scores_json(evaluate(model, log, {}, pool)));
  }
}

TEST(EvaluationData, LoggedAccelerationsAreNotReplacedBySmoothedOnes) {
  Random random(7);
  ThreadPool pool(1);
  const Model model = random_analytic("double-pendulum", 2, random);
  const Log log = simulate(model);
  EXPECT_FALSE(evaluation_data(log, smooth(log, {}, pool).log).smoothed);
  Log shorter = log;
  shorter.runs.pop_back();
  EXPECT_THROW((void)evaluation_data(log, shorter), CheckError);
}

TEST(Evaluate, DoesNotDependOnTheNumberOfThreads) {
  Random random(3);
  const Model model = random_analytic("furuta", 2, random),
              other = random_analytic("furuta", 2, random);
  const Log log = simulate(other);
  ThreadPool one(1), three(3);
  const std::string json = scores_json(evaluate(model, log, {}, one));
  EXPECT_EQ(scores_json(evaluate(model, log, {}, three)), json);
}

TEST(Evaluate, RefusesALogOfAnotherMachine) {
  Random random(4);
  ThreadPool pool(1);
  const Model chain = random_analytic("chain", 3, random),
              cart = random_analytic("cart-pole", 2, random);
  EXPECT_THROW(evaluate(chain, simulate(cart), {}, pool), InputError);
  const Model pendulum = random_analytic("double-pendulum", 2, random);
  EXPECT_THROW(evaluate(cart, simulate(pendulum), {}, pool), InputError);
  EXPECT_NO_THROW(evaluate(pendulum, simulate(cart), {}, pool));  // inputs are ignored
}

TEST(ScoresJson, HasEveryFigureAndNullForInfinity) {
  Random random(5);
  ThreadPool pool(1);
  const Model model = random_analytic("pendulum", 1, random);
  Scores scores = evaluate(model, simulate(model), {}, pool);
  const auto json = nlohmann::json::parse(scores_json(scores));
  EXPECT_EQ(json["acceleration_mse"].get<double>(), scores.acceleration.mse);
  EXPECT_EQ(json["rollout"].size(), scores.rollout.horizons.size());
  EXPECT_EQ(json["rollout"][0]["rk4"]["joints"].size(), 1u);
  EXPECT_EQ(json["del"]["rho"].get<double>(), scores.del.rho);
  scores.acceleration.mse = INFINITY;
  EXPECT_TRUE(nlohmann::json::parse(scores_json(scores))["acceleration_mse"].is_null());
}

TEST(DelScore, VanishesOnATrajectoryOfTheVariationalIntegratorAndKnowsTheGauge) {
  Random random(6);
  ThreadPool pool(1);
  const Model model = random_analytic("furuta", 2, random);
  Log log = simulate(model);
  RolloutRequest request;
  const std::vector<double> q0 = {0.3, 0.8}, v0 = {1, -1}, h = {0.02};
  std::vector<double> u(100, 0.4);
  request.trajectories = 1;
  request.steps = 100;
  request.q0 = q0;
  request.v0 = v0;
  request.h = h;
  request.u = u;
  const Rollout rollout = variational_rollout(model, request, pool);
  log.runs.resize(1);
  log.runs[0].q = rollout.q;
  for (int k = 0; k <= 100; ++k) log.runs[0].t[k] = 0.02 * k;
  log.runs[0].u.assign(101, 0.4);
  EXPECT_LT(del_score(model, log, pool).acceleration.overall, 1e-8);
  log.runs[0].u.assign(101, -0.4);
  const DelScore wrong = del_score(model, log, pool);
  EXPECT_GT(wrong.acceleration.overall, 0.1);
  EXPECT_GT(wrong.rho, 0);
}

TEST(MassEigenvalues, AreThoseOfKnownSystems) {
  ThreadPool pool(2);
  AnalyticSystem pendulum = make_system("pendulum");
  const double expected = pendulum.constant("m") * pendulum.constant("l") * pendulum.constant("l");
  const std::vector<double> q = {0.1, 0.2, 0.3};
  const MassRange range = mass_eigenvalues(Model(pendulum), q, pool);
  EXPECT_NEAR(range.smallest, expected, 1e-14);
  EXPECT_NEAR(range.largest, expected, 1e-14);

  // Two point masses, absolute angles, all constants one: M = [2, c; c, 1] with c = cos(q1 - q2).
  AnalyticSystem points = make_system("double-pendulum-points");
  for (const char* name : {"m1", "m2", "l1", "l2"}) points.set_constant(name, 1);
  const MassRange two = mass_eigenvalues(Model(points), std::vector<double>{0, 1, 0.5, 0.5}, pool);
  EXPECT_NEAR(two.smallest, 1.5 - std::sqrt(1.25), 1e-12);
  EXPECT_NEAR(two.largest, 1.5 + std::sqrt(1.25), 1e-12);
}

}  // namespace
}  // namespace mechfit
