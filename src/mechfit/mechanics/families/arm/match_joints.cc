#include <fmt/format.h>

#include <algorithm>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/families/arm/arm_description.h"
#include "mechfit/mechanics/families/arm/arm_geometry.h"

namespace mechfit {
namespace {

std::vector<std::string> joint_names(const ArmDescription& robot) {
  std::vector<std::string> names;
  for (const ArmJoint& joint : robot.kinematics.joints) names.push_back(joint.name);
  return names;
}

int index_of(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

// Joints in the order of `names`, which has all of them.
ArmDescription in_order(const ArmDescription& robot, const std::vector<std::string>& names,
                        const std::string& where) {
  const std::vector<std::string> own = joint_names(robot);
  ArmDescription out;
  out.kinematics.gravity = robot.kinematics.gravity;
  for (const std::string& name : names) {
    const int from = index_of(own, name);
    ArmJoint joint = robot.kinematics.joints[from];
    if (joint.parent >= 0) {
      joint.parent = index_of(joint_names(out), own[joint.parent]);
      if (joint.parent < 0)
        throw InputError(
            fmt::format("{}: joint '{}' comes before the one that carries it; expected the log's "
                        "joints (option 'q') in the order {}",
                        where, name, fmt::join(own, ", ")));
    }
    out.kinematics.joints.push_back(joint);
    if (!robot.links.empty()) out.links.push_back(robot.links[from]);
    if (!robot.rotors.empty()) out.rotors.push_back(robot.rotors[from]);
  }
  return out;
}

}  // namespace

// With the joint at 0 a point x of its link is R x + p in the frame before.
ArmDescription with_held_joint(ArmDescription robot, int joint) {
  auto& joints = robot.kinematics.joints;
  MECHFIT_CHECK(joint >= 0 && joint < robot.kinematics.n());
  const ArmJoint held = joints[joint];
  const Eigen::Matrix3d R = matrix3(held.rotation);
  const Eigen::Vector3d p = vector3(held.place);
  if (!robot.links.empty()) {
    if (held.parent >= 0)
      robot.links[held.parent] = joined(robot.links[held.parent], moved(robot.links[joint], R, p));
    robot.links.erase(robot.links.begin() + joint);
  }
  if (!robot.rotors.empty()) robot.rotors.erase(robot.rotors.begin() + joint);
  for (ArmJoint& other : joints) {
    if (other.parent == joint) {
      store(Eigen::Vector3d(R * vector3(other.place) + p), other.place);
      store(Eigen::Matrix3d(R * matrix3(other.rotation)), other.rotation);
      other.parent = held.parent;
    }
    if (other.parent > joint) --other.parent;
  }
  joints.erase(joints.begin() + joint);
  return robot;
}

MatchedRobot match_joints(const ArmDescription& robot, const std::vector<std::string>& log_joints,
                          const std::vector<std::string>& names, const std::string& where) {
  const std::vector<std::string> own = joint_names(robot);
  std::vector<std::string> wanted = names.empty() ? log_joints : names;
  const auto unknown = std::find_if(wanted.begin(), wanted.end(), [&](const std::string& name) {
    return index_of(own, name) < 0;
  });
  MatchedRobot out{robot, {}};
  if (!names.empty() && names.size() != log_joints.size())
    throw InputError(fmt::format("{}: {} joints named (option 'robot_joints'), the log has {}",
                                 where, names.size(), log_joints.size()));
  if (unknown != wanted.end()) {
    if (!names.empty())
      throw InputError(fmt::format("{}: no joint '{}', expected one of {}", where, *unknown,
                                   fmt::join(own, ", ")));
    if (own.size() != log_joints.size())
      throw InputError(fmt::format(
          "{}: {} joints that move ({}), the log has {}; say which ones the log's are (option "
          "'robot_joints')",
          where, own.size(), fmt::join(own, ", "), log_joints.size()));
    wanted = own;
  }
  for (std::size_t k = 0; k < wanted.size(); ++k)
    if (index_of(wanted, wanted[k]) != static_cast<int>(k))
      throw InputError(where + ": joint '" + wanted[k] + "' is named twice");
  for (int k = static_cast<int>(own.size()) - 1; k >= 0; --k) {
    if (index_of(wanted, own[k]) >= 0) continue;
    out.robot = with_held_joint(std::move(out.robot), k);
    out.notes.push_back(where + ": joint '" + own[k] + "' is not in the log and held at 0");
  }
  out.robot = in_order(out.robot, wanted, where);
  std::string pairs;
  for (std::size_t k = 0; k < wanted.size(); ++k)
    if (wanted[k] != log_joints[k])
      pairs += fmt::format("{}{} is {}", pairs.empty() ? "" : ", ", log_joints[k], wanted[k]);
  if (!pairs.empty()) out.notes.push_back(where + ": " + pairs);
  return out;
}

}  // namespace mechfit
