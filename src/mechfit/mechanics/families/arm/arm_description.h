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

}  // namespace mechfit
