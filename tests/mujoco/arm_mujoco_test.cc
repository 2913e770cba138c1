#include <gtest/gtest.h>

#include "mechfit/mechanics/families/arm/robot_file.h"
#include "mechfit/mechanics/point.h"
#include "tests/mujoco/arm_judge.h"
#include "tests/support/arms.h"
#include "tests/support/robots.h"

namespace mechfit {
namespace {

using testing::arm_xml;
using testing::load_mujoco;
using testing::make_data;

// Accelerations and inverse dynamics at 100 states, links drawn anew for each ten of them.
void expect_same_dynamics(const ArmKinematics& kinematics) {
  Random random(21);
  const int n = kinematics.n();
  for (int draw = 0; draw < 10; ++draw) {
    const Arm arm = testing::random_arm(kinematics, n, false, random);
    const testing::MujocoModel judge = load_mujoco(arm_xml(arm));
    const testing::MujocoData data = make_data(judge);
    const Model model(arm);
    PointDynamics dynamics(model);
    for (int trial = 0; trial < 10; ++trial) {
      std::vector<double> q(n), v(n), u(n), a(n), tau(n);
      for (auto* x : {&q, &v, &u})
        for (double& value : *x) value = random.uniform(-3, 3);
      std::copy(q.begin(), q.end(), data->qpos);
      std::copy(v.begin(), v.end(), data->qvel);
      std::copy(u.begin(), u.end(), data->qfrc_applied);
      mj_forward(judge.get(), data.get());
      ASSERT_TRUE(dynamics.acceleration(q, v, u, a));
      for (int i = 0; i < n; ++i)
        EXPECT_NEAR(a[i], data->qacc[i], 1e-8 * (1 + std::abs(a[i]))) << "joint " << i;
      for (int i = 0; i < n; ++i) a[i] = data->qacc[i] = random.uniform(-5, 5);
      mj_inverse(judge.get(), data.get());
      dynamics.inverse_dynamics(q, v, a, tau);
      for (int i = 0; i < n; ++i)
        EXPECT_NEAR(tau[i], data->qfrc_inverse[i], 1e-8 * (1 + std::abs(tau[i])));
    }
  }
}

TEST(ArmAgainstMujoco, PandaMovesTheSame) { expect_same_dynamics(testing::panda()); }
TEST(ArmAgainstMujoco, ArmOfParallelAxesMovesTheSame) {
  expect_same_dynamics(testing::parallel_arm());
}
TEST(ArmAgainstMujoco, TreeWithASlidingJointMovesTheSame) { expect_same_dynamics(testing::tree()); }

// Inverse dynamics of a file that both read, at 100 states.
void expect_same_file(const std::string& xml, double tolerance) {
  Random random(22);
  const testing::MujocoModel judge = load_mujoco(xml);
  const testing::MujocoData data = make_data(judge);
  ArmDescription robot = parse_mjcf(xml, "model.xml");
  for (LinkInertia& link : robot.links)  // between two joints of a body MuJoCo has no mass
    if (link.mass < 2e-3) link.mass *= 1e-9, link.inertia *= 1e-9;
  const int n = robot.kinematics.n();
  ASSERT_EQ(judge->nv, n);
  ArmConfig config;
  config.kinematics = robot.kinematics;
  config.joints.assign(n, JointType::periodic);
  Arm arm(config, robot.links);
  std::vector<double> theta(arm.parameters().begin(), arm.parameters().end());
  std::copy(robot.rotors.begin(), robot.rotors.end(), theta.begin() + kLinkNumbers * n);
  arm.set_parameters(theta);
  const Model model(arm);
  PointDynamics dynamics(model);
  std::vector<double> q(n), v(n), a(n), tau(n);
  for (int trial = 0; trial < 100; ++trial) {
    for (auto* x : {&q, &v, &a})
      for (double& value : *x) value = random.uniform(-3, 3);
    std::copy(q.begin(), q.end(), data->qpos);
    std::copy(v.begin(), v.end(), data->qvel);
    std::copy(a.begin(), a.end(), data->qacc);
    mj_inverse(judge.get(), data.get());
    dynamics.inverse_dynamics(q, v, a, tau);
    for (int i = 0; i < n; ++i)
      EXPECT_NEAR(tau[i], data->qfrc_inverse[i], tolerance * (1 + std::abs(tau[i])));
  }
}

TEST(ArmAgainstMujoco, AFileOfMujocosMovesTheSame) {
  Random random(32);
  for (const ArmKinematics& kinematics : {testing::panda(), testing::tree()})
    expect_same_file(arm_xml(testing::random_arm(kinematics, 0, false, random)), 1e-8);
}

// Angles in degrees, classes, every way to turn, several joints of a body with places of their own,
// a body fixed to another, zeros of joints elsewhere. MuJoCo finds principal axes to 1e-7.
TEST(ArmAgainstMujoco, AFileOfMujocosWithEverythingInItMovesTheSame) {
  expect_same_file(R"(<mujoco><compiler eulerseq="zyX" inertiafromgeom="false"/>
<option gravity="1 -2 -9"/>
<default><joint axis="0 1 0" armature="0.01"/>
 <default class="second"><joint axis="1 0 1" pos=".1 0 .02" ref="20"/></default></default>
<worldbody><body pos=".1 .2 .3" euler="10 20 -30"><joint/><joint class="second" type="slide"/>
 <inertial mass="2" pos=".1 .2 .3" diaginertia=".2 .3 .25" euler="40 0 10"/>
 <body pos="0 .1 .2" axisangle="1 2 3 50" childclass="second"><joint/>
  <inertial mass="1.5" pos="0 0 .1" fullinertia=".2 .3 .25 .01 -.02 .03"/>
  <body pos=".3 0 0" xyaxes="1 1 0 -1 1 .5"><inertial mass=".7" pos="0 0 .1" diaginertia=".1 .1 .1"/>
   <body pos="0 .2 0" zaxis="1 0 2"><joint axis="0 0 1"/>
    <inertial mass=".9" pos=".1 0 0" diaginertia=".02 .03 .03"/></body></body></body>
 <body quat="1 .2 .3 0"><joint pos="0 .1 0" ref="-15"/>
  <inertial mass=".9" pos=".1 0 0" diaginertia=".02 .03 .03"/></body>
</body></worldbody></mujoco>)",
                   1e-5);
}

// Both read the same file, a hand fixed to the last link in it. MuJoCo finds principal axes to
// 1e-7.
TEST(ArmAgainstMujoco, AUrdfMovesTheSame) {
  Random random(31);
  for (const ArmKinematics& kinematics : {testing::panda(), testing::parallel_arm()}) {
    const int n = kinematics.n();
    const std::string urdf = testing::urdf_of(testing::random_arm(kinematics, 0, false, random));
    const testing::MujocoModel judge = load_mujoco(urdf);
    const testing::MujocoData data = make_data(judge);
    ASSERT_EQ(judge->nv, n);
    ArmDescription robot = parse_urdf(urdf, "robot.urdf");
    std::copy_n(judge->opt.gravity, 3, robot.kinematics.gravity.begin());
    ArmConfig config;
    config.kinematics = robot.kinematics;
    config.joints.assign(n, JointType::periodic);
    const Model model(Arm(config, robot.links));
    PointDynamics dynamics(model);
    std::vector<double> q(n), v(n), a(n), tau(n);
    for (int trial = 0; trial < 100; ++trial) {
      for (auto* x : {&q, &v, &a})
        for (double& value : *x) value = random.uniform(-3, 3);
      std::copy(q.begin(), q.end(), data->qpos);
      std::copy(v.begin(), v.end(), data->qvel);
      std::copy(a.begin(), a.end(), data->qacc);
      mj_inverse(judge.get(), data.get());
      dynamics.inverse_dynamics(q, v, a, tau);
      for (int i = 0; i < n; ++i)
        EXPECT_NEAR(tau[i], data->qfrc_inverse[i], 1e-5 * (1 + std::abs(tau[i])));
    }
  }
}

}  // namespace
}  // namespace mechfit
