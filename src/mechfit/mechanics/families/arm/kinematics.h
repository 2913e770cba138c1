#pragma once

#include <array>
#include <string>
#include <vector>

#include "mechfit/base/names.h"

// Geometry of a machine of rigid bodies: which joint carries which, and where.
namespace mechfit {

enum class JointKind { revolute, prismatic };
template <>
inline constexpr auto kNames<JointKind> = names<JointKind>({{JointKind::revolute, "revolute"},
                                                            {JointKind::prismatic, "prismatic"}});

// A joint and the link behind it. At q = 0 the link's frame is the joint's; a revolute joint turns
// it about `axis` by q, a prismatic one moves it along `axis` by q.
struct ArmJoint {
  std::string name;
  JointKind kind = JointKind::revolute;
  int parent = -1;  // the joint whose link carries this one; -1: the base
  std::array<double, 9> rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1};  // to the parent's frame, by rows
  std::array<double, 3> place = {0, 0, 0};  // of this frame in the parent's [m]
  std::array<double, 3> axis = {0, 0, 1};   // of length one, in this frame
};

struct ArmKinematics {
  std::vector<ArmJoint> joints;                      // a parent comes before its children
  std::array<double, 3> gravity = {0, 0, -9.80665};  // in the base's frame [m/s^2]

  int n() const { return static_cast<int>(joints.size()); }
};

// A joint by modified Denavit-Hartenberg parameters: from the parent's frame turn by alpha about x,
// move by a along x, then by d along the new z, and turn by theta about it.
ArmJoint modified_dh(double a, double d, double alpha, double theta);

// The same machine when a log counts joint `joint` otherwise: the geometry's q is sign q_log +
// offset, sign 1 or -1, offset in rad or m. Links keep their frames, so their inertia is the same.
ArmKinematics with_sign_and_offset(ArmKinematics kinematics, int joint, double sign, double offset);

// InputError, which begins with `where`, unless parents come before children, rotations are
// rotations, axes have length one and all numbers are finite.
void check_kinematics(const ArmKinematics& kinematics, const std::string& where);

// All of it in one line, exact: two geometries are the same when their texts are.
std::string kinematics_text(const ArmKinematics& kinematics);

}  // namespace mechfit
