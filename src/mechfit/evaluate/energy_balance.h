#pragma once

#include <span>

#include "mechfit/base/thread_pool.h"
#include "mechfit/integrate/rollout.h"

namespace mechfit {

// Does a simulated motion keep the model's energy E = 1/2 v' M v + V, apart from the work of its
// forces F? Root mean square over trajectories and samples of
//
//   E_k - E_0 - sum over the steps before of h vm' F(qm, vm, u)
//
// in units of the mean kinetic energy of the motion, so that it does not depend on the scale of L.
// Zero for exact motion of a model without forces; the midpoint rule for their work has an error of
// order h^2, like the integrator. The rollout must have midpoints; of trajectory i the first
// steps[i] steps count, as far as it got.
double energy_drift(const Model& model, const RolloutRequest& request, const Rollout& rollout,
                    std::span<const int> steps, ThreadPool& pool);

}  // namespace mechfit
