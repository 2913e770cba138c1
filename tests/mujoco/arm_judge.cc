#include "tests/mujoco/arm_judge.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/families/arm/arm_geometry.h"

namespace mechfit::testing {
namespace {

constexpr int kInner = 10;

double friction(const Arm& arm, int i, FrictionFunction::Kind kind) {
  return arm.config().friction ? arm.joint_forces().coefficient(i, kind) : 0.0;
}

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
         <joint type="{}" axis="{:.17g}" armature="{:.17g}" damping="{:.17g}" frictionloss="{:.17g}"/>
         <inertial mass="{:.17g}" pos="{:.17g} {:.17g} {:.17g}"
         diaginertia="{:.17g} {:.17g} {:.17g}" quat="{:.17g} {:.17g} {:.17g} {:.17g}"/>)",
      fmt::join(joint.place, " "), turn.w(), turn.x(), turn.y(), turn.z(),
      joint.kind == JointKind::revolute ? "hinge" : "slide", fmt::join(joint.axis, " "),
      arm.rotor(i), friction(arm, i, FrictionFunction::Kind::viscous),
      friction(arm, i, FrictionFunction::Kind::coulomb), link.mass, link.centre[0], link.centre[1],
      link.centre[2], I[0], I[1], I[2], own.w(), own.x(), own.y(), own.z());
  for (int k = i + 1; k < arm.joints(); ++k)
    if (arm.config().kinematics.joints[k].parent == i) xml += body_xml(arm, k);
  return xml + "</body>";
}

}  // namespace

MujocoModel load_mujoco(const std::string& xml) {
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), "model.xml", static_cast<int>(xml.size()));
  std::memcpy(files->filedata[0], xml.data(), xml.size());
  char error[1000] = "";
  MujocoModel model(mj_loadXML("model.xml", files.get(), error, sizeof error), mj_deleteModel);
  mj_deleteVFS(files.get());
  if (!model) throw std::runtime_error(std::string(error) + "\n" + xml);
  return model;
}

MujocoData make_data(const MujocoModel& model) { return {mj_makeData(model.get()), mj_deleteData}; }

// Children follow their parents depth first, as the geometries of arms.h do.
std::string arm_xml(const Arm& arm, double time_step) {
  std::string xml = fmt::format(
      R"(<mujoco><compiler angle="radian" inertiafromgeom="false"/>
         <option gravity="{:.17g}" timestep="{:.17g}" integrator="RK4"/><worldbody>)",
      fmt::join(arm.config().kinematics.gravity, " "), time_step);
  for (int i = 0; i < arm.joints(); ++i)
    if (arm.config().kinematics.joints[i].parent < 0) xml += body_xml(arm, i);
  return xml + "</worldbody></mujoco>";
}

ArmMachine mujoco_machine(const Arm& arm, double step) {
  struct Machine {
    MujocoModel model;
    MujocoData data;
    std::vector<double> offset;
  };
  auto machine = std::make_shared<Machine>(load_mujoco(arm_xml(arm, step / kInner)),
                                           MujocoData{nullptr, mj_deleteData});
  machine->data = make_data(machine->model);
  for (int i = 0; i < arm.joints(); ++i)
    machine->offset.push_back(friction(arm, i, FrictionFunction::Kind::offset));
  return [machine, step](std::span<const double> tau, double h, std::span<double> q,
                         std::span<double> v) {
    MECHFIT_CHECK(h == step);
    mjData* data = machine->data.get();
    std::copy(q.begin(), q.end(), data->qpos);
    std::copy(v.begin(), v.end(), data->qvel);
    for (std::size_t i = 0; i < tau.size(); ++i)
      data->qfrc_applied[i] = tau[i] - machine->offset[i];
    for (int k = 0; k < kInner; ++k) mj_step(machine->model.get(), data);
    std::copy_n(data->qpos, q.size(), q.begin());
    std::copy_n(data->qvel, v.size(), v.begin());
  };
}

}  // namespace mechfit::testing
