#pragma once

#include <Eigen/Dense>
#include <array>
#include <span>

// Mass, centre and inertia of a link, and the numbers by which a fit moves them.
namespace mechfit {

struct LinkInertia {
  double mass = 0;                                    // [kg]
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();   // of mass, in the link's frame [m]
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  // about it, axes as the frame [kg m^2]
};

// Pseudo-inertia: with r over the link's mass, S = int r r' dm, h = int r dm,
//
//   J = [S h; h' m] = U U',   U = [U3 t; 0 d] upper triangular
//   m = d^2,   centre = t / d,   S about the centre = U3 U3',   inertia = tr(S) 1 - S
//
// Every U with d != 0 is a body of positive mass, and every body has one. The ten numbers:
inline constexpr int kLinkNumbers = 10;
inline constexpr std::array<const char*, kLinkNumbers> kLinkNumberNames = {
    "U44", "U14", "U24", "U34", "U11", "U12", "U13", "U22", "U23", "U33"};

LinkInertia link_inertia(std::span<const double> u);

// The numbers of a body; where S is not positive (a sheet, a rod, a description that no body has)
// its eigenvalues are raised to kThinnest^2 m.
inline constexpr double kThinnest = 1e-3;  // [m]
std::array<double, kLinkNumbers> link_numbers(const LinkInertia& body);

// The body seen from another frame: r' = R r + p.
LinkInertia moved(const LinkInertia& body, const Eigen::Matrix3d& R, const Eigen::Vector3d& p);

// Two bodies as one.
LinkInertia joined(const LinkInertia& a, const LinkInertia& b);

}  // namespace mechfit
