#include "mechfit/mechanics/families/analytic/systems.h"

#include "mechfit/base/error.h"
#include "mechfit/mechanics/families/analytic/analytic.h"

namespace mechfit {

std::vector<SystemInfo> list_systems() {
  return {
      {"pendulum", "point mass on a massless rod", 1, false},
      {"double-pendulum", "two uniform rods, second angle relative to the first", 2, false},
      {"double-pendulum-points", "two point masses, both angles absolute", 2, false},
      {"double-pendulum-links", "two rigid links of any shape, angles absolute, dry friction", 2,
       false},
      {"chain", "planar chain of uniform rods, relative angles", 3, true},
      {"chain-points", "planar chain of point masses, absolute angles", 3, true},
      {"cart-pole", "point mass hanging from a cart, force on the cart", 2, false},
      {"furuta", "rotary pendulum, torque on the arm", 2, false},
      {"spring-pendulum", "point mass on a spring: angle and length", 2, false},
      {"acrobot", "two uniform rods, torque on the second joint", 2, false},
      {"pendubot", "two uniform rods, torque on the first joint", 2, false},
      {"cart", "cart on a rail, force on it", 1, false},
      {"ball", "point mass that flies in a vertical plane", 2, false},
  };
}

AnalyticSystem make_system(const std::string& name, int joints) {
  std::string valid;
  for (const SystemInfo& info : list_systems()) {
    valid += (valid.empty() ? "" : ", ") + info.name;
    if (info.name != name) continue;
    if (joints == kDefaultJoints) joints = info.joints;
    if (info.any_joints ? joints < 1 : joints != info.joints)
      throw InputError("system '" + name + "' has " +
                       (info.any_joints ? "1 or more" : std::to_string(info.joints)) +
                       " joints, not " + std::to_string(joints));
    if (name == "pendulum") return AnalyticSystem(pendulum());
    if (name == "double-pendulum") return AnalyticSystem(double_pendulum());
    if (name == "double-pendulum-points") return AnalyticSystem(double_pendulum_points());
    if (name == "double-pendulum-links") return AnalyticSystem(double_pendulum_links());
    if (name == "chain") return AnalyticSystem(chain(joints));
    if (name == "chain-points") return AnalyticSystem(chain_points(joints));
    if (name == "cart-pole") return AnalyticSystem(cart_pole());
    if (name == "furuta") return AnalyticSystem(furuta());
    if (name == "spring-pendulum") return AnalyticSystem(spring_pendulum());
    if (name == "acrobot") return AnalyticSystem(acrobot());
    if (name == "pendubot") return AnalyticSystem(pendubot());
    if (name == "cart") return AnalyticSystem(cart());
    if (name == "ball") return AnalyticSystem(ball());
  }
  throw InputError("unknown system '" + name + "', expected one of " + valid);
}

}  // namespace mechfit
