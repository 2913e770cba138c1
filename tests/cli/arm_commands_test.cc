#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mechfit/files/json.h"
#include "mechfit/mechanics/families/arm/robot_file.h"
#include "mechfit/mechanics/model_file.h"
#include "tests/cli/program.h"
#include "tests/support/arms.h"
#include "tests/support/robots.h"

namespace mechfit {
namespace {

using ::testing::HasSubstr;

ModelRecord record_of(const Arm& arm) {
  ModelRecord record{Model(arm), {}, {{"method", "by hand"}}};
  const std::size_t p = arm.parameter_count();
  for (const ArmJoint& joint : arm.config().kinematics.joints) {
    record.channels.joints.push_back("q_" + joint.name);
    record.channels.units.emplace_back("rad");
    record.channels.inputs.push_back("tau_" + joint.name);
  }
  record.channels.joint_types = arm.joint_types();
  record.covariance.assign(p * p, 0.0);
  for (std::size_t k = 0; k < p; ++k) record.covariance[k * (p + 1)] = 1e-8;
  return record;
}

TEST(ExportCommand, FillsADescriptionWithWhatWasIdentified) {
  const ScratchFolder scratch("identified");
  Random random(1);
  const Arm described = testing::random_arm(testing::panda(), 0, false, random);
  const Arm fitted = testing::random_arm(testing::panda(), 7, true, random);
  save_model(scratch.file("arm.safetensors"), record_of(fitted), false);
  write_file_atomically(scratch.file("robot.urdf"), testing::urdf_of(described));
  const std::string command = "export '" + scratch.file("arm.safetensors") + "' --robot '" +
                              scratch.file("robot.urdf") + "' -o '";
  const Finished told = run_mechfit(command + scratch.file("identified.urdf") + "'");
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_THAT(told.out + told.err, HasSubstr("joint1: the torques tell"));
  EXPECT_THAT(told.out + told.err, HasSubstr("has no place in URDF"));
  const ArmDescription again = read_robot(scratch.file("identified.urdf"));
  for (int i = 0; i < 7; ++i) EXPECT_NEAR(again.links[i].mass, fitted.link(i).mass, 1e-8);

  const Finished other = run_mechfit(command + scratch.file("model.h") + "'");
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("ends in .urdf"));
  write_file_atomically(scratch.file("robot.urdf"),
                        testing::urdf_of(testing::random_arm(testing::tree(), 0, false, random)));
  const Finished wrong = run_mechfit(command + scratch.file("wrong.urdf") + "'");
  EXPECT_EQ(wrong.code, 1);
  EXPECT_THAT(wrong.err, HasSubstr("robot.urdf"));
}

TEST(PayloadCommand, TellsWhatTheSecondArmCarries) {
  const ScratchFolder scratch("payload");
  Random random(2);
  const Arm empty = testing::random_arm(testing::panda(), 7, true, random);
  LinkInertia load;
  load.mass = 1.5;
  load.centre = {0.05, -0.03, 0.12};
  load.inertia = 1e-2 * Eigen::Matrix3d::Identity();
  std::vector<double> theta(empty.parameters().begin(), empty.parameters().end());
  const auto numbers = link_numbers(joined(empty.link(6), load));
  std::copy(numbers.begin(), numbers.end(), theta.begin() + 6 * kLinkNumbers);
  Arm loaded = empty;
  loaded.set_parameters(theta);
  save_model(scratch.file("empty.safetensors"), record_of(empty), false);
  save_model(scratch.file("loaded.safetensors"), record_of(loaded), false);
  const std::string files =
      "'" + scratch.file("empty.safetensors") + "' '" + scratch.file("loaded.safetensors") + "'";
  const Finished json = run_mechfit("payload --json " + files);
  ASSERT_EQ(json.code, 0) << json.err;
  const auto out = parse_json<nlohmann::json>(json.out);
  EXPECT_EQ(out["link"], "joint7");
  EXPECT_NEAR(out["mass"]["value"].get<double>(), 1.5, 1e-6);
  EXPECT_NEAR(out["centre_z"]["value"].get<double>(), 0.12, 1e-6);
  EXPECT_GT(out["mass"]["error"].get<double>(), 0);
  const Finished text = run_mechfit("payload " + files);
  EXPECT_THAT(text.out, HasSubstr("Load at joint7"));
  const Finished unknown = run_mechfit("payload --link hand " + files);
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("expected one of joint1"));
}

}  // namespace
}  // namespace mechfit
