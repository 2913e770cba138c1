#include "mechfit/mechanics/families/arm/arm.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/model_family.h"
#include "mechfit/mechanics/point.h"
#include "tests/mechanics/door_check.h"
#include "tests/support/arms.h"

namespace mechfit {
namespace {

using testing::random_arm;

TEST(Arm, PullbacksAgreeWithFiniteDifferences) {
  Random random(5);
  for (const auto& kinematics : {testing::tree(), testing::dh_chain({{0, .3, 0}, {.2, 0, 1.5}})}) {
    const Arm arm = random_arm(kinematics, kinematics.n(), true, random);
    const auto s = testing::random_state(arm, random);
    testing::expect_door_derivatives(arm, s, 1e-7);
    testing::expect_lane_gradients(arm, s);
  }
}

TEST(Arm, MassMatrixIsPositiveDefiniteForAnyNumbers) {
  Random random(6);
  for (int trial = 0; trial < 20; ++trial) {
    Arm arm = random_arm(testing::panda(), 0, false, random);
    std::vector<double> theta(arm.parameters().begin(), arm.parameters().end());
    for (int k = 0; k < kLinkNumbers * 7; ++k) theta[k] = random.normal();
    arm.set_parameters(theta);
    auto w = arm.make_workspace();
    const AlignedVector q = testing::random_panel(7, random, 3);
    AlignedVector M = make_panel(49), G = make_panel(49);
    arm.mass(q.data(), M.data(), w);
    arm.factor(G.data(), w);
    for (int l = 0; l < kBlock; ++l) EXPECT_GT(G[48 * kBlock + l], 0);
  }
}

// 43 of 70 and 36 of 60, where the first axis is vertical.
TEST(Arm, CombinationsThatActOnTheMotionAreCounted) {
  Random random(10);
  EXPECT_EQ(base_parameter_count(random_arm(testing::panda(), 0, false, random)), 43);
  EXPECT_EQ(base_parameter_count(random_arm(testing::parallel_arm(), 0, false, random)), 36);
}

TEST(LinkInertia, NumbersAndBodyAreTheSameThing) {
  Random random(7);
  const Arm arm = random_arm(testing::panda(), 0, false, random);
  const LinkInertia body = arm.link(3), again = link_inertia(link_numbers(body));
  EXPECT_NEAR(again.mass, body.mass, 1e-13);
  EXPECT_TRUE(again.centre.isApprox(body.centre, 1e-12));
  EXPECT_TRUE(again.inertia.isApprox(body.inertia, 1e-12));
}

TEST(Arm, ItsPartOfAFileComesBackAndIsChecked) {
  Random random(9);
  const Arm arm = random_arm(testing::tree(), 2, true, random);
  Channels channels;
  channels.joints = {"a", "b", "c", "d"};
  channels.joint_types = arm.joint_types();
  channels.units.resize(4);
  channels.inputs = {"u1", "u2"};
  Safetensors file;
  arm.write(file);
  const Arm again = Arm::read(file, channels, "file");
  EXPECT_EQ(kinematics_text(again.config().kinematics), kinematics_text(arm.config().kinematics));
  EXPECT_EQ(again.config().scales, arm.config().scales);
  EXPECT_TRUE(std::equal(arm.parameters().begin(), arm.parameters().end(),
                         again.parameters().begin(), again.parameters().end()));
  std::get<std::vector<double>>(file.tensors.at("kinematics.axis").values)[2] = 7;
  EXPECT_THROW(Arm::read(file, channels, "file"), InputError);
}

// q of the geometry = -q_log + 0.4 for a joint that turns, and one that slides.
TEST(Kinematics, SignAndOffsetCountTheSameMachineOtherwise) {
  Random random(8);
  const Arm arm = random_arm(testing::tree(), 0, false, random);
  for (const int joint : {1, 2}) {
    ArmConfig config = arm.config();
    config.kinematics = with_sign_and_offset(config.kinematics, joint, -1, 0.4);
    Arm other(config);
    other.set_parameters(arm.parameters());
    const Model model(arm), other_model(other);
    PointDynamics dynamics(model), other_dynamics(other_model);
    std::vector<double> q(4), v(4), a(4), b(4);
    for (auto* x : {&q, &v})
      for (double& value : *x) value = random.uniform(-2, 2);
    ASSERT_TRUE(other_dynamics.acceleration(q, v, {}, b));
    q[joint] = 0.4 - q[joint];
    v[joint] = -v[joint];
    ASSERT_TRUE(dynamics.acceleration(q, v, {}, a));
    b[joint] = -b[joint];
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(a[i], b[i], 1e-9 * (1 + std::abs(a[i])));
  }
}

TEST(Kinematics, WrongGeometryIsRefused) {
  const auto message = [](ArmKinematics kinematics) -> std::string {
    try {
      check_kinematics(kinematics, "file");
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  ArmKinematics wrong = testing::panda();
  EXPECT_EQ(message(wrong), "");
  wrong.joints[2].parent = 2;
  EXPECT_EQ(message(wrong),
            "file: joint 3 'joint3': its parent is joint 3, expected one that comes before it");
  wrong = testing::panda();
  wrong.joints[0].axis = {0, 0, 2};
  EXPECT_EQ(message(wrong), "file: joint 1 'joint1': its axis has length 2, expected 1");
  wrong = testing::panda();
  wrong.joints[6].rotation[0] = 2;
  EXPECT_EQ(message(wrong), "file: joint 7 'joint7': its orientation is not a rotation");
  EXPECT_EQ(message({}), "file: no joints that move");
}

}  // namespace
}  // namespace mechfit
