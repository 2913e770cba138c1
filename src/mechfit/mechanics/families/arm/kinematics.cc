#include "mechfit/mechanics/families/arm/kinematics.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/families/arm/arm_geometry.h"

namespace mechfit {
namespace {

// Rounding of what a file may hold: descriptions are written with six digits and more.
constexpr double kRounding = 1e-5;

}  // namespace

ArmJoint modified_dh(double a, double d, double alpha, double theta) {
  const double ca = std::cos(alpha), sa = std::sin(alpha);
  const double ct = std::cos(theta), st = std::sin(theta);
  ArmJoint joint;
  joint.rotation = {ct, -st, 0, st * ca, ct * ca, -sa, st * sa, ct * sa, ca};
  joint.place = {a, -sa * d, ca * d};
  return joint;
}

// R(axis, sign q + offset) = R(axis, offset) R(sign axis, q), and the same for shifts.
ArmKinematics with_sign_and_offset(ArmKinematics kinematics, int joint, double sign,
                                   double offset) {
  MECHFIT_CHECK(joint >= 0 && joint < kinematics.n() && (sign == 1 || sign == -1) &&
                std::isfinite(offset));
  ArmJoint& moved = kinematics.joints[joint];
  const Eigen::Vector3d axis = vector3(moved.axis);
  if (moved.kind == JointKind::revolute)
    store(Eigen::Matrix3d(matrix3(moved.rotation) * Eigen::AngleAxisd(offset, axis)),
          moved.rotation);
  else
    store(Eigen::Vector3d(vector3(moved.place) + matrix3(moved.rotation) * axis * offset),
          moved.place);
  for (double& x : moved.axis) x *= sign;
  return kinematics;
}

void check_kinematics(const ArmKinematics& kinematics, const std::string& where) {
  const auto fail = [&](int i, const std::string& what) {
    throw InputError(
        where + ": joint " + std::to_string(i + 1) +
        (kinematics.joints[i].name.empty() ? "" : " '" + kinematics.joints[i].name + "'") + ": " +
        what);
  };
  if (kinematics.joints.empty()) throw InputError(where + ": no joints that move");
  for (const double g : kinematics.gravity)
    if (!std::isfinite(g)) throw InputError(where + ": gravity is not a finite number");
  for (int i = 0; i < kinematics.n(); ++i) {
    const ArmJoint& joint = kinematics.joints[i];
    if (joint.parent < -1 || joint.parent >= i)
      fail(i, "its parent is joint " + std::to_string(joint.parent + 1) +
                  ", expected one that comes before it");
    if (!vector3(joint.place).allFinite()) fail(i, "its place is not finite");
    const Eigen::Matrix3d R = matrix3(joint.rotation);
    if (!R.allFinite() || !(R * R.transpose()).isIdentity(kRounding) || R.determinant() < 0)
      fail(i, "its orientation is not a rotation");
    const double length = vector3(joint.axis).norm();
    if (!(std::abs(length - 1) < kRounding))
      fail(i, fmt::format("its axis has length {}, expected 1", length));
  }
}

std::string kinematics_text(const ArmKinematics& kinematics) {
  std::string text = fmt::format("gravity {}", fmt::join(kinematics.gravity, " "));
  for (const ArmJoint& joint : kinematics.joints)
    text += fmt::format("; {} {} {} {} {} {}", joint.name, name_of(joint.kind), joint.parent,
                        fmt::join(joint.rotation, " "), fmt::join(joint.place, " "),
                        fmt::join(joint.axis, " "));
  return text;
}

}  // namespace mechfit
