#pragma once

#include <string>
#include <vector>

#include "mechfit/mechanics/families/arm/arm_description.h"

// Files that describe a robot: URDF, a MuJoCo model (MJCF), or a table of modified
// Denavit-Hartenberg parameters in TOML (docs/arms.md). Joints that do not move are merged.
namespace mechfit {

// InputErrors begin with `path`, and with the line where there is one.
ArmDescription read_robot(const std::string& path);

// From the contents of a file; `path` is for messages.
ArmDescription parse_urdf(const std::string& text, const std::string& path);
ArmDescription parse_mjcf(const std::string& text, const std::string& path);
ArmDescription parse_dh_table(const std::string& text, const std::string& path);

// Whether it is XML whose outermost element is <mujoco>.
bool is_mjcf(const std::string& text);

// What a fit found behind one joint of a description.
struct IdentifiedJoint {
  std::string name;         // of the joint in the description
  LinkInertia link;         // in the joint's frame, with all that is fixed to it
  double viscous, coulomb;  // friction
};

// The URDF with these values instead of its own. Everything else in the file stays, but links that
// do not move against another lose their inertia to it.
std::string urdf_with_values(const std::string& text, const std::string& path,
                             const std::vector<IdentifiedJoint>& joints);

}  // namespace mechfit
