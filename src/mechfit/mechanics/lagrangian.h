#pragma once

#include <concepts>
#include <span>
#include <string>
#include <vector>

#include "mechfit/base/batch.h"
#include "mechfit/log/log.h"

// The door: everything the product does with a Lagrangian
//
//   L(q, v) = 1/2 v' M(q) v - V(q),   p = M v,   f = dL/dq + F(q, v, u)
//
// goes through the operations below on one block of points (panels [rows][kBlock], samples in
// lanes):
//
//   1. forces              p and f at (q, v, u)
//   2. pullback            gradient of s = a'p + b'f + c'(Mdot v + M acc) + left' M right
//                          to theta, q, v, u (docs/design.md, 1)
//   3. mass, mass_pullback M(q) and the gradient of <W, M>; factor: its Cholesky factor
//   4. mass_rate           Mdot v, with Mdot = dM/dq along v
//
// A family (networks, trigonometric polynomials, analytic systems) is a class that satisfies
// `Lagrangian`.
namespace mechfit {

// One block of points. u may be null when the model has no inputs.
struct Points {
  const double* q;  // [n][kBlock]
  const double* v;  // [n][kBlock]
  const double* u;  // [m][kBlock]
};

// s = a'p + b'f + c'(Mdot v + M acc) + sum over pairs of left' M right, sample by sample. Null
// pointers are zeros; acc belongs to c, left and right to each other.
struct Covectors {
  const double* a = nullptr;      // [n][kBlock]
  const double* b = nullptr;      // [n][kBlock]
  const double* c = nullptr;      // [n][kBlock]
  const double* acc = nullptr;    // [n][kBlock]
  const double* left = nullptr;   // [pairs * n][kBlock]
  const double* right = nullptr;  // [pairs * n][kBlock]
  int pairs = 1;
};

// Where the gradient of s goes. Panels are overwritten, null ones are not computed. With `theta`
// the gradient to the parameters, summed over the lanes, is added to the workspace's accumulator
// (see clear_gradient, add_gradient). Lanes that must not count have zero covectors.
struct Adjoints {
  double* q = nullptr;  // [n][kBlock]
  double* v = nullptr;  // [n][kBlock]
  double* u = nullptr;  // [m][kBlock]
  bool theta = false;
  // The gradient to the parameters in every lane [p][kBlock], where these are few. It may use up
  // the accumulator.
  double* theta_lanes = nullptr;
};

// A family of Lagrangians. A model is const while it is evaluated; all scratch memory is in the
// workspace, which remembers the last point: `pullback`, `mass_rate` and `factor` belong to the
// last `forces` with the same workspace (factor and mass_pullback also to the last `mass`), and may
// be called any number of times for it. mass_rate must have been called before a pullback with c.
template <class L>
concept Lagrangian = requires(L model, const L& m, typename L::Workspace& w, const Points& x,
                              double* panel, const double* cpanel, const Covectors& covectors,
                              const Adjoints& adjoints, std::span<const double> theta,
                              std::span<double> gradient) {
  { m.joints() } -> std::same_as<int>;           // n
  { m.inputs() } -> std::same_as<int>;           // m
  { m.parameter_count() } -> std::same_as<int>;  // size of theta
  { m.parameters() } -> std::convertible_to<std::span<const double>>;
  model.set_parameters(theta);
  { m.make_workspace() } -> std::same_as<typename L::Workspace>;

  m.forces(x, panel, panel, w);  // p [n][kBlock], f [n][kBlock]
  m.pullback(covectors, adjoints, w);
  m.mass_rate(panel, w);     // Mdot v [n][kBlock]
  m.mass(cpanel, panel, w);  // M [n*n][kBlock], row i column j at i * n + j, lower triangle
  m.factor(panel, w);        // lower triangular G, M = G G', same layout; NaN where M is not > 0
  m.mass_pullback(cpanel, adjoints, w);  // W [n*n][kBlock], its lower triangle, W symmetric
  m.potential(panel, w);                 // V [1][kBlock] at the last `forces`

  // Parameter gradients are gathered in the workspace, folded chunk by chunk in a form of the
  // family's own (`merged`) and expanded to theta once. add_gradient: merged += what pullbacks
  // gathered since clear_gradient, one addition for each number (add = false: merged = that).
  // expand_gradient: from merged to the gradient to theta.
  { m.merged_size() } -> std::same_as<int>;
  m.clear_gradient(w);
  m.add_gradient(w, gradient);
  m.add_gradient(w, gradient, false);
  m.expand_gradient(theta, gradient);
};

}  // namespace mechfit
