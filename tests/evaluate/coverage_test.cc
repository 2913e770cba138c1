#include "mechfit/evaluate/coverage.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "mechfit/evaluate/scores.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "tests/support/simulated.h"

namespace mechfit {
namespace {

using testing::pendulum;
using testing::simulate;
using testing::SimulationOptions;

TEST(Quantiles, AreThoseOfTheTables) {
  EXPECT_NEAR(normal_quantile(0.5), 0.67449, 1e-5);
  EXPECT_NEAR(normal_quantile(0.9), 1.64485, 1e-5);
}

// A value drawn like the predictions is inside as often as the bands say, whatever the
// distribution.
TEST(Bands, HoldWhatTheySayOfAnyDistribution) {
  Random random(5);
  int inside[kBandCount] = {};
  constexpr int kTrials = 4000;
  for (int trial = 0; trial < kTrials; ++trial) {
    double x[kPredictions + 1];
    for (double& value : x) value = std::exp(2 * random.normal());
    BandLimits limits[kBandCount];
    bands_of(std::span(x, kPredictions), limits);
    for (int b = 0; b < kBandCount; ++b)
      inside[b] += limits[b].low <= x[kPredictions] && x[kPredictions] <= limits[b].high;
  }
  EXPECT_NEAR(inside[0] / double(kTrials), 0.5, 0.03);
  EXPECT_NEAR(inside[1] / double(kTrials), 0.9, 0.02);
}

TEST(Bands, APredictionThatFailedMayHaveBeenAnything) {
  double x[kPredictions];
  for (int k = 0; k < kPredictions; ++k) x[k] = k < 6 ? double(NAN) : double(k);
  BandLimits limits[kBandCount];
  bands_of(x, limits);
  EXPECT_TRUE(std::isfinite(limits[0].low) && std::isfinite(limits[0].high));
  EXPECT_EQ(limits[1].low, -INFINITY);
  EXPECT_EQ(limits[1].high, INFINITY);
}

// The error that a model file tells widens bands, more so where its data never were.
TEST(Bands, WidenWithTheModelsErrorAndOutsideOfItsRegion) {
  ThreadPool pool(1);
  Ensemble ensemble{pendulum(10), {}, false};
  Knowledge known;
  known.region = {{-1}, {1}, {-2}, {2}, {}, {}};
  known.velocity = {1};
  known.acceleration = {5};
  known.error = {0.1};
  known.error_time = {0.2};
  ensemble.knowledge = known;
  const std::vector<double> q = {0.5, 3.0}, v = {0, 0}, a = {0, 0};
  const AccelerationBands bands = acceleration_bands(ensemble, {1, 0, q, v, a, {}}, pool);
  const double inside = bands.high[1][0] - bands.low[1][0];
  EXPECT_NEAR(inside, 2 * 1.645 * 0.1, 0.4 * inside);
  EXPECT_GT(bands.high[1][1] - bands.low[1][1], 2 * inside);
  EXPECT_GT(bands.high[1][0] - bands.low[1][0], bands.high[0][0] - bands.low[0][0]);
}

// Truth and members are drawn from one distribution: bands hold what they say, on average over
// draws. Too narrow a spread is told from a right one.
TEST(Coverage, IsWhatTheBandsSayWhenTheTruthIsOneOfTheFamily) {
  ThreadPool pool(2);
  Random random(11);
  constexpr int kRepeats = 60, kMembers = kPredictions;
  SimulationOptions simulation;
  simulation.runs = 1;
  simulation.samples = 100;
  simulation.noise = 1e-3;
  EvaluateOptions options;
  options.rollout.horizons = {0.1, 0.5};
  options.rollout.most_starts = 4;
  double right[2][2] = {}, narrow[2] = {};
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    simulation.seed = 100 + repeat;
    Log log = simulate(pendulum(10 + random.normal()), simulation);
    Ensemble ensemble{pendulum(10), {}, true}, sure = ensemble;
    for (int k = 0; k < kMembers; ++k) {
      const double z = random.normal();
      ensemble.members.push_back(pendulum(10 + z));
      sure.members.push_back(pendulum(10 + 0.2 * z));
    }
    const Scores scores = evaluate(ensemble, log, options, pool);
    ASSERT_EQ(scores.coverage.size(), 2u);
    for (int b = 0; b < 2; ++b) {
      right[b][0] += scores.coverage[b].acceleration / kRepeats;
      right[b][1] += scores.coverage[b].rollout / kRepeats;
    }
    narrow[1] += evaluate(sure, log, options, pool).coverage[1].acceleration / kRepeats;
  }
  for (int quantity = 0; quantity < 2; ++quantity) {
    EXPECT_NEAR(right[0][quantity], 0.5, 0.15) << quantity;
    EXPECT_NEAR(right[1][quantity], 0.9, 0.09) << quantity;
  }
  EXPECT_LT(narrow[1], 0.6);
}

TEST(Coverage, CountsTheUncertaintyOfStartsAndObservations) {
  ThreadPool pool(2);
  SimulationOptions simulation;
  simulation.noise = 0.05;
  simulation.samples = 200;
  simulation.derivatives = false;
  const Log log = simulate(pendulum(10), simulation);
  // Members that are all but sure, and right.
  Ensemble ensemble{pendulum(10), {}, false};
  for (int k = 0; k < 32; ++k) ensemble.members.push_back(pendulum(10 + 1e-6 * k));
  const Scores scores = evaluate(ensemble, log, {}, pool);
  EXPECT_NEAR(scores.coverage[0].rollout, 0.5, 0.12);
  EXPECT_NEAR(scores.coverage[1].rollout, 0.9, 0.07);
  const auto json = nlohmann::json::parse(scores_json(scores));
  EXPECT_EQ(json["coverage"][1]["band"], 0.9);
  EXPECT_EQ(json["coverage"][1]["rollout"].get<double>(), scores.coverage[1].rollout);
}

TEST(Ensemble, PredictsTheMeanOfItsMembers) {
  ThreadPool pool(1);
  const Log log = simulate(pendulum(10));
  const Scores one = evaluate(pendulum(9), log, {}, pool);
  const Scores mean =
      evaluate(Ensemble{pendulum(9), {pendulum(9), pendulum(11)}, true}, log, {}, pool);
  EXPECT_GT(one.acceleration.mse, 0.01);
  EXPECT_LT(mean.acceleration.mse, 1e-20);
  EXPECT_LT(mean.rollout.horizons[1].rk4.overall, 0.2 * one.rollout.horizons[1].rk4.overall);
}

TEST(Ensemble, DrawsHaveTheCovarianceAndStayInRange) {
  AnalyticSystem system = make_system("pendulum");
  system.set_constant("eta", 0.01);
  const Model model(system);
  const int p = model.parameter_count();
  std::vector<int> index(p);
  std::vector<double> covariance(p * p, 0.0);
  int g = -1, eta = -1, m = -1;
  for (int k = 0; k < p; ++k) {
    if (system.constants()[k].name == "g") g = k;
    if (system.constants()[k].name == "eta") eta = k;
    if (system.constants()[k].name == "m") m = k;
  }
  covariance[g * p + g] = 0.25;
  covariance[eta * p + eta] = 1e-5;
  covariance[g * p + eta] = covariance[eta * p + g] = 1e-3;
  covariance[m * p + m] = 9;  // not determined
  const auto members = draw_members(model, covariance, 2000, 1);
  double square = 0;
  for (const Model& member : members) {
    square += std::pow(member.parameters()[g] - 10, 2) / 2000;
    EXPECT_GE(member.parameters()[eta], 0);
    EXPECT_EQ(member.parameters()[m], 1);
  }
  EXPECT_NEAR(square, 0.25, 0.03);
  const ModelRecord alone{model, {}, {}};
  EXPECT_TRUE(ensemble_of(alone).members.empty());
  EXPECT_EQ(ensemble_of({model, {}, {}, {}, covariance}).members.size(), 39u);
  EXPECT_TRUE(ensemble_of({model, {}, {}, {model, model}, {}}).mean);
}

}  // namespace
}  // namespace mechfit
