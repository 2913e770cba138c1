#include "mechfit/mechanics/model_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mechfit/files/files.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "tests/support/scratch_folder.h"

namespace mechfit {
namespace {

using ::testing::ElementsAre;

TEST(ReadLogFor, PutsJointsOfTheSameNamesInTheModelsOrder) {
  const AnalyticSystem system = make_system("cart-pole", kDefaultJoints);
  ModelRecord record{Model(system), {}, {}};
  record.channels.inputs = {"force"};
  record.channels.joints = {"x", "theta"};
  record.channels.units = {"m", "rad"};
  record.channels.joint_types = {JointType::plain, JointType::periodic};
  const ScratchFolder scratch("model_log");
  const std::string file = scratch.file("log.csv");
  // An angle that was cut to one turn: unwrapped only where theta is known to be the periodic one
  write_file_atomically(file, "t,theta_rad,x_m,u\n0,3,0.1,0\n0.1,3.1,0.2,0\n0.2,-3.1,0.3,0\n");
  const Log log = read_log_for(record, {file}).log;
  EXPECT_THAT(log.channels.joints, ElementsAre("x", "theta"));
  EXPECT_THAT(log.channels.joint_types, ElementsAre(JointType::plain, JointType::periodic));
  EXPECT_THAT(log.channels.units, ElementsAre("m", "rad"));
  EXPECT_EQ(log.runs[0].q[2], 0.2);
  EXPECT_EQ(log.runs[0].q[3], 3.1);
  EXPECT_NEAR(log.runs[0].q[5], 2 * 3.14159265358979 - 3.1, 1e-12);
}

}  // namespace
}  // namespace mechfit
