#include "mechfit/base/error.h"
#include "mechfit/mechanics/families/arm/arm.h"
#include "mechfit/mechanics/model_family.h"

namespace mechfit {
namespace {

// Beyond this a file is damaged, or would make a model too large to build.
constexpr int kMostArmJoints = 64;

template <std::size_t N>
std::vector<double> rows(const std::vector<ArmJoint>& joints, std::array<double, N> ArmJoint::*x) {
  std::vector<double> out;
  for (const ArmJoint& joint : joints) out.insert(out.end(), (joint.*x).begin(), (joint.*x).end());
  return out;
}

template <std::size_t N>
void read_rows(const Safetensors& file, const std::string& tensor, const std::string& name,
               std::array<double, N> ArmJoint::*x, std::vector<ArmJoint>& joints) {
  const auto& values = expect_doubles(
      file, tensor, {static_cast<std::int64_t>(joints.size()), static_cast<std::int64_t>(N)}, name);
  for (std::size_t i = 0; i < joints.size(); ++i)
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(i * N), N, (joints[i].*x).begin());
}

}  // namespace

void Arm::write(Safetensors& file) const {
  const std::int64_t n = n_, m = inputs();
  const std::vector<ArmJoint>& joints = config_.kinematics.joints;
  std::vector<std::string> names, kinds;
  std::vector<int> parents;  // counted from 1; 0: the base
  for (const ArmJoint& joint : joints) {
    names.push_back(joint.name);
    kinds.push_back(name_of(joint.kind));
    parents.push_back(joint.parent + 1);
  }
  file.metadata["config"] = to_text({{"joint_types", names_of(config_.joints)},
                                     {"names", names},
                                     {"kinds", kinds},
                                     {"parents", parents},
                                     {"friction", friction_json(config_.friction)},
                                     {"input_map", name_of(config_.input_map)}});
  file.tensors["kinematics.rotation"] = {{n, 9}, rows(joints, &ArmJoint::rotation)};
  file.tensors["kinematics.place"] = {{n, 3}, rows(joints, &ArmJoint::place)};
  file.tensors["kinematics.axis"] = {{n, 3}, rows(joints, &ArmJoint::axis)};
  const auto& g = config_.kinematics.gravity;
  file.tensors["kinematics.gravity"] = {{3}, std::vector<double>(g.begin(), g.end())};
  file.tensors["input.matrix"] = {{n, m}, config_.input_matrix};
  write_scales(config_.scales, file);
  file.tensors["theta"] = {{parameter_count()}, theta_};
}

Arm Arm::read(const Safetensors& file, const Channels& channels, const std::string& name) {
  const JsonFields config(expect_metadata(file, "config", name), name + ": config");
  const int n = channels.n();
  if (n > kMostArmJoints)
    throw InputError(name + ": " + std::to_string(n) + " joints, expected at most " +
                     std::to_string(kMostArmJoints));
  ArmConfig c;
  c.joints = read_joint_types(config, channels, name);
  const auto names = config.texts("names");
  const auto kinds = config.choices<JointKind>("kinds");
  const auto parents = config.integers("parents", 0, n);
  for (const std::size_t size : {names.size(), kinds.size(), parents.size()})
    if (static_cast<int>(size) != n)
      throw InputError(name + ": config: names, kinds or parents of " + std::to_string(size) +
                       " joints, expected " + std::to_string(n));
  auto& joints = c.kinematics.joints;
  joints.resize(n);
  for (int i = 0; i < n; ++i) {
    joints[i].name = names[i];
    joints[i].kind = kinds[i];
    joints[i].parent = parents[i] - 1;
  }
  read_rows(file, "kinematics.rotation", name, &ArmJoint::rotation, joints);
  read_rows(file, "kinematics.place", name, &ArmJoint::place, joints);
  read_rows(file, "kinematics.axis", name, &ArmJoint::axis, joints);
  const auto& gravity = expect_doubles(file, "kinematics.gravity", {3}, name);
  std::copy_n(gravity.begin(), 3, c.kinematics.gravity.begin());
  check_kinematics(c.kinematics, name + ": kinematics");
  c.inputs = channels.m();
  c.friction = read_friction(config);
  c.input_map = config.choice<InputMap>("input_map");
  c.input_matrix = expect_doubles(file, "input.matrix", {n, channels.m()}, name);
  c.scales = read_scales(file, channels, name);
  Arm arm(std::move(c));
  const auto& theta = expect_doubles(file, "theta", {arm.parameter_count()}, name);
  try {
    arm.set_parameters(theta);
  } catch (const InputError& e) {
    throw InputError(name + ": " + e.what());
  }
  return arm;
}

}  // namespace mechfit
