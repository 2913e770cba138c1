#pragma once

#include <array>
#include <vector>

#include "mechfit/log/log.h"
#include "mechfit/mechanics/families/analytic/equations.h"
#include "mechfit/mechanics/families/arm/kinematics.h"
#include "mechfit/mechanics/families/arm/link_inertia.h"

namespace mechfit {

// M(q) and V(q) of a tree of rigid bodies, by composite bodies; no inputs, no friction. Constants:
// kLinkNumbers of each link (link_inertia.h), then the inertia of each joint's rotor as the joint
// feels it, >= 0.
Equations arm_equations(const ArmKinematics& kinematics, const std::vector<JointType>& types,
                        const std::vector<std::array<double, kLinkNumbers>>& start);

}  // namespace mechfit
