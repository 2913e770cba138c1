#include "mechfit/mechanics/families/arm/arm_description.h"

#include <fmt/format.h>

namespace mechfit {

std::string description_text(const ArmDescription& robot) {
  std::string text = kinematics_text(robot.kinematics);
  for (const LinkInertia& link : robot.links) {
    const Eigen::Matrix3d& I = link.inertia;
    text +=
        fmt::format("; {} {} {} {} {} {} {} {} {} {}", link.mass, link.centre[0], link.centre[1],
                    link.centre[2], I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2));
  }
  return text + fmt::format("; rotors {}", fmt::join(robot.rotors, " "));
}

}  // namespace mechfit
