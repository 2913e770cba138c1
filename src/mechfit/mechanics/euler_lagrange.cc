#include "mechfit/mechanics/euler_lagrange.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mechfit/mechanics/lanes.h"

namespace mechfit {
namespace {

std::size_t at(int row, int lane) { return static_cast<std::size_t>(row) * kBlock + lane; }

Points without_input(const Points& x, const AccelerationWorkspace& w) {
  return {x.q, x.v, w.zero_u.data()};
}

}  // namespace

AccelerationWorkspace::AccelerationWorkspace(const Model& m)
    : model(m.make_workspace()),
      p(make_panel(m.joints())),
      f(make_panel(m.joints())),
      mdot_v(make_panel(m.joints())),
      factor(make_panel(m.joints() * m.joints())),
      a(make_panel(m.joints())),
      lambda(make_panel(m.joints())),
      minus_lambda(make_panel(m.joints())),
      zero_u(make_panel(m.inputs())) {}

LaneMask acceleration(const Model& model, const Points& x, double* a, AccelerationWorkspace& w) {
  const int n = model.joints();
  model.forces({x.q, x.v, x.u ? x.u : w.zero_u.data()}, w.p.data(), w.f.data(), w.model);
  model.mass_rate(w.mdot_v.data(), w.model);
  model.factor(w.factor.data(), w.model);

  // The last pivot of a Cholesky factorisation is NaN when any pivot was not positive. A family's
  // own factor may have negative pivots: G G' is positive definite all the same.
  w.positive = 0;
  for (int lane = 0; lane < kBlock; ++lane)
    if (std::fabs(w.factor[at(n * n - 1, lane)]) > 0) w.positive |= LaneMask{1} << lane;

  // M a = f - Mdot v
  const std::size_t size = w.a.size();
  for (std::size_t i = 0; i < size; ++i) w.a[i] = w.f[i] - w.mdot_v[i];
  solve(n, w.factor.data(), w.a.data(), w.a.data());
  std::copy(w.a.begin(), w.a.end(), a);
  if (w.positive == kAllLanes) return w.positive;
  for (int lane = 0; lane < kBlock; ++lane) {
    if (w.positive >> lane & 1) continue;
    for (int i = 0; i < n; ++i) {
      a[at(i, lane)] = std::numeric_limits<double>::quiet_NaN();
      w.a[at(i, lane)] = 0;
    }
  }
  return w.positive;
}

void acceleration_pullback(const Model& model, const double* g, const Adjoints& adjoints,
                           AccelerationWorkspace& w) {
  const int n = model.joints();
  solve(n, w.factor.data(), g, w.lambda.data());
  for (int lane = 0; lane < kBlock; ++lane)
    if (!(w.positive >> lane & 1))
      for (int i = 0; i < n; ++i) w.lambda[at(i, lane)] = 0;
  for (std::size_t i = 0; i < w.lambda.size(); ++i) w.minus_lambda[i] = -w.lambda[i];
  Covectors covectors;
  covectors.b = w.lambda.data();
  covectors.c = w.minus_lambda.data();
  covectors.acc = w.a.data();
  model.pullback(covectors, adjoints, w.model);
}

void inverse_dynamics(const Model& model, const Points& x, const double* a, double* tau,
                      AccelerationWorkspace& w) {
  model.forces(without_input(x, w), w.p.data(), w.f.data(), w.model);
  model.mass_rate(w.mdot_v.data(), w.model);
  model.mass(x.q, w.factor.data(), w.model);
  symmetric_product(model.joints(), w.factor.data(), a, w.lambda.data());
  for (std::size_t i = 0; i < w.f.size(); ++i) tau[i] = w.mdot_v[i] + w.lambda[i] - w.f[i];
}

void energy(const Model& model, const Points& x, double* energy, AccelerationWorkspace& w) {
  const int n = model.joints();
  model.forces(without_input(x, w), w.p.data(), w.f.data(), w.model);
  model.potential(energy, w.model);
  for (int i = 0; i < n; ++i)
    for (int lane = 0; lane < kBlock; ++lane)
      energy[lane] += 0.5 * x.v[at(i, lane)] * w.p[at(i, lane)];
}

void momentum(const Model& model, const Points& x, double* p, AccelerationWorkspace& w) {
  model.forces(without_input(x, w), p, w.f.data(), w.model);
}

}  // namespace mechfit
