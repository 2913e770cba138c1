#pragma once

#include <Eigen/Dense>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "mechfit/mechanics/families/arm/arm.h"
#include "mechfit/mechanics/families/arm/robot_file.h"

// What a fit found of an arm's links: as a description has it, and as the difference of two fits.
namespace mechfit {

// Numbers of one body, pi = [m, h, I] (regressor.h).
inline constexpr std::array<const char*, kLinkNumbers> kMomentNames = {
    "mass",       "first moment x", "first moment y", "first moment z", "inertia xx",
    "inertia xy", "inertia xz",     "inertia yy",     "inertia yz",     "inertia zz"};

// Of the numbers [11 n] that torques are linear in, pi of each link and then the rotors: an
// orthonormal basis [11 n][r] of the combinations that act on any motion at all.
Eigen::MatrixXd acting_combinations(const ArmKinematics& kinematics);

// Covariance of these numbers from that of theta [p][p].
Eigen::MatrixXd moments_covariance(const Arm& arm, std::span<const double> covariance);

// Whether a number of a link is known by itself, or only together with others.
struct LinkKnowledge {
  std::array<bool, kLinkNumbers> told = {};
  std::array<double, kLinkNumbers> errors = {};  // standard deviations of those that are told
};
std::vector<LinkKnowledge> link_knowledge(const Arm& arm, std::span<const double> covariance);

// What belongs into a file that describes the arm, and what has no place in one, for the user.
// InputError, beginning with `where`, unless the description's joints of the same names have the
// geometry that the arm was fitted with.
struct IdentifiedArm {
  std::vector<IdentifiedJoint> joints;
  std::vector<std::string> notes;
};
IdentifiedArm identified_arm(const Arm& arm, std::span<const double> covariance,
                             const ArmDescription& robot, const std::string& where);

// What is fixed to a link of the machine of one fit and is not there in the other, by the numbers
// that tell it best: with d the difference of the fits' numbers in the combinations V that act,
//
//   minimise (V'(d - E pi))' C^-1 (V'(d - E pi)),   C = V'(C_with + C_without) V
struct Payload {
  int link = 0;
  Eigen::Matrix<double, kLinkNumbers, 1> moments, errors;  // pi in the link's frame
  std::array<bool, kLinkNumbers> told = {};                // by the two fits
  Eigen::Vector3d centre, centre_errors;                   // of mass, where the mass is told
};
// InputError when the arms differ in geometry, or when one of them has no covariance.
Payload payload(const Arm& without, std::span<const double> covariance_without, const Arm& with,
                std::span<const double> covariance_with, int link);

}  // namespace mechfit
