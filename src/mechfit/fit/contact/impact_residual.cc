#include "mechfit/fit/contact/impact_residual.h"

#include <vector>

#include "mechfit/fit/contact/flow.h"
#include "mechfit/mechanics/impact.h"

namespace mechfit {

using Eigen::MatrixXd;
using Eigen::VectorXd;

std::optional<ImpactResidual> impact_residual(PointDynamics& dynamics, const Contact& contact,
                                              const ImpactStates& states, double time,
                                              double step) {
  const int n = static_cast<int>(states.before.size()) / 2;
  const auto a = flow(dynamics, n, states.before, states.u_before, time - states.before_time, step);
  const auto b = states.rests ? std::optional(still(states.behind))
                              : flow(dynamics, n, states.behind, states.u_behind,
                                     time - states.behind_time, step);
  if (!a || !b) return {};
  const std::span<const double> q(a->x.data(), n);
  VectorXd J(n), rest(n);
  std::vector<double> mass(n * n);
  ImpactResidual out;
  out.c.resize(2 * n + 1);
  out.c[2 * n] = contact.gradient(q, {J.data(), static_cast<std::size_t>(n)});
  // v+ at (q, v), and its change with q by differences: M and J change along it.
  const auto map_at = [&](const VectorXd& at) {
    const std::size_t size = n;
    VectorXd normal(n), along(n);
    contact.gradient({at.data(), size}, {normal.data(), size}, {along.data(), size});
    dynamics.mass({at.data(), size}, mass);
    return friction_map(Eigen::Map<const MatrixXd>(mass.data(), n, n), normal, along, a->x.tail(n),
                        contact.restitution, contact.friction);
  };
  const VectorXd place = a->x.head(n);
  const FrictionMap map = map_at(place);
  MatrixXd by_place(n, n);
  constexpr double kDifference = 1e-5;
  for (int i = 0; i < n; ++i) {
    VectorXd up = place, down = place;
    up[i] += kDifference;
    down[i] -= kDifference;
    by_place.col(i) = (map_at(up).v - map_at(down).v) / (2 * kDifference);
  }
  out.c.head(n) = a->x.head(n) - b->x.head(n);
  out.c.segment(n, n) = map.v - b->x.tail(n);
  const auto through = [&](const MatrixXd& dx) {  // dc for a change dx of the state before
    MatrixXd dc(2 * n + 1, dx.cols());
    dc.topRows(n) = dx.topRows(n);
    dc.middleRows(n, n) = by_place * dx.topRows(n) + map.slope_v * dx.bottomRows(n);
    dc.bottomRows(1) = J.transpose() * dx.topRows(n);
    return dc;
  };
  out.before = through(a->phi);
  out.behind = MatrixXd::Zero(2 * n + 1, 2 * n);
  out.behind.topRows(2 * n) = -b->phi;
  out.time = through(a->rate);
  out.time.head(2 * n) -= b->rate;
  out.position = VectorXd::Zero(2 * n + 1);
  out.position[2 * n] = contact.slope();
  out.restitution = VectorXd::Zero(2 * n + 1);
  out.restitution.segment(n, n) = map.slope_e;
  out.friction = VectorXd::Zero(2 * n + 1);
  if (contact.friction > 0) out.friction.segment(n, n) = map.slope_mu;
  return out;
}

}  // namespace mechfit
