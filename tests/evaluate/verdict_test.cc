#include "mechfit/evaluate/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace mechfit {
namespace {

using ::testing::HasSubstr;

AccelerationError accelerations(std::vector<double> mse) {
  AccelerationError error;
  error.joint_mse = std::move(mse);
  return error;
}

HorizonScore horizon(double seconds, std::vector<double> model, std::vector<double> baseline) {
  HorizonScore score;
  score.seconds = seconds;
  score.starts = 10;
  score.variational.joint = std::move(model);
  score.velocity.joint = baseline;
  for (double& x : baseline) x *= 2;
  score.stay.joint = std::move(baseline);
  return score;
}

// A slow joint in metres beside a fast one in radians.
Scores scores(double share, std::vector<HorizonScore> horizons) {
  Scores s;
  s.samples = 100;
  s.acceleration = accelerations({1e-6 * (1 - share), 100 * (1 - share)});
  s.acceleration_mean = accelerations({1e-6, 100});
  s.rollout.horizons = std::move(horizons);
  return s;
}

TEST(Verdict, GoodNeedsAccelerationsAndEveryHorizon) {
  const Verdict good =
      judge(scores(0.95, {horizon(0.1, {1e-5, 0.1}, {1e-3, 1}), horizon(1, {1e-3, 1}, {1e-2, 9})}));
  EXPECT_EQ(good.grade, Grade::good);
  EXPECT_NEAR(good.explained, 0.95, 1e-12);
  EXPECT_EQ(good.reliable_until, 1);
  EXPECT_EQ(good.text,
            "It explains 95 % of the accelerations. Its rollouts can be relied on up to 1 s, where "
            "their error is 11 % of the better baseline's, the longest time that was tried.");
  const auto fine = horizon(0.1, {1e-5, 0.1}, {1e-3, 1});
  EXPECT_EQ(judge(scores(0.85, {fine})).grade, Grade::partial);
}

TEST(Verdict, AHorizonThatNoiseHidesDecidesNothing) {
  HorizonScore hidden = horizon(0.1, {1e-2, 9}, {1e-3, 1});
  hidden.judgeable = false;
  const Verdict good = judge(scores(0.95, {hidden, horizon(1, {1e-4, 0.1}, {1e-3, 1})}));
  EXPECT_EQ(good.grade, Grade::good);
  EXPECT_EQ(good.reliable_until, 1);
  const Verdict blind = judge(scores(0.95, {hidden}));
  EXPECT_THAT(blind.text, HasSubstr("Noise hides"));
  EXPECT_EQ(blind.reliable_until, 0);
  EXPECT_EQ(judge(scores(-0.5, {hidden})).grade, Grade::bad);
}

TEST(Verdict, ErrorsInTheObservationsCountWhereTheyWereLookedAt) {
  HorizonScore score = horizon(0.1, {9e-4, 0.9}, {1e-3, 1});
  score.variational_observed.joint = {1e-5, 0.01};
  score.velocity_observed.joint = score.stay_observed.joint = {1e-3, 1};
  EXPECT_EQ(judge(scores(0.95, {score})).grade, Grade::good);
  Scores seen = scores(0.1, {score});  // by smoothed accelerations
  EXPECT_EQ(judge(seen).grade, Grade::partial);
  seen.model_error = ModelError();
  seen.model_error->joint = {1e-4, 0.5};
  seen.model_error->acceleration = {1e-3, 10};
  seen.model_error->runs = 1;
  EXPECT_NEAR(judge(seen).explained, seen.model_error->explained(), 1e-12);
  EXPECT_EQ(judge(seen).grade, Grade::good);
}

TEST(Verdict, ASlowJointCountsAsMuchAsAFastOne) {
  const Verdict verdict = judge(
      scores(0.95, {horizon(0.1, {1e-5, 0.1}, {1e-3, 1}), horizon(1, {2e-2, 0.1}, {1e-2, 9})}));
  EXPECT_EQ(verdict.grade, Grade::partial);
  EXPECT_EQ(verdict.reliable_until, 0.1);
  EXPECT_THAT(verdict.text, HasSubstr("up to 0.1 s"));
  EXPECT_THAT(verdict.text, HasSubstr("; not beyond."));
}

TEST(Verdict, BadIsWorseThanTheMeanAndNotReliableAnywhere) {
  const auto poor = horizon(0.1, {1, 1}, {1e-3, 1});
  EXPECT_EQ(judge(scores(-0.1, {poor})).grade, Grade::bad);
  EXPECT_EQ(judge(scores(0.3, {poor})).grade, Grade::partial);
  Scores broken = scores(0, {poor});
  broken.acceleration = accelerations({INFINITY, INFINITY});
  broken.acceleration.not_positive = 3;
  const Verdict verdict = judge(broken);
  EXPECT_EQ(verdict.grade, Grade::bad);
  EXPECT_THAT(verdict.text, HasSubstr("not positive definite at 3 of 100 samples"));
  EXPECT_THAT(verdict.text, HasSubstr("no better than a guess"));
}

// Noise of a log can be most of what happens in a tenth of a second.
TEST(Verdict, AFirstHorizonThatIsHardToJudgeDoesNotHideTheOthers) {
  const auto first = horizon(0.1, {6e-4, 0.6}, {1e-3, 1}), good = horizon(0.5, {1e-3, 1}, {1, 90});
  auto later = good;
  later.seconds = 2.5;
  const Verdict verdict = judge(scores(0.86, {first, good, later}));
  EXPECT_EQ(verdict.grade, Grade::partial);
  EXPECT_EQ(verdict.reliable_until, 0);
  EXPECT_EQ(verdict.text,
            "It explains 86 % of the accelerations. Its short rollouts are hard to judge: "
            "after 0.1 s they are not within half the error of the better baseline, after 0.5 s to "
            "2.5 s they are.");
  EXPECT_THAT(judge(scores(0.86, {first, good, first})).text, HasSubstr(", after 0.5 s they are."));
}

TEST(Verdict, MotionThatNeverChangesAndRunsTooShortAreNoReasonToFail) {
  Scores still = scores(1, {});
  still.acceleration = still.acceleration_mean = accelerations({0, 0});
  EXPECT_EQ(judge(still).explained, 1);
  EXPECT_EQ(judge(still).grade, Grade::partial);
  EXPECT_THAT(judge(still).text, HasSubstr("too short for rollouts"));
}

}  // namespace
}  // namespace mechfit
