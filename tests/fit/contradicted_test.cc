#include "mechfit/fit/contradicted.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mechfit/evaluate/acceleration_error.h"
#include "mechfit/evaluate/scores.h"
#include "mechfit/fit/fit.h"
#include "mechfit/fit/state.h"
#include "tests/support/dirt.h"
#include "tests/support/machines.h"

namespace mechfit {
namespace {

using ::testing::Contains;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

constexpr double kNoise = 0.005;

// Outliers of 5 to 15 deviations of the noise, which are too small for cleaning to find.
testing::Spoiled add_small_outliers(Log& log, int count, std::uint64_t seed) {
  Random random(seed);
  testing::Spoiled bad;
  while (static_cast<int>(bad.size()) < count) {
    const int r = testing::pick(random, log.runs.size());
    const int k = testing::pick(random, log.runs[r].t.size());
    const double off = random.uniform(5, 15) * kNoise * (random.uniform(-1, 1) < 0 ? -1 : 1);
    if (bad.insert({r, k, 0}).second) log.runs[r].q[k] += off;
  }
  return bad;
}

class RobustFit : public ::testing::Test {
 protected:
  RobustFit() {
    log_ = testing::record(testing::kPendulum, {kNoise, 0.05, 6, 8}, 1, pool_).observed;
    options_.family = "trig";
    options_.quick = true;
  }

  FitResult run(const FitHooks& hooks = {}) {
    return fit(log_, std::nullopt, options_, pool_, hooks);
  }
  double error(const Model& model) {
    const Log truth = testing::record(testing::kPendulum, {0, 0.05, 6, 8}, 2, pool_).truth;
    return std::sqrt(acceleration_mse(model, motion_points(truth, InputAtSample::next), pool_));
  }

  ThreadPool pool_{1};
  Log log_;
  FitOptions options_;
};

std::vector<double> parameters(const FitResult& result) {
  return {result.model.parameters().begin(), result.model.parameters().end()};
}

TEST_F(RobustFit, AGoodLogGivesTheSameModelBitForBit) {
  const FitResult robust = run();
  options_.keep_all = true;
  EXPECT_EQ(parameters(robust), parameters(run()));
}

TEST_F(RobustFit, SmallOutliersHaveNoWeight) {
  const double good = error(run().model);
  const testing::Spoiled bad = add_small_outliers(log_, 40, 3);
  const FitResult robust = run();
  EXPECT_LT(error(robust.model), 1.5 * good);
  EXPECT_THAT(robust.notes, Contains(HasSubstr("that the model contradicts are taken out: run ")));
  int found = 0, taken = 0;  // bad ones, good ones
  for (const Log* log : {&robust.train, &robust.validation})
    for (const Trajectory& run : log->runs)
      for (int k = 0; k < run.size(); ++k)
        if (std::isnan(run.q[k])) ++(bad.contains({std::stoi(run.name), k, 0}) ? found : taken);
  EXPECT_GE(found, 38);
  EXPECT_LE(taken, 4);  // of 920
  options_.keep_all = true;
  const FitResult plain = run();
  EXPECT_GT(robust.noise.sigma[0], 0.9 * kNoise);
  EXPECT_LT(robust.noise.sigma[0], 1.1 * kNoise);
  EXPECT_GT(plain.noise.sigma[0], 1.2 * kNoise);
}

// The methods on smoothed data: their smoother has the weights.
class RobustSmoother : public RobustFit {
 protected:
  RobustSmoother() {
    options_.family = "smm";
    options_.method = FitMethod::acceleration;
    options_.epochs = 3;
  }
};

TEST_F(RobustSmoother, AGoodLogGivesTheSameModelBitForBit) {
  const FitResult robust = run();
  options_.keep_all = true;
  EXPECT_EQ(parameters(robust), parameters(run()));
}

TEST_F(RobustSmoother, OutliersThatCleaningMissesHaveNoWeight) {
  const testing::Spoiled bad = add_small_outliers(log_, 40, 3);
  const FitResult robust = run();
  EXPECT_THAT(robust.notes, Contains(HasSubstr("are taken out: run ")));
  int found = 0, taken = 0;  // bad ones, good ones
  for (const Log* log : {&robust.train, &robust.validation})
    for (const Trajectory& run : log->runs)
      for (int k = 0; k < run.size(); ++k)
        if (std::isnan(run.q[k])) ++(bad.contains({std::stoi(run.name), k, 0}) ? found : taken);
  EXPECT_GE(found, 32);
  EXPECT_LE(taken, 4);  // of 920
}

TEST_F(RobustFit, AFitThatWasInterruptedGoesOnToTheSameModel) {
  add_small_outliers(log_, 40, 3);
  const FitResult whole = run();
  const int steps = static_cast<int>(whole.history.records.size());
  std::shared_ptr<FitState> saved;
  int left = steps + 5;  // within the fit that begins again
  FitHooks hooks;
  hooks.progress = [&](const FitProgress&) { return --left > 0; };
  hooks.checkpoint = [&](const FitState& state, const FitHistory&) {
    if (left > 0) saved = std::make_shared<FitState>(state);
  };
  ASSERT_EQ(run(hooks).status, FitStatus::interrupted);
  FitHooks resumed;
  resumed.resume = saved.get();
  const FitResult again = run(resumed);
  EXPECT_EQ(parameters(again), parameters(whole));
  EXPECT_THAT(again.notes, ElementsAreArray(whole.notes));
}

TEST_F(RobustFit, ScoresGiveThemNoWeightEither) {
  const FitResult good = run();
  const Log clean = testing::record(testing::kPendulum, {kNoise, 0.05, 6, 8}, 4, pool_).observed;
  Log dirty = clean;
  add_small_outliers(dirty, 30, 5);
  EvaluateOptions options;
  const Scores scores = evaluate(good.model, clean, options, pool_);
  const Scores spoiled = evaluate(good.model, dirty, options, pool_);
  EXPECT_TRUE(scores.notes.empty());
  EXPECT_THAT(spoiled.notes, Contains(HasSubstr("that the model contradicts are taken out")));
  EXPECT_LT(spoiled.model_error->noise[0], 1.1 * scores.model_error->noise[0]);
  options.keep_all = true;
  EXPECT_GT(evaluate(good.model, dirty, options, pool_).model_error->noise[0],
            1.2 * scores.model_error->noise[0]);
}

}  // namespace
}  // namespace mechfit
