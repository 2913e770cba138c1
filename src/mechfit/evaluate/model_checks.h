#pragma once

#include <span>
#include <vector>

#include "mechfit/base/thread_pool.h"
#include "mechfit/evaluate/rollout_error.h"

// Smaller questions to a model. Bits do not depend on the number of threads; a model without inputs
// ignores those of the log.
namespace mechfit {

// Eigenvalues of M over configurations q [N][n].
struct MassRange {
  double smallest = 0, largest = 0;
};
MassRange mass_eigenvalues(const Model& model, std::span<const double> q, ThreadPool& pool);

// How well the log's positions satisfy the discrete Euler-Lagrange equation, over all triples of
// neighbouring samples.
struct DelScore {
  int triples = 0;
  double rho = 0;  // mean of r'r, paper eq. (5): depends on the scale of L
  // Root mean square of Mbar^-1 r / h (discrete_error.h), an acceleration: does not depend on it.
  // +inf when M is not positive definite at some midpoint.
  JointErrors acceleration;
};
DelScore del_score(const Model& model, const Log& log, ThreadPool& pool);

// One step of RK4 from each sample's (q, qd) against the next sample's.
struct NextStateScore {
  int steps = 0, failed = 0;  // failed steps are not in the errors
  JointErrors q, v;
  JointErrors q_baseline, v_baseline;  // constant velocity
};
NextStateScore next_state_score(const Model& model, const Log& log, ThreadPool& pool);

}  // namespace mechfit
