#include "mechfit/log/prepare.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numbers>

#include "mechfit/base/random.h"

namespace mechfit {
namespace {

using Values = std::vector<double>;
constexpr double kTurn = 2.0 * std::numbers::pi;

Log one_joint(const Values& t, const Values& q, const std::string& unit = "") {
  Log log;
  log.channels.joints = {"q1"};
  log.channels.units = {unit};
  log.runs.emplace_back();
  log.runs[0].name = "a";
  log.runs[0].t = t;
  log.runs[0].q = q;
  return log;
}

std::vector<std::string> prepare(Log& log, const ReadOptions& options = {}) {
  std::vector<std::string> notes;
  prepare_log(log, options, notes);
  return notes;
}

Values grid(int count, double h) {
  Values t;
  for (int k = 0; k < count; ++k) t.push_back(k * h);
  return t;
}

RC_GTEST_PROP(Prepare, AWrappedRotationComesBackWhole, (std::uint64_t seed)) {
  Random random(seed);
  const double lowest = random.below(2) == 0 ? 0.0 : -0.5 * kTurn;
  Values q, wrapped;
  double angle = random.uniform(-3.0, 3.0), speed = random.uniform(-0.3, 0.3);
  for (int k = 0; k < 400; ++k) {
    q.push_back(angle);
    wrapped.push_back(angle - kTurn * std::floor((angle - lowest) / kTurn));
    angle += speed;
    speed = std::clamp(speed + random.uniform(-0.05, 0.05), -0.4, 0.4);
  }
  Log log = one_joint(grid(400, 0.01), wrapped);
  prepare(log);
  const double offset = log.runs[0].q[0] - q[0];
  for (std::size_t k = 0; k < q.size(); ++k)
    RC_ASSERT(std::abs(log.runs[0].q[k] - q[k] - offset) < 1e-9);
}

TEST(Prepare, TellsOfUnwrapping) {
  Values q;
  for (int k = 0; k < 100; ++k) q.push_back(std::remainder(0.2 * k, kTurn));
  Log log = one_joint(grid(100, 0.01), q);
  const auto notes = prepare(log);
  EXPECT_EQ(notes.back(), "q1: unwrapped 3 jumps of a turn in 1 run");
  EXPECT_NEAR(log.runs[0].q.back(), 0.2 * 99, 1e-12);
}

TEST(Prepare, NoiseThatJumpsHalfATurnIsNotWrapping) {
  Values q(50, 0.0);
  q[20] = 1.7;
  q[21] = -1.7;
  Log log = one_joint(grid(50, 0.1), q);
  const auto notes = prepare(log);
  EXPECT_EQ(log.runs[0].q, q);
  EXPECT_EQ(notes.back(), "q1: left 1 step of more than half a turn, not taken for wrapping");
}

TEST(Prepare, PlainJointsAreNeverUnwrapped) {
  Values q;
  for (int k = 0; k < 100; ++k) q.push_back(std::remainder(0.2 * k, kTurn));
  Log log = one_joint(grid(100, 0.01), q, "m");
  prepare(log);
  EXPECT_EQ(log.runs[0].q, q);
}

TEST(Prepare, DegreesBecomeRadiansWithTheirDerivatives) {
  Log log = one_joint({0, 1, 2}, {180, 90, 45}, "deg");
  log.runs[0].qd = {360, 0, 180};
  const auto notes = prepare(log);
  EXPECT_EQ(notes.front(), "degrees converted to radians: q1");
  EXPECT_EQ(log.channels.units[0], "rad");
  EXPECT_DOUBLE_EQ(log.runs[0].q[0], std::numbers::pi);
  EXPECT_DOUBLE_EQ(log.runs[0].qd[0], kTurn);
}

TEST(Prepare, TheDegreesFlagLeavesJointsWithAUnitAlone) {
  ReadOptions options;
  options.degrees = true;
  Log metres = one_joint({0, 1, 2}, {1, 2, 3}, "m"), bare = one_joint({0, 1, 2}, {1, 2, 3});
  prepare(metres, options);
  prepare(bare, options);
  EXPECT_EQ(metres.runs[0].q, (Values{1, 2, 3}));
  EXPECT_DOUBLE_EQ(bare.runs[0].q[2], 3 * std::numbers::pi / 180);
}

TEST(Prepare, SplitsRunsAtGapsAndLeavesOutShortPieces) {
  Values t = grid(10, 0.1);
  for (const double more : {5.0, 5.1, 20.0, 20.1, 20.2}) t.push_back(more);
  Values q;
  for (std::size_t k = 0; k < t.size(); ++k) q.push_back(0.01 * static_cast<double>(k));
  Log log = one_joint(t, q);
  log.channels.inputs = {"u1"};
  log.runs[0].u = q;
  const auto notes = prepare(log);
  ASSERT_EQ(log.runs.size(), 2u);
  EXPECT_EQ(log.runs[0].name, "a.1");
  EXPECT_EQ(log.runs[0].size(), 10);
  EXPECT_EQ(log.runs[1].name, "a.3");
  EXPECT_EQ(log.runs[1].t, (Values{20.0, 20.1, 20.2}));
  EXPECT_EQ(log.runs[1].u, (Values(q.end() - 3, q.end())));
  EXPECT_EQ(
      notes[1],
      "run 'a' split at 2 gaps, the first before run a at 5 s: the motion does not bridge 14.9 s "
      "(option 'gap')");
  EXPECT_EQ(notes[2], "left out 1 run of fewer than three samples");
}

TEST(Prepare, GapZeroNeverSplits) {
  Log log = one_joint({0, 1, 2, 3, 1000}, {0, 0, 0, 0, 0});
  ReadOptions options;
  options.gap = 0.0;
  prepare(log, options);
  EXPECT_EQ(log.runs.size(), 1u);
}

TEST(Prepare, LengthsArePlainAndTheRestPeriodicUnlessTold) {
  Log metres = one_joint({0, 1, 2}, {0, 0, 0}, "mm"), bare = one_joint({0, 1, 2}, {0, 0, 0});
  prepare(metres);
  prepare(bare);
  EXPECT_EQ(metres.channels.joint_types[0], JointType::plain);
  EXPECT_EQ(bare.channels.joint_types[0], JointType::periodic);
  ReadOptions options;
  options.joint_types = {JointType::plain};
  Log told = one_joint({0, 1, 2}, {0, 0, 0});
  prepare(told, options);
  EXPECT_EQ(told.channels.joint_types[0], JointType::plain);
}

}  // namespace
}  // namespace mechfit
