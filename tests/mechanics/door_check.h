#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "mechfit/base/gradient_check.h"
#include "mechfit/base/random.h"
#include "mechfit/mechanics/lagrangian.h"

// Every derivative that the door promises, against finite differences of the door's own values, for
// any family. The functions are sums over the block's lanes, so lanes are checked too.
namespace mechfit::testing {

struct DoorState {
  AlignedVector q, v, u, a, b, c, acc, W, left, right;
};

inline AlignedVector random_panel(int rows, Random& random, double scale = 1) {
  AlignedVector panel = make_panel(rows);
  for (double& value : panel) value = random.uniform(-scale, scale);
  return panel;
}

template <Lagrangian L>
DoorState random_state(const L& model, Random& random) {
  const int n = model.joints();
  return {random_panel(n, random, 2),
          random_panel(n, random, 2),
          random_panel(std::max(model.inputs(), 1), random, 2),
          random_panel(n, random),
          random_panel(n, random),
          random_panel(n, random),
          random_panel(n, random, 2),
          random_panel(n * n, random),
          random_panel(n, random),
          random_panel(n, random)};
}

// sum over lanes of a'p + b'f + c'(Mdot v + M acc) + left'M right, and <W, M>, straight from the
// values.
template <Lagrangian L>
double pairing(const L& model, const DoorState& s, typename L::Workspace& w) {
  const int n = model.joints();
  AlignedVector p = make_panel(n), f = make_panel(n), rate = make_panel(n), M = make_panel(n * n);
  model.forces({s.q.data(), s.v.data(), s.u.data()}, p.data(), f.data(), w);
  model.mass_rate(rate.data(), w);
  model.mass(s.q.data(), M.data(), w);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    for (int l = 0; l < kBlock; ++l) {
      const int k = i * kBlock + l;
      double inertia = 0, right = 0;
      for (int j = 0; j < n; ++j) {
        const double entry = M[(std::max(i, j) * n + std::min(i, j)) * kBlock + l];
        inertia += entry * s.acc[j * kBlock + l];
        right += entry * s.right[j * kBlock + l];
      }
      sum += s.left[k] * right + s.a[k] * p[k] + s.b[k] * f[k] + s.c[k] * (rate[k] + inertia);
    }
  return sum;
}

template <Lagrangian L>
double mass_pairing(const L& model, const DoorState& s, typename L::Workspace& w) {
  const int n = model.joints();
  AlignedVector M = make_panel(n * n);
  model.mass(s.q.data(), M.data(), w);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j)
      for (int l = 0; l < kBlock; ++l) {
        const int k = (i * n + j) * kBlock + l;
        sum += (i == j ? 1 : 2) * s.W[k] * M[k];
      }
  return sum;
}

// The gradient of pairing and mass_pairing to theta, q, v, u at s. mass_moves: M depends on q.
template <Lagrangian L>
void expect_door_derivatives(L model, DoorState s, double tolerance, bool mass_moves = true) {
  const int n = model.joints(), m = model.inputs();
  auto w = model.make_workspace();
  const auto check = [&](const char* what, AlignedVector& x, const AlignedVector& gradient,
                         const auto& function, bool nonzero) {
    const auto f = [&](std::span<const double> point) {
      const AlignedVector kept = x;
      std::copy(point.begin(), point.end(), x.begin());
      const double value = function(model, s, w);
      x = kept;
      return value;
    };
    const AlignedVector x0 = x;
    const auto report = check_gradient(f, x0, gradient);
    if (nonzero)
      EXPECT_TRUE(report.agrees(tolerance)) << what << ": " << report.text();
    else
      EXPECT_FALSE(report.nonzero) << what << ": " << report.text();
  };
  const auto check_theta = [&](const char* what, std::span<const double> gradient,
                               const auto& function) {
    const std::vector<double> theta(model.parameters().begin(), model.parameters().end());
    const auto f = [&](std::span<const double> point) {
      model.set_parameters(point);
      return function(model, s, w);
    };
    const auto report = check_gradient(f, theta, gradient);
    model.set_parameters(theta);
    EXPECT_TRUE(report.agrees(tolerance)) << what << ": " << report.text();
  };
  const auto all = [](const L& l, const DoorState& x, auto& space) { return pairing(l, x, space); };
  const auto inner = [](const L& l, const DoorState& x, auto& space) {
    return mass_pairing(l, x, space);
  };

  AlignedVector p = make_panel(n), f = make_panel(n), rate = make_panel(n), M = make_panel(n * n);
  AlignedVector q = make_panel(n), v = make_panel(n), u = make_panel(std::max(m, 1));
  std::vector<double> theta(model.parameter_count());
  const auto gather = [&] {
    std::vector<double> merged(model.merged_size());
    model.add_gradient(w, merged);
    std::fill(theta.begin(), theta.end(), 0.0);
    model.expand_gradient(merged, theta);
  };
  model.forces({s.q.data(), s.v.data(), s.u.data()}, p.data(), f.data(), w);
  model.mass_rate(rate.data(), w);
  model.clear_gradient(w);
  model.pullback({s.a.data(), s.b.data(), s.c.data(), s.acc.data(), s.left.data(), s.right.data()},
                 {q.data(), v.data(), m > 0 ? u.data() : nullptr, true}, w);
  gather();
  check("q", s.q, q, all, true);
  check("v", s.v, v, all, true);
  if (m > 0) check("u", s.u, u, all, true);
  check_theta("theta", theta, all);

  model.mass(s.q.data(), M.data(), w);
  model.clear_gradient(w);
  model.mass_pullback(s.W.data(), {.q = q.data(), .theta = true}, w);
  gather();
  check("<W, M> to q", s.q, q, inner, mass_moves);
  check_theta("<W, M> to theta", theta, inner);
}

