#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mechfit/integrate/variational.h"
#include "mechfit/mechanics/families/smm/smm_point.h"

namespace mechfit {

// One step of the variational integrator (variational.h) at one point, for simulators and
// controllers that go step by step. The equation g(v) = p - (h/2) f - P = 0 is solved by Broyden's
// method from the Jacobian M, which dg/dv is but for terms of the order of h: each iteration is one
// evaluation of p and f. Where that does not converge, Newton's method with step halving does the
// step. Allocates nothing after construction; not to be shared between threads. The model must
// outlive it.
class VariationalPoint {
 public:
  explicit VariationalPoint(const Model& model);

  using In = std::span<const double>;
  using Out = std::span<double>;

  // From q with arriving momentum P; u is empty for no input. v holds a guess, that of the step
  // before, and becomes the velocity of the step. Nothing is written unless the status is ok.
  [[nodiscard]] StepStatus step(In q, In momentum, In u, double h, Out v, Out q_next,
                                Out momentum_next);

  // Whether a step costs less than one of a whole block divided by its lanes, or not much more.
  bool quick() const { return smm_.has_value(); }

  // v = M(q)^-1 P; false, and nothing written, where M is not positive definite.
  [[nodiscard]] bool velocity(In q, In momentum, Out v);

 private:
  bool evaluate(In q, In momentum, In u, double h, In v);  // p_, f_, g_; false: not finite
  bool take_metric();                                      // M there, factored into mass_
  double squared_norm(In x);                               // x' M^-1 x
  bool broyden(In q, In momentum, In u, double h, Out v);
  bool node_velocity(In q, In momentum, In u);  // node_ = M(q)^-1 P, another guess
  // Leaves the velocity in trial_, p and f there in p_ and f_.
  StepStatus newton(In q, In momentum, In u, double h, In guess);

  const Model& model_;
  int n_;
  std::optional<SmmPoint> smm_;         // networks have a faster way than a block with one point
  VariationalWorkspace w_;              // of Newton's method, and of the block's point
  std::vector<double> qm_, p_, f_, g_;  // [n]
  std::vector<double> rate_, scratch_, trial_, node_;  // [n]
  std::vector<double> mass_;                           // M = G G', then G  [n][n]
  std::vector<double> moves_, impulses_;  // Broyden's steps s and M s, [kMostMoves + 1][n]
  AlignedVector u_, h_;                   // [m], [1]  x [kBlock]
  AlignedVector q_, momentum_, v_, q_next_, momentum_next_;  // [n][kBlock]
};

}  // namespace mechfit
