#include "mechfit/mechanics/families/arm/kinematics.h"

#include <cmath>

namespace mechfit {

ArmJoint modified_dh(double a, double d, double alpha, double theta) {
  const double ca = std::cos(alpha), sa = std::sin(alpha);
  const double ct = std::cos(theta), st = std::sin(theta);
  ArmJoint joint;
  joint.rotation = {ct, -st, 0, st * ca, ct * ca, -sa, st * sa, ct * sa, ca};
  joint.place = {a, -sa * d, ca * d};
  return joint;
}

}  // namespace mechfit
