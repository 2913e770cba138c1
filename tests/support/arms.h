#pragma once

#include <string>
#include <vector>

#include "mechfit/base/constants.h"
#include "mechfit/base/random.h"
#include "mechfit/mechanics/families/arm/arm.h"

// Geometries of arms and arms with random links.
namespace mechfit::testing {

inline ArmKinematics dh_chain(const std::vector<std::array<double, 3>>& a_d_alpha) {
  ArmKinematics chain;
  for (const auto& [a, d, alpha] : a_d_alpha) {
    ArmJoint joint = modified_dh(a, d, alpha, 0);
    joint.parent = chain.n() - 1;
    joint.name = "joint" + std::to_string(chain.n() + 1);
    chain.joints.push_back(joint);
  }
  return chain;
}

// A Franka Panda.
inline ArmKinematics panda() {
  const double right = kTurn / 4;
  return dh_chain({{0, .333, 0},
                   {0, 0, -right},
                   {0, .316, right},
                   {.0825, 0, right},
                   {-.0825, .384, -right},
                   {0, 0, right},
                   {.088, 0, right}});
}

// Six joints as in arms with three parallel axes.
inline ArmKinematics parallel_arm() {
  const double right = kTurn / 4;
  return dh_chain(
      {{0, .15, 0}, {0, 0, right}, {-.61, 0, 0}, {-.57, .16, 0}, {0, .12, right}, {0, .1, -right}});
}

// Two branches, axes and orientations of every kind, one joint that slides, gravity askew.
inline ArmKinematics tree() {
  ArmKinematics out = dh_chain({{.1, .2, .3}, {.3, -.1, 1.1}, {.2, .1, -.7}, {.1, .3, .4}});
  out.joints[1].kind = JointKind::prismatic;
  out.joints[1].axis = {0.6, 0, 0.8};
  out.joints[2].axis = {0, -1, 0};
  out.joints[3].parent = 1;
  out.joints[3].axis = {0, 0, -1};
  out.gravity = {1, -2, -9};
  return out;
}

inline Arm random_arm(const ArmKinematics& kinematics, int inputs, FrictionTerms friction,
                      Random& random) {
  ArmConfig config;
  config.kinematics = kinematics;
  const int n = kinematics.n();
  for (const ArmJoint& joint : kinematics.joints)
    config.joints.push_back(joint.kind == JointKind::revolute ? JointType::periodic
                                                              : JointType::plain);
  config.inputs = inputs;
  config.friction = friction;
  config.input_matrix.assign(n * inputs, 0.0);
  for (int i = 0; i < inputs; ++i) config.input_matrix[i * inputs + i] = 1;
  Arm arm(config);
  std::vector<double> theta(arm.parameters().begin(), arm.parameters().end());
  for (int k = 0; k < kLinkNumbers * n; ++k)
    theta[k] = k % kLinkNumbers == 0 ? random.uniform(1, 2) : random.uniform(-0.3, 0.3);
  for (int k = 0; k < n; ++k)
    for (const int diagonal : {4, 7, 9})
      theta[kLinkNumbers * k + diagonal] = random.uniform(.2, .4);
  for (std::size_t k = kLinkNumbers * n; k < theta.size(); ++k) theta[k] = random.uniform(.1, .5);
  arm.set_parameters(theta);
  return arm;
}

}  // namespace mechfit::testing
