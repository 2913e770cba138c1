#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>

#include "mechfit/mechanics/contact.h"
#include "mechfit/mechanics/point.h"

namespace mechfit {

// What must vanish at an impact at time t between the states before, a, and behind, b:
//
//   c = ( q_a(t) - q_b(t),  v+(v_a(t), e, mu) - v_b(t),  phi(q_a(t); psi) )      [2n + 1]
//
// with its derivatives. mu is a parameter where it is not 0.
struct ImpactResidual {
  Eigen::VectorXd c, time, position, restitution;  // dc/dt, dc/dpsi, dc/de
  Eigen::VectorXd friction;                        // dc/dmu
  Eigen::MatrixXd before, behind;                  // dc/da, dc/db [2n+1][2n]
};
struct ImpactStates {
  Eigen::VectorXd before, behind;           // (q, v) of the samples next to the impact
  double before_time = 0, behind_time = 0;  // of these samples [s]
  std::span<const double> u_before, u_behind;
  bool rests = false;  // what is behind lies still
};
std::optional<ImpactResidual> impact_residual(PointDynamics& dynamics, const Contact& contact,
                                              const ImpactStates& states, double time, double step);

}  // namespace mechfit
