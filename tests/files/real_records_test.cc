#include <gtest/gtest.h>

#include "mechfit/files/read_log.h"
#include "mechfit/log/inspect.h"
#include "tests/support/shared_data.h"

// Records of real machines, when they are at hand, load with the flags a user would give.
namespace mechfit {
namespace {

using testing::shared_data;

TEST(RealRecords, DoublePendulum) {
  const std::string folder = shared_data("double_pendulum_real");
  if (folder.empty()) GTEST_SKIP() << "the records are not here";
  ReadOptions options;
  options.qd = {"dth1_rad_s", "dth2_rad_s"};
  const auto result = read_log({folder + "/*.csv"}, options);
  EXPECT_EQ(result.log.runs.size(), 13u);
  EXPECT_EQ(result.log.channels.joints, (std::vector<std::string>{"th1", "th2"}));
  EXPECT_EQ(result.log.channels.units, (std::vector<std::string>{"rad", "rad"}));
  EXPECT_EQ(result.log.runs[0].qd.size(), result.log.runs[0].q.size());
  const auto inspection = inspect_log(result.log);
  EXPECT_TRUE(inspection.warnings.empty());
  EXPECT_NEAR(inspection.step.median, 1e-3, 1e-6);
  EXPECT_NEAR(inspection.joints[0].frequency, 1.4, 0.4);
}

TEST(RealRecords, PositioningSystem) {
  const std::string folder = shared_data("emps");
  if (folder.empty()) GTEST_SKIP() << "the records are not here";
  ReadOptions options;
  options.time = "t_s";
  options.q = {"q_m"};
  options.u = {"force_N"};
  const auto result = read_log({folder + "/train.csv", folder + "/test.csv"}, options);
  EXPECT_EQ(result.log.runs.size(), 2u);
  EXPECT_EQ(result.log.channels.joint_types[0], JointType::plain);
  const auto inspection = inspect_log(result.log);
  EXPECT_TRUE(inspection.warnings.empty());
  EXPECT_NEAR(inspection.joints[0].highest, 0.246, 0.001);
  EXPECT_GT(inspection.inputs[0].highest, 100.0);
}

TEST(RealRecords, RotaryPendulum) {
  const std::string folder = shared_data("furuta");
  if (folder.empty()) GTEST_SKIP() << "the records are not here";
  ReadOptions options;
  options.joint_types = {JointType::plain, JointType::periodic};
  const auto result = read_log({folder + "/*.csv"}, options);
  EXPECT_EQ(result.log.runs.size(), 6u);
  EXPECT_EQ(result.log.channels.inputs, (std::vector<std::string>{"u_V"}));
  const auto inspection = inspect_log(result.log);
  // Encoders of 2048 counts per turn.
  for (const auto& joint : inspection.joints) EXPECT_NEAR(joint.resolution, 0.003068, 2e-6);
}

TEST(RealRecords, SimulatedDoublePendulum) {
  const std::string folder = shared_data("paper");
  if (folder.empty()) GTEST_SKIP() << "the records are not here";
  for (const double sd : {0.05, 0.1, 0.4}) {
    ReadOptions options;
    const std::string suffix = sd == 0.05 ? "_0.05" : sd == 0.1 ? "_0.1" : "_0.4";
    options.q = {"y1" + suffix, "y2" + suffix};
    const auto log = read_log({folder + "/undamped_observed.csv"}, options).log;
    EXPECT_EQ(log.runs.size(), 16u);
    EXPECT_EQ(log.samples(), 16 * 202);
    EXPECT_NEAR(inspect_log(log).joints[1].noise, sd, 0.15 * sd);
  }
}

}  // namespace
}  // namespace mechfit
