#pragma once

#include <Eigen/Dense>
#include <array>
#include <span>
#include <vector>

#include "mechfit/mechanics/families/arm/kinematics.h"
#include "mechfit/mechanics/families/arm/link_inertia.h"

// Torques of rigid bodies are linear in what links are made of:
//
//   Mdot v + M a + dV/dq - ... = Y(q, v, a) pi,   pi = [m, h, I] of each link [10 n]
//
//   m  mass    h  first moment m c [3]    I  inertia about the frame's origin: xx xy xz yy yz zz
namespace mechfit {

// pi of a link from its ten numbers (link_inertia.h), and its derivative to them.
Eigen::Matrix<double, kLinkNumbers, 1> link_moments(std::span<const double> u);
Eigen::Matrix<double, kLinkNumbers, kLinkNumbers> link_moments_slope(std::span<const double> u);
// The ten numbers of a body; pi must be one.
std::array<double, kLinkNumbers> link_numbers(const Eigen::Matrix<double, kLinkNumbers, 1>& pi);

// One state at a time, by recursion from the base to the tips. Constant after construction, so
// that threads may share one.
class ArmRegressor {
 public:
  explicit ArmRegressor(const ArmKinematics& kinematics);

  int n() const { return n_; }
  // Whether joint i moves link k, so that Y has entries there.
  bool carries(int i, int k) const { return carries_[i * n_ + k]; }

  // Memory for one thread.
  struct Workspace {
    struct Link {
      Eigen::Matrix3d R;                // to the frame before
      Eigen::Vector3d p;                // of the origin in it
      Eigen::Vector3d turn, turn_rate;  // angular velocity and acceleration
      Eigen::Vector3d acceleration;     // of the origin, less gravity
      Eigen::Vector3d force, moment;    // of all that the link carries, about its origin
    };
    std::vector<Link> links;                   // [n]
    std::vector<Eigen::Vector3d> axis, lever;  // of joint j as link k sees it [n][n]
  };
  Workspace make_workspace() const;

  // Y [n][10 n] by rows; entries of links that a joint does not move are zero.
  void rows(std::span<const double> q, std::span<const double> v, std::span<const double> a,
            double* y, Workspace& w) const;
  // tau = Y pi [n].
  void torques(std::span<const double> q, std::span<const double> v, std::span<const double> a,
               std::span<const double> pi, double* tau, Workspace& w) const;

 private:
  struct Joint {
    Eigen::Matrix3d rotation;
    Eigen::Vector3d place, axis;
    int parent;
    bool turns;
  };
  void move(std::span<const double> q, std::span<const double> v, std::span<const double> a,
            Workspace& w) const;

  int n_;
  Eigen::Vector3d gravity_;
  std::vector<Joint> joints_;
  std::vector<char> carries_;  // [n][n]
};

}  // namespace mechfit
