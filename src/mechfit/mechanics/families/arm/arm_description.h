#pragma once

#include <string>
#include <vector>

#include "mechfit/mechanics/families/arm/kinematics.h"
#include "mechfit/mechanics/families/arm/link_inertia.h"

namespace mechfit {

// What is known of an arm before its motion is seen: the geometry, and what a fit may start from.
struct ArmDescription {
  ArmKinematics kinematics;
  std::vector<LinkInertia> links;  // [n] or empty; mass 0: not known
  std::vector<double> rotors;      // inertia that each joint feels [n] or empty
};

// All of it in one line, exact.
std::string description_text(const ArmDescription& robot);

// The same machine whose joint `joint` never moves from 0: its link is one with the link before it,
// or with the base.
ArmDescription with_held_joint(ArmDescription robot, int joint);

struct MatchedRobot {
  ArmDescription robot;            // one joint for each of the log's, in the log's order
  std::vector<std::string> notes;  // for the user
};

// The description for a log with these joints. `names` says which joint of the description each of
// them is; empty: the ones of the same names, or all in their order. Other joints are held at 0.
// InputErrors begin with `where`.
MatchedRobot match_joints(const ArmDescription& robot, const std::vector<std::string>& log_joints,
                          const std::vector<std::string>& names, const std::string& where);

}  // namespace mechfit
