#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>

#include "mechfit/mechanics/point.h"

namespace mechfit {

// The state x = (q, v) a time `duration` later (or earlier, where it is negative), by Runge-Kutta
// steps no longer than `step`; u is held.
//   phi = dx(duration)/dx [2n][2n], rate = dx(duration)/d(duration) [2n]
struct Flow {
  Eigen::VectorXd x, rate;
  Eigen::MatrixXd phi;
};
std::optional<Flow> flow(PointDynamics& dynamics, int n, const Eigen::VectorXd& x,
                         std::span<const double> u, double duration, double step);
// Of what does not move.
Flow still(const Eigen::VectorXd& x);

}  // namespace mechfit
