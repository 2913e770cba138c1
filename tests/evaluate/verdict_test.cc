#include "mechfit/evaluate/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace mechfit {
namespace {

using ::testing::ElementsAre;
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

// A slow joint in metres beside a fast one in radians, both off by `error` of their accelerations.
Scores scores(double error, std::vector<HorizonScore> horizons) {
  Scores s;
  s.samples = 100;
  s.units = {{1e-3, 1}, {1e-3, 10}};
  s.acceleration = accelerations({1e-6 * error * error, 100 * error * error});
  s.acceleration_mean = accelerations({1e-6, 100});
  s.rollout.horizons = std::move(horizons);
  s.parts = {quality_of(s)};
  return s;
}

TEST(Verdict, GoodNeedsAccelerationsAndShortRollouts) {
  const auto first = horizon(0.1, {1e-5, 0.01}, {1e-3, 1}),
             second = horizon(1, {1, 1e3}, {10, 1e4});
  const Verdict good = judge(scores(0.1, {first, second}));
  EXPECT_EQ(good.grade, Grade::good);
  EXPECT_NEAR(good.explained, 0.99, 1e-12);
  EXPECT_EQ(good.reliable_until, 1);
  EXPECT_EQ(good.words, "a good model");
  EXPECT_EQ(good.good_for,
            "It predicts accelerations within 10 % and rollouts up to 1 s within 10 % of the "
            "motion, the longest time that was tried.");
  EXPECT_EQ(judge(scores(0.3, {first})).grade, Grade::usable);
  // The third horizon still counts, later ones do not.
  const auto lost = horizon(2.5, {1, 1e3}, {2, 2e3});
  EXPECT_EQ(judge(scores(0.1, {first, second, lost})).grade, Grade::usable);
  const auto third = horizon(2, {1, 1e3}, {10, 1e4});
  EXPECT_EQ(judge(scores(0.1, {first, second, third, lost})).grade, Grade::good);
}

TEST(Verdict, HalfTheBaselinesErrorIsUsableAndNeverGood) {
  const auto half = horizon(0.1, {0.49e-3, 0.49}, {1e-3, 1});
  const Verdict verdict = judge(scores(0.49, {half, horizon(1, {1, 1e3}, {1, 1e3})}));
  EXPECT_EQ(verdict.grade, Grade::usable);
  EXPECT_EQ(verdict.reliable_until, 0.1);
  EXPECT_EQ(verdict.words, "a model that is usable up to 0.1 s");
  EXPECT_EQ(judge(scores(0.1, {half})).grade, Grade::usable);
}

TEST(Verdict, WhereEveryJointIsDrivenTorquesDecide) {
  const auto fine = horizon(0.1, {1e-5, 0.01}, {1e-3, 1});
  Scores s = scores(0.1, {fine});
  s.torque.joints = {0};  // the other joint is passive: the motion decides
  s.torque.overall = 0.9;
  s.torque.friction_overall = 0.95;
  EXPECT_EQ(judge(s).grade, Grade::good);
  s.torque.joints = {0, 1};  // a heavy M: accelerations and rollouts look good
  EXPECT_EQ(judge(s).grade, Grade::unusable);
  EXPECT_EQ(judge(s).words, "not a usable model");
  EXPECT_THAT(judge(s).good_for, HasSubstr("It predicts torques within 95 % of their spread."));
  s.torque.overall = 0.1;
  EXPECT_EQ(judge(s).words, "a usable model");
  Scores slow = scores(0.9, {horizon(0.1, {1, 1}, {1e-3, 1})});
  slow.torque = s.torque;
  slow.torque.overall = 0.01;
  EXPECT_EQ(judge(slow).grade, Grade::good);
  EXPECT_EQ(judge(slow).words, "a good model of the torques");
  slow.torque.friction_overall = 0.005;
  EXPECT_THAT(judge(slow).good_for, HasSubstr("no better than friction of each joint alone"));
}

TEST(Verdict, AModelThatExplainsNothingIsNotUsable) {
  const auto fine = horizon(0.1, {1e-5, 0.01}, {1e-3, 1}), poor = horizon(0.1, {1, 1}, {1e-3, 1});
  const Verdict verdict = judge(scores(1.1, {fine}));
  EXPECT_EQ(verdict.grade, Grade::unusable);
  EXPECT_EQ(verdict.words, "not a usable model");
  EXPECT_THAT(verdict.good_for, HasSubstr("no better than predicting none"));
  EXPECT_EQ(judge(scores(0.1, {poor})).grade, Grade::unusable);
  Scores broken = scores(0.1, {fine});
  broken.acceleration.not_positive = 3;
  EXPECT_EQ(judge(broken).grade, Grade::unusable);
  EXPECT_THAT(judge(broken).good_for, HasSubstr("not positive definite at 3 of 100 samples"));
}

TEST(Verdict, BeforeTheFirstHorizonThatCanBeJudgedAccelerationsDecide) {
  HorizonScore hidden = horizon(0.1, {1e-2, 9}, {1e-3, 1});
  hidden.judgeable = false;
  const auto fine = horizon(1, {1e-5, 0.01}, {1e-3, 1});
  EXPECT_EQ(judge(scores(0.1, {hidden, fine})).grade, Grade::good);
  EXPECT_EQ(judge(scores(0.4, {hidden, fine})).reliable_until, 1);
  EXPECT_EQ(judge(scores(0.7, {hidden, fine})).grade, Grade::unusable);
  const Verdict blind = judge(scores(0.1, {hidden}));
  EXPECT_EQ(blind.grade, Grade::usable);
  EXPECT_THAT(blind.good_for, HasSubstr("noise hides"));
  // What cannot be judged later on neither helps nor harms.
  EXPECT_EQ(judge(scores(0.1, {fine, hidden})).reliable_until, 1);
}

TEST(Verdict, WhatTheStartMakesIsNotTheModelsFault) {
  HorizonScore score = horizon(0.1, {0.3e-3, 0.3}, {1e-3, 1});
  score.variational_observed.joint = score.variational.joint;
  score.velocity_observed.joint = score.stay_observed.joint = {1e-3, 1};
  EXPECT_EQ(judge(scores(0.1, {score})).grade, Grade::usable);
  score.start.joint = {0.29e-3, 0.29};
  EXPECT_EQ(judge(scores(0.1, {score})).grade, Grade::good);
  EXPECT_THAT(judge(scores(0.1, {score})).good_for, HasSubstr("within 30 % of the motion"));
  // A start that is all but unknown tells nothing.
  score.start.joint = {0.6e-3, 0.6};
  EXPECT_FALSE(scores(0.1, {score}).parts[0].horizons[0].judgeable);
  score.start.joint = {};
  score.chance2 = {0.03e-6, 0.03};  // two standard errors
  EXPECT_EQ(judge(scores(0.1, {score})).grade, Grade::good);
  score.chance2 = {0.2e-6, 0.2};
  EXPECT_FALSE(scores(0.1, {score}).parts[0].horizons[0].judgeable);
}

TEST(Verdict, AJointThatRestsCountsByWhatItDidWhenTheModelWasFitted) {
  Scores s = scores(0.1, {});
  s.acceleration = accelerations({1e-14, 1});  // the first hardly moves here, and is all wrong
  s.acceleration_mean = accelerations({1e-14, 100});
  s.parts = {quality_of(s)};
  EXPECT_NEAR(s.parts[0].relative(), 0.1, 1e-6);
  EXPECT_EQ(judge(s).grade, Grade::good);
}

TEST(Verdict, PartsAreAddedUp) {
  const auto fine = horizon(0.1, {1e-5, 0.01}, {1e-3, 1}), poor = horizon(0.1, {1, 1e3}, {1, 1e3});
  Scores s = scores(0.1, {fine});
  const Scores other = scores(0.7, {poor});
  s.parts.push_back(other.parts[0]);
  const Quality all = pooled(s.parts);
  EXPECT_NEAR(all.relative(), std::sqrt((0.01 + 0.49) / 2), 1e-12);
  EXPECT_NEAR(all.horizons[0].relative(), 1, 1e-3);
  EXPECT_EQ(judge(s).grade, Grade::unusable);
  EXPECT_THAT(judge(s).limits, ElementsAre(HasSubstr("differs between parts of the log")));
  EXPECT_THAT(judge(s).advice, ElementsAre("More runs would help."));
}

TEST(Verdict, ErrorsInTheObservationsCountWhereTheyWereLookedAt) {
  HorizonScore score = horizon(0.1, {9e-4, 0.9}, {1e-3, 1});
  score.variational_observed.joint = {1e-5, 0.01};
  score.velocity_observed.joint = score.stay_observed.joint = {1e-3, 1};
  Scores seen = scores(0.9, {score});  // by smoothed accelerations
  EXPECT_EQ(judge(seen).grade, Grade::unusable);
  seen.model_error = ModelError();
  seen.model_error->joint = {1e-4, 0.5};
  seen.model_error->acceleration = {1e-3, 10};
  seen.model_error->runs = 1;
  seen.parts = {quality_of(seen)};
  EXPECT_NEAR(judge(seen).explained, 1 - (0.01 + 0.0025) / 2, 1e-12);
  EXPECT_EQ(judge(seen).grade, Grade::good);
}

// Errors of one joint that go with its velocity, or with an input, have a name.
TEST(Verdict, SaysWhatTheErrorsGoWith) {
  Scores s = scores(0.4, {});
  ModelError error;
  error.joint = {0.4};
  error.acceleration = {1};
  error.seen = 1;
  error.runs = 1;
  error.motion.channels = {{"arm"}, {JointType::plain}, {"rad"}, {"motor"}};
  Trajectory run;
  std::vector<double> residual;
  for (int k = 0; k < 200; ++k) {
    run.t.push_back(0.01 * k);
    run.q.push_back(std::sin(0.3 * k));
    run.qd.push_back(std::cos(0.3 * k));
    run.qdd.push_back(-std::sin(0.3 * k));
    run.u.push_back(std::sin(1.7 * k));
    residual.push_back(0.5 * run.qd.back());
  }
  error.motion.runs = {run};
  error.residual = error.drawn = {residual};
  s.units = {{1}, {1}};
  s.model_error = error;
  EXPECT_THAT(judge(s).limits, ElementsAre("The error of arm goes with its velocity: its friction "
                                           "is not understood."));
  for (int k = 0; k < 200; ++k) s.model_error->residual[0][k] = 0.5 * run.u[k];
  EXPECT_THAT(judge(s).limits, ElementsAre("The error of arm goes with the input motor."));
  s.outside = 0.3;
  EXPECT_THAT(judge(s).limits[0], HasSubstr("30 % of the samples lie outside"));
}

TEST(Verdict, MotionThatNeverChangesAndRunsTooShortAreNoReasonToFail) {
  Scores still = scores(1, {});
  still.acceleration = still.acceleration_mean = accelerations({0, 0});
  still.parts = {quality_of(still)};
  EXPECT_EQ(judge(still).explained, 1);
  EXPECT_EQ(judge(still).grade, Grade::good);
  EXPECT_THAT(judge(still).good_for, HasSubstr("too short for rollouts"));
}

}  // namespace
}  // namespace mechfit
