#include "mechfit/log/inspect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "mechfit/base/random.h"

namespace mechfit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
constexpr double kTurn = 2.0 * std::numbers::pi;

// One joint, q(t) at k h + jitter.
template <class Motion>
Log make_log(Motion q, int samples = 1000, double h = 0.01, double jitter = 0.0) {
  Random random(7);
  Log log;
  log.channels = {{"arm"}, {JointType::periodic}, {"rad"}, {}};
  Trajectory& run = log.runs.emplace_back();
  run.name = "a";
  for (int k = 0; k < samples; ++k) {
    run.t.push_back(k * h + random.uniform(0.0, 1.0) * jitter * h);
    run.q.push_back(q(run.t.back()));
  }
  return log;
}

double swing(double t) { return std::sin(kTurn * 1.3 * t); }

TEST(Inspect, ACleanLogHasNoWarning) {
  const Inspection result = inspect_log(make_log(swing));
  EXPECT_THAT(texts_of(result.warnings), IsEmpty());
  EXPECT_EQ(result.samples, 1000);
  EXPECT_NEAR(result.duration, 9.99, 1e-12);
  EXPECT_NEAR(result.step.median, 0.01, 1e-12);
  EXPECT_NEAR(result.joints[0].frequency, 1.3, 0.06);
  EXPECT_NEAR(result.joints[0].highest, 1.0, 1e-3);
  EXPECT_LT(result.joints[0].noise, 1e-6);
  EXPECT_EQ(result.joints[0].resolution, 0.0);
}

TEST(Inspect, FindsTheNoiseOnEvenAndUnevenSteps) {
  for (const double jitter : {0.0, 0.8}) {
    for (const double sd : {1e-3, 0.03}) {
      Random random(3);
      const Log log =
          make_log([&](double t) { return swing(t) + sd * random.normal(); }, 4000, 0.01, jitter);
      EXPECT_NEAR(estimate_noise(log, 0), sd, 0.1 * sd) << jitter;
    }
  }
}

TEST(Inspect, FindsTheResolutionOfADigitalSensor) {
  const Log log =
      make_log([](double t) { return 0.003 * std::round(swing(t) / 0.003); }, 4000, 0.001);
  const auto joint = inspect_log(log).joints[0];
  EXPECT_NEAR(joint.resolution, 0.003, 1e-9);
  EXPECT_GE(joint.noise, 0.003 / std::sqrt(12.0));
}

TEST(Inspect, WarnsOfACoarseSensor) {
  const Log log = make_log([](double t) { return 0.1 * std::round(swing(t) / 0.1); }, 4000, 0.001);
  EXPECT_THAT(texts_of(inspect_log(log).warnings),
              ElementsAre(HasSubstr("arm: values lie 0.1 apart and do not change in")));
}

TEST(Inspect, WarnsOfNoise) {
  Random random(3);
  const Log log = make_log([&](double t) { return swing(t) + 0.2 * random.normal(); });
  EXPECT_THAT(texts_of(inspect_log(log).warnings),
              ElementsAre(HasSubstr("of the motion's spread")));
}

TEST(Inspect, WarnsOfAJointThatNeverMovesAndAnInputThatNeverChanges) {
  Log log = make_log([](double) { return 0.5; });
  log.channels.inputs = {"motor"};
  log.runs[0].u.assign(1000, 2.0);
  EXPECT_THAT(texts_of(inspect_log(log).warnings),
              ElementsAre(HasSubstr("arm: never moves"),
                          HasSubstr("motor: never changes, its effect cannot be learned")));
}

TEST(Inspect, WarnsOfWrappingInAPlainJoint) {
  Log log = make_log([](double t) { return std::remainder(3.0 * t, kTurn); });
  log.channels.joint_types = {JointType::plain};
  EXPECT_THAT(
      texts_of(inspect_log(log).warnings),
      ElementsAre(
          "arm: looks like an angle cut to one turn (option 'joint_types' periodic unwraps it)"));
}

TEST(Inspect, WarnsOfDegrees) {
  Log log = make_log([](double t) { return 57.3 * swing(t); });
  log.channels.units = {""};
  EXPECT_THAT(texts_of(inspect_log(log).warnings),
              ElementsAre(HasSubstr("degrees? (option 'degrees')")));
  Log wrapped = make_log([](double t) { return std::remainder(100.0 * t, 360.0); });
  wrapped.channels.units = {""};
  EXPECT_THAT(texts_of(inspect_log(wrapped).warnings),
              ElementsAre("arm: looks like degrees cut to one turn (option 'degrees' with option "
                          "'joint_types' periodic)"));
}

