#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "mechfit/base/constants.h"
#include "mechfit/fit/checkpoint.h"
#include "mechfit/fit/fit.h"
#include "mechfit/fit/state.h"
#include "tests/support/still_joint.h"

namespace mechfit {
namespace {

using ::testing::Contains;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

FitOptions of_family(const std::string& family, int degree = 0) {
  FitOptions options;
  options.family = family;
  options.degree = degree;
  return options;
}

// The largest difference of a coefficient, in standard errors.
double distance(const Model& model, const FitResult& fitted) {
  const int p = model.parameter_count();
  double most = 0;
  for (int k = 0; k < p; ++k) {
    const double error = std::sqrt(fitted.covariance[k * p + k]);
    const double difference = model.parameters()[k] - fitted.model.parameters()[k];
    if (error > 0) most = std::max(most, std::abs(difference) / error);
  }
  return most;
}

class CrossValidated : public ::testing::Test {
 protected:
  FitResult run(const FitOptions& options, const FitHooks& hooks = {}) {
    return fit(log_, std::nullopt, options, pool_, hooks);
  }

  Log log_ = testing::still_joint_log(60, 0.05, 7);
  ThreadPool pool_{1};
};

TEST_F(CrossValidated, FitHoldsEveryRunOutOnce) {
  const FitResult result = run(of_family("trig", 1));
  ASSERT_EQ(result.parts.size(), 3u);
  std::map<std::string, int> times;
  for (const auto& run : result.validation.runs) ++times[run.name];
  for (const FitPart& part : result.parts) {
    EXPECT_EQ(part.covariance.size(), result.covariance.size());
    EXPECT_NE(part.model.parameters()[0], result.model.parameters()[0]);
    ASSERT_EQ(part.validation.runs.size(), part.validation_smoothed.runs.size());
    for (std::size_t r = 0; r < part.validation.runs.size(); ++r) {
      ++times[part.validation.runs[r].name];
      EXPECT_EQ(part.validation.runs[r].t, part.validation_smoothed.runs[r].t);
      EXPECT_EQ(part.validation_smoothed.runs[r].qdd.size(), part.validation.runs[r].q.size());
    }
  }
  for (const auto& run : log_.runs) EXPECT_EQ(times[run.name], 1) << run.name;
  EXPECT_THAT(result.notes, Contains(HasSubstr("over 4 parts")));
}

// The model is that of the split whether or not there is a cross-validation.
TEST_F(CrossValidated, FitOfOneFamilyIsTheQuickOne) {
  const FitResult whole = run(of_family("trig", 1));
  FitOptions options = of_family("trig", 1);
  options.quick = true;
  const FitResult quick = run(options);
  EXPECT_TRUE(quick.parts.empty());
  EXPECT_THAT(quick.model.parameters(), ElementsAreArray(whole.model.parameters()));
  const FitResult given = fit(quick.train, quick.validation, of_family("trig", 1), pool_);
  EXPECT_TRUE(given.parts.empty());
  EXPECT_THAT(given.model.parameters(), ElementsAreArray(whole.model.parameters()));
}

// What a part finds is what a fit of its own runs finds: only their smoothing was another.
TEST_F(CrossValidated, PartsEndWhereFitsOfTheirOwnEnd) {
  FitOptions options = of_family("double-pendulum-points");
  options.fix = {{"g", 10}, {"m1", 1}};
  const FitResult result = run(options);
  ASSERT_EQ(result.parts.size(), 3u);
  for (const FitPart& part : result.parts) {
    Log train;
    train.channels = log_.channels;
    for (const auto& run : log_.runs)
      if (std::none_of(part.validation.runs.begin(), part.validation.runs.end(),
                       [&](const Trajectory& other) { return other.name == run.name; }))
        train.runs.push_back(run);
    const FitResult alone = fit(train, part.validation, options, pool_);
    EXPECT_LT(distance(part.model, alone), 0.1);
    EXPECT_GT(distance(result.model, alone), 0.6);
  }
}

TEST_F(CrossValidated, ASingleRunIsCutIntoBlocks) {
  log_.runs.resize(1);
  log_.runs[0] = testing::still_joint_log(400, 0.02, 3).runs[0];
  const FitResult result = run(of_family("trig", 1));
  ASSERT_EQ(result.parts.size(), 3u);
  int samples = result.validation.samples();
  for (const FitPart& part : result.parts) samples += part.validation.samples();
  EXPECT_EQ(samples, log_.samples());
}

TEST_F(CrossValidated, ABlockWithTooFewObservationsIsSaidAndLeavesTheSplitAlone) {
  log_.runs = {testing::still_joint_log(399, 0.02, 3).runs[0]};
  for (int k = 2 * 2; k < 48 * 2; ++k) log_.runs[0].q[k] = kNan;  // most of the first of 8 blocks
  const FitResult result = run(of_family("trig", 1));
  EXPECT_EQ(result.status, FitStatus::finished);
  EXPECT_TRUE(result.parts.empty());
  EXPECT_THAT(result.notes, Contains(HasSubstr("no cross-validation")));
}

// Interrupted in any of its parts, and from every checkpoint.
TEST_F(CrossValidated, AFitThatWasInterruptedResumesToTheSameBits) {
  const FitOptions options = of_family("trig", 1);
  std::vector<std::string> saved;
  FitHooks watching;
  watching.checkpoint = [&](const FitState& state, const FitHistory&) {
    saved.push_back(format_checkpoint(state, "owner"));
  };
  const FitResult whole = run(options, watching);
  const auto expect_same = [&](const FitResult& rest) {
    EXPECT_EQ(rest.status, FitStatus::finished);
    EXPECT_THAT(rest.model.parameters(), ElementsAreArray(whole.model.parameters()));
    EXPECT_EQ(rest.notes, whole.notes);
    ASSERT_EQ(rest.parts.size(), whole.parts.size());
    for (std::size_t k = 0; k < rest.parts.size(); ++k) {
      EXPECT_THAT(rest.parts[k].model.parameters(),
                  ElementsAreArray(whole.parts[k].model.parameters()));
      EXPECT_EQ(rest.parts[k].covariance, whole.parts[k].covariance);
    }
  };
  for (const std::size_t k : {std::size_t{0}, saved.size() / 2, saved.size() - 1}) {
    const FitState state = parse_checkpoint(saved[k], "owner", "checkpoint");
    FitHooks resuming;
    resuming.resume = &state;
    expect_same(run(options, resuming));
  }
  for (const char* part : {"part 2 of 4", "part 4 of 4"}) {
    FitHooks stopping;
    stopping.progress = [&](const FitProgress& progress) {
      return progress.what.find(part) == std::string::npos;
    };
    const FitResult stopped = run(options, stopping);
    EXPECT_EQ(stopped.status, FitStatus::interrupted) << part;
    EXPECT_TRUE(stopped.parts.empty());
    EXPECT_THAT(stopped.model.parameters(), ElementsAreArray(whole.model.parameters()));
    FitHooks resuming;
    resuming.resume = stopped.state.get();
    expect_same(run(options, resuming));
  }
}

TEST_F(CrossValidated, BitsDoNotDependOnTheNumberOfThreads) {
  ThreadPool three(3);
  const FitResult one = run(of_family("trig", 1));
  const FitResult other = fit(log_, std::nullopt, of_family("trig", 1), three);
  ASSERT_EQ(one.parts.size(), other.parts.size());
  for (std::size_t k = 0; k < one.parts.size(); ++k)
    EXPECT_THAT(one.parts[k].model.parameters(),
                ElementsAreArray(other.parts[k].model.parameters()));
}

}  // namespace
}  // namespace mechfit
