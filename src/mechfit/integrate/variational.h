#pragma once

#include <array>

#include "mechfit/integrate/rollout.h"
#include "mechfit/mechanics/discrete.h"

// The variational integrator of the midpoint rule (notation of discrete.h) in position-momentum
// form: with P the momentum that arrives at q, the next configuration q + h v solves
//
//   g(v) = p - (h/2) f - P = 0        at  qm = q + (h/2) v,  vm = v
//
// and P_next = p + (h/2) f. This is the DEL equation. P = M(q0) v0 starts from (q0, v0) (discrete
// Legendre transform), P = P+(q0, q1) from two configurations.
//
// Newton's method with step halving, measured by g' M^-1 g, which is an energy and so compares
// joints of different units and inertias fairly. It ends at a relative size of 1e-13, or where
// rounding stops it below 1e-9.
namespace mechfit {

struct VariationalWorkspace {
  explicit VariationalWorkspace(const Model& model);

  DelWorkspace block;
  AlignedVector v;                 // last accepted v              [n][kBlock]
  AlignedVector p, f;              // there                        [n][kBlock]
  AlignedVector g, direction;      // residual, Newton direction   [n][kBlock]
  AlignedVector factor, jacobian;  // M = G G' at the guess; dg/dv [n*n][kBlock]
  AlignedVector scaled;            // G^-1 g                       [n][kBlock]
  AlignedVector second_guess;      // [n][kBlock]
  std::vector<double> matrix;      // one lane's equations         [n][n+1]
};

// One step of the lanes in `active`, from q with arriving momentum P; u may be null, h is [kBlock].
// v holds a guess and becomes vm; q_next, P_next [n][kBlock] and status are written for active
// lanes that end with status ok, nothing else is touched. A lane's result does not depend on the
// others.
void variational_step(const Model& model, const double* q, const double* momentum, const double* u,
                      const double* h, LaneMask active, double* v, double* q_next,
                      double* momentum_next, std::array<StepStatus, kBlock>& status,
                      VariationalWorkspace& w);

// Simulates all trajectories of `request`, from v0 or from q1. Velocities at the samples are M^-1
// P; midpoints are (qm, vm) of the middle inner step, or the sample there when substeps is even.
Rollout variational_rollout(const Model& model, const RolloutRequest& request, ThreadPool& pool);

}  // namespace mechfit
