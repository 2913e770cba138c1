#pragma once

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <string>

#include "mechfit/mechanics/families/arm/arm.h"
#include "mechfit/mechanics/families/arm/arm_geometry.h"

// Descriptions of machines as files.
namespace mechfit::testing {

inline std::string urdf_origin(const Eigen::Vector3d& place, const Eigen::Matrix3d& R) {
  const Eigen::Vector3d zyx = R.eulerAngles(2, 1, 0);  // yaw, pitch, roll
  return fmt::format(R"(<origin xyz="{:.17g} {:.17g} {:.17g}" rpy="{:.17g} {:.17g} {:.17g}"/>)",
                     place[0], place[1], place[2], zyx[2], zyx[1], zyx[0]);
}

inline std::string urdf_link(const std::string& name, const LinkInertia& link) {
  const Eigen::Matrix3d& I = link.inertia;
  return fmt::format(
      R"(<link name="{}"><inertial>{}<mass value="{:.17g}"/>
<inertia ixx="{:.17g}" ixy="{:.17g}" ixz="{:.17g}" iyy="{:.17g}" iyz="{:.17g}" izz="{:.17g}"/>
</inertial></link>
)",
      name, urdf_origin(link.centre, Eigen::Matrix3d::Identity()), link.mass, I(0, 0), I(0, 1),
      I(0, 2), I(1, 1), I(1, 2), I(2, 2));
}

// The arm with a hand of 0.4 kg fixed to its last link.
inline std::string urdf_of(const Arm& arm) {
  std::string xml = "<?xml version=\"1.0\"?>\n<robot name=\"arm\">\n<link name=\"base\"/>\n";
  const auto& joints = arm.config().kinematics.joints;
  for (int i = 0; i < arm.joints(); ++i) {
    const ArmJoint& joint = joints[i];
    xml += urdf_link("link" + std::to_string(i + 1), arm.link(i));
    xml += fmt::format(
        R"(<joint name="{}" type="{}"><parent link="{}"/><child link="link{}"/>{}
<axis xyz="{:.17g}"/><limit effort="87" lower="-3" upper="3" velocity="2"/></joint>
)",
        joint.name, joint.kind == JointKind::revolute ? "revolute" : "prismatic",
        joint.parent < 0 ? "base" : "link" + std::to_string(joint.parent + 1), i + 1,
        urdf_origin(vector3(joint.place), matrix3(joint.rotation)), fmt::join(joint.axis, " "));
  }
  LinkInertia hand;
  hand.mass = 0.4;
  hand.centre = {0.01, 0.02, 0.03};
  hand.inertia = Eigen::Vector3d(1e-3, 2e-3, 2.5e-3).asDiagonal();
  xml += urdf_link("hand", hand);
  xml += fmt::format(
      R"(<joint name="mount" type="fixed"><parent link="link{}"/><child link="hand"/>
<origin xyz="0.1 0 0.05" rpy="0.3 -0.2 0.9"/></joint>
</robot>
)",
      arm.joints());
  return xml;
}

}  // namespace mechfit::testing