// The parameter gradient per lane, for families that have it: its sum is the gathered one, and a
// lane whose covectors are zero has none.
template <Lagrangian L>
void expect_lane_gradients(const L& model, DoorState s) {
  const int n = model.joints(), p = model.parameter_count();
  auto w = model.make_workspace();
  for (auto* panel : {&s.a, &s.b, &s.c, &s.left})
    for (int i = 0; i < n; ++i) (*panel)[i * kBlock + 3] = 0;
  AlignedVector momentum = make_panel(n), f = make_panel(n), rate = make_panel(n);
  AlignedVector lanes = make_panel(p), M = make_panel(n * n);
  const Covectors covectors{s.a.data(),   s.b.data(),    s.c.data(),
                            s.acc.data(), s.left.data(), s.right.data()};
  std::vector<double> merged(model.merged_size()), theta(p);
  const auto compare = [&](const char* what) {
    std::fill(theta.begin(), theta.end(), 0.0);
    model.expand_gradient(merged, theta);
    double largest = 0;
    for (double t : theta) largest = std::max(largest, std::abs(t));
    EXPECT_GT(largest, 0) << what;
    for (int k = 0; k < p; ++k) {
      double sum = 0;
      for (int l = 0; l < kBlock; ++l) sum += lanes[k * kBlock + l];
      EXPECT_NEAR(sum, theta[k], 1e-12 * largest) << what << " parameter " << k;
    }
    std::fill(merged.begin(), merged.end(), 0.0);
  };
  model.forces({s.q.data(), s.v.data(), s.u.data()}, momentum.data(), f.data(), w);
  model.mass_rate(rate.data(), w);
  model.clear_gradient(w);
  model.pullback(covectors, {.theta = true}, w);
  model.add_gradient(w, merged);
  model.pullback(covectors, {.theta_lanes = lanes.data()}, w);
  compare("pullback");
  for (int k = 0; k < p; ++k) EXPECT_EQ(lanes[k * kBlock + 3], 0) << "parameter " << k;

  model.mass(s.q.data(), M.data(), w);
  model.clear_gradient(w);
  model.mass_pullback(s.W.data(), {.theta = true}, w);
  model.add_gradient(w, merged);
  model.mass_pullback(s.W.data(), {.theta_lanes = lanes.data()}, w);
  compare("mass_pullback");
}

// Sum of 1/2 v'Mv - V over the lanes, with M v from forces.
template <Lagrangian L>
double lagrangian_sum(const L& model, const DoorState& s, typename L::Workspace& w) {
  const int n = model.joints();
  AlignedVector p = make_panel(n), f = make_panel(n), V = make_panel(1);
  model.forces({s.q.data(), s.v.data(), s.u.data()}, p.data(), f.data(), w);
  model.potential(V.data(), w);
  double sum = 0;
  for (int l = 0; l < kBlock; ++l) sum -= V[l];
  for (int k = 0; k < n * kBlock; ++k) sum += 0.5 * s.v[k] * p[k];
  return sum;
}

}  // namespace mechfit::testing
