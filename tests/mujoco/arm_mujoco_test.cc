#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <Eigen/Geometry>
#include <cstring>
#include <memory>

#include "mechfit/mechanics/families/arm/arm_geometry.h"
#include "mechfit/mechanics/families/arm/robot_file.h"
#include "mechfit/mechanics/point.h"
#include "tests/support/arms.h"
#include "tests/support/robots.h"

namespace mechfit {
namespace {

std::string body_xml(const Arm& arm, int i) {
  const ArmJoint& joint = arm.config().kinematics.joints[i];
  const LinkInertia link = arm.link(i);
  const Eigen::Quaterniond turn(matrix3(joint.rotation));
  // Principal axes found here: those that MuJoCo finds are right to 1e-7 only.
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(link.inertia);
  Eigen::Matrix3d axes = principal.eigenvectors();
  if (axes.determinant() < 0) axes.col(0) *= -1;
  const Eigen::Quaterniond own(axes);
  const Eigen::Vector3d I = principal.eigenvalues();
  std::string xml = fmt::format(
      R"(<body pos="{:.17g}" quat="{:.17g} {:.17g} {:.17g} {:.17g}">
         <joint type="{}" axis="{:.17g}" armature="{:.17g}"/>
         <inertial mass="{:.17g}" pos="{:.17g} {:.17g} {:.17g}"
         diaginertia="{:.17g} {:.17g} {:.17g}" quat="{:.17g} {:.17g} {:.17g} {:.17g}"/>)",
      fmt::join(joint.place, " "), turn.w(), turn.x(), turn.y(), turn.z(),
      joint.kind == JointKind::revolute ? "hinge" : "slide", fmt::join(joint.axis, " "),
      arm.rotor(i), link.mass, link.centre[0], link.centre[1], link.centre[2], I[0], I[1], I[2],
      own.w(), own.x(), own.y(), own.z());
  for (int k = i + 1; k < arm.joints(); ++k)
    if (arm.config().kinematics.joints[k].parent == i) xml += body_xml(arm, k);
  return xml + "</body>";
}

mjModel* load(const std::string& xml) {
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), "model.xml", static_cast<int>(xml.size()));
  std::memcpy(files->filedata[0], xml.data(), xml.size());
  char error[1000] = "";
  mjModel* model = mj_loadXML("model.xml", files.get(), error, sizeof error);
  mj_deleteVFS(files.get());
  if (model == nullptr) throw std::runtime_error(std::string(error) + "\n" + xml);
  return model;
}

// Children follow their parents depth first, as the geometries of arms.h do.
std::string arm_xml(const Arm& arm) {
  std::string xml = fmt::format(
      R"(<mujoco><compiler angle="radian" inertiafromgeom="false"/>
         <option gravity="{:.17g}"/><worldbody>)",
      fmt::join(arm.config().kinematics.gravity, " "));
  for (int i = 0; i < arm.joints(); ++i)
    if (arm.config().kinematics.joints[i].parent < 0) xml += body_xml(arm, i);
  return xml + "</worldbody></mujoco>";
}

mjModel* load(const Arm& arm) { return load(arm_xml(arm)); }

// Accelerations and inverse dynamics at 100 states, links drawn anew for each ten of them.
void expect_same_dynamics(const ArmKinematics& kinematics) {
  Random random(21);
  const int n = kinematics.n();
  for (int draw = 0; draw < 10; ++draw) {
    const Arm arm = testing::random_arm(kinematics, n, false, random);
    const std::unique_ptr<mjModel, void (*)(mjModel*)> judge(load(arm), mj_deleteModel);
    const std::unique_ptr<mjData, void (*)(mjData*)> data(mj_makeData(judge.get()), mj_deleteData);
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
  const std::unique_ptr<mjModel, void (*)(mjModel*)> judge(load(xml), mj_deleteModel);
  const std::unique_ptr<mjData, void (*)(mjData*)> data(mj_makeData(judge.get()), mj_deleteData);
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
    const std::unique_ptr<mjModel, void (*)(mjModel*)> judge(load(urdf), mj_deleteModel);
    const std::unique_ptr<mjData, void (*)(mjData*)> data(mj_makeData(judge.get()), mj_deleteData);
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
