#pragma once

#include <optional>
#include <span>

#include "mechfit/mechanics/euler_lagrange.h"
#include "mechfit/mechanics/families/smm/smm_point.h"

namespace mechfit {

// A model at one point at a time, for users and controllers. Checks shapes and that every number is
// finite; allocates nothing after construction; not to be shared between threads. The model must
// outlive it.
class PointDynamics {
 public:
  explicit PointDynamics(const Model& model);

  using In = std::span<const double>;
  using Out = std::span<double>;

  void mass(In q, Out m);                            // M(q) [n*n], both triangles
  double potential(In q);                            // V(q)
  void force(In q, In v, In u, Out f);               // dL/dq + F [n]; u [m] or empty for no input
  void momentum(In q, In v, Out p);                  // M v [n]
  double energy(In q, In v);                         // 1/2 v' M v + V
  void inverse_dynamics(In q, In v, In a, Out tau);  // Mdot v + M a - f(q, v, 0) [n]

  // a [n] = M^-1 (f - Mdot v); false, and a untouched, where M(q) is not positive definite.
  [[nodiscard]] bool acceleration(In q, In v, In u, Out a);

  // The motion near a state x = (q, v): A = df/dx [2n*2n] and B = df/du [2n*m] of
  // xdot = f(x, u) = (v, acceleration), row by row. Exact: n pullbacks, one per lane. false, and A
  // and B untouched, where M(q) is not positive definite.
  [[nodiscard]] bool linearize(In q, In v, In u, Out a, Out b);

 private:
  void check(In x, int size, const char* name) const;
  void check(In q, In v, In u) const;
  void set(In x, AlignedVector& panel, const char* name);
  void set_inputs(In u);
  Points points();

  const Model& model_;
  std::optional<SmmPoint> smm_;  // networks have a faster way than a block with one point in it
  AccelerationWorkspace w_;
  AlignedVector q_, v_, u_, a_, out_;
  AlignedVector unit_, slope_q_, slope_v_, slope_u_;  // of linearize
};

}  // namespace mechfit
