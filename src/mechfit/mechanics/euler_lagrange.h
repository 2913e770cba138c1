#pragma once

#include <cstdint>

#include "mechfit/base/batch.h"
#include "mechfit/mechanics/model.h"

// The continuous Euler-Lagrange equation d/dt p = f, on one block of points:
//
//   Mdot v + M a = f   so   a = M^-1 (f - Mdot v)
namespace mechfit {

// One bit per lane of a block.
using LaneMask = std::uint64_t;
inline constexpr LaneMask kAllLanes = (LaneMask{1} << kBlock) - 1;

// Scratch memory of the operations below; remembers the last point.
struct AccelerationWorkspace {
  explicit AccelerationWorkspace(const Model& model);

  Model::Workspace model;
  AlignedVector p, f, mdot_v;          // [n][kBlock]
  AlignedVector factor;                // [n*n][kBlock], M = G G'
  AlignedVector a;                     // [n][kBlock], zero in the lanes that are not positive
  AlignedVector lambda, minus_lambda;  // [n][kBlock]
  AlignedVector zero_u;                // [m][kBlock]
  LaneMask positive = 0;               // lanes where M is positive definite
};

// a [n][kBlock] at x. Returns the lanes where M is positive definite; a is NaN in the others. A
// null x.u is no input.
[[nodiscard]] LaneMask acceleration(const Model& model, const Points& x, double* a,
                                    AccelerationWorkspace& w);

// Pullback of the last `acceleration`: with g = dloss/da [n][kBlock] and lambda = M^-1 g the
// gradient of the loss is that of lambda'(f - Mdot v - M a), lambda and a held fixed. Lanes where M
// is not positive definite count as g = 0. theta goes to w.model's accumulator.
void acceleration_pullback(const Model& model, const double* g, const Adjoints& adjoints,
                           AccelerationWorkspace& w);

// Inverse dynamics tau = Mdot v + M a - f(q, v, u = 0) [n][kBlock]: what the inputs must push (B u)
// to move the model with acceleration a. x.u is not read.
void inverse_dynamics(const Model& model, const Points& x, const double* a, double* tau,
                      AccelerationWorkspace& w);

// Energy 1/2 v'p + V [1][kBlock] and momentum p = M v [n][kBlock]. x.u is not read.
void energy(const Model& model, const Points& x, double* energy, AccelerationWorkspace& w);
void momentum(const Model& model, const Points& x, double* p, AccelerationWorkspace& w);

}  // namespace mechfit
