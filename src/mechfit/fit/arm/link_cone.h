#pragma once

#include <Eigen/Dense>

#include "mechfit/mechanics/families/arm/regressor.h"

// The numbers pi of a link (regressor.h) that are a body: those whose pseudo-inertia
//
//   J(pi) = [S h; h' m],   S = tr(I)/2 1 - I
//
// is positive definite, a convex cone.
namespace mechfit {

using LinkMoments = Eigen::Matrix<double, kLinkNumbers, 1>;

Eigen::Matrix4d pseudo_inertia(const LinkMoments& pi);

// The largest t up to which J(pi + t step) is positive definite; +infinity where no t is too large.
double room_of(const LinkMoments& pi, const LinkMoments& step);

// How far a link is from one that is expected,
//
//   D = tr(J0^-1 J) - log det(J0^-1 J) - 4
//
// twice the Kullback-Leibler divergence of Gaussians with these second moments: convex, 0 at J0,
// infinite at the edge of the cone, the same whatever the frame or the unit.
class LinkDivergence {
 public:
  explicit LinkDivergence(const LinkMoments& expected);

  double value(const LinkMoments& pi) const;  // +infinity where there is no such body
  // Adds weight dD/dpi and weight d2D/dpi2, inside the cone.
  void add_derivatives(const LinkMoments& pi, double weight, Eigen::Ref<Eigen::VectorXd> g,
                       Eigen::Ref<Eigen::MatrixXd> H) const;

 private:
  Eigen::Matrix4d inverse_;  // J0^-1
  double log_det_ = 0;       // of J0
};

}  // namespace mechfit