TEST(Inspect, AJointThatTurnsIsNotAskedForDegrees) {
  for (const double turns : {5.0, 40.0}) {
    Log log = make_log([&](double t) { return swing(t) + turns * kTurn * t / 10; });
    log.channels.units = {""};
    EXPECT_THAT(texts_of(inspect_log(log).warnings), IsEmpty());
  }
  Log there_and_back = make_log([](double t) { return 5 * kTurn * std::sin(0.3 * t); });
  there_and_back.channels.units = {""};
  EXPECT_THAT(texts_of(inspect_log(there_and_back).warnings), IsEmpty());
}

TEST(Inspect, WarnsOfJointsAndInputsThatWereLeftOut) {
  Log log = make_log(swing);
  log.channels.unused = {"x_m", "x_ref_m", "dth_rad_s", "comment", "tau1"};
  EXPECT_THAT(texts_of(inspect_log(log).warnings),
              ElementsAre(HasSubstr("column 'x_m' looks like a joint and is not used"),
                          HasSubstr("'tau1' may drive the machine")));
  log.channels.unused = {"force", "push_N", "elbow [Nm]", "f_ref_N", "size_nm", "N"};
  EXPECT_THAT(texts_of(inspect_log(log).warnings),
              ElementsAre(HasSubstr("'force', 'push_N', 'elbow [Nm]' may drive the machine")));
}

TEST(Inspect, WarnsOfOddClocksRepeatedRunsAndDifferentRates) {
  EXPECT_THAT(
      texts_of(inspect_log(make_log([](double t) { return swing(t / 500); }, 1000, 5.0)).warnings),
      ElementsAre(HasSubstr("does the clock count seconds?")));
  Log twice = make_log(swing);
  twice.runs.push_back(twice.runs[0]);
  twice.runs[1].name = "b";
  EXPECT_THAT(texts_of(inspect_log(twice).warnings),
              ElementsAre("run 'b' from run b at 0 s on repeats run 'a': a fit leaves it out"));
  Log rates = make_log(swing);
  rates.runs.push_back(make_log(swing, 300, 0.05).runs[0]);
  EXPECT_THAT(texts_of(inspect_log(rates).warnings),
              ElementsAre(HasSubstr("different rates, every 0.01 to 0.05 s")));
}

TEST(Inspect, WarningsComeInTheOrderOfHarm) {
  Log log = make_log([](double t) { return 57.3 * swing(t); });
  log.channels.units = {""};
  log.channels.unused = {"x_m"};
  log.channels.inputs = {"motor"};
  log.runs[0].u.assign(1000, 2.0);
  const auto warnings = inspect_log(log).warnings;
  ASSERT_EQ(warnings.size(), 3u);
  EXPECT_EQ(warnings[0].kind, WarningKind::left_out);
  EXPECT_EQ(warnings[1].kind, WarningKind::degrees);
  EXPECT_EQ(warnings[2].kind, WarningKind::still_input);
}

TEST(Inspect, WarnsOfSlowSampling) {
  EXPECT_THAT(texts_of(inspect_log(make_log(swing, 200, 0.1)).warnings),
              ElementsAre(HasSubstr("samples per period of its main motion")));
}

TEST(Inspect, WarnsOfUnevenStepsMissingSamplesAndShortRuns) {
  Log log = make_log(swing, 1000, 0.01, 0.6);
  EXPECT_THAT(texts_of(inspect_log(log).warnings),
              ElementsAre(HasSubstr("differ from the median")));
  Log missing = make_log(swing);
  missing.runs[0].t.erase(missing.runs[0].t.begin() + 500, missing.runs[0].t.begin() + 505);
  missing.runs[0].q.erase(missing.runs[0].q.begin() + 500, missing.runs[0].q.begin() + 505);
  EXPECT_THAT(texts_of(inspect_log(missing).warnings),
              ElementsAre(HasSubstr("samples are missing")));
  Log brief = make_log(swing);
  brief.runs.push_back(make_log(swing, 5).runs[0]);
  EXPECT_THAT(texts_of(inspect_log(brief).warnings),
              ElementsAre(HasSubstr("1 of 2 runs have fewer than 20 samples")));
}

}  // namespace
}  // namespace mechfit
