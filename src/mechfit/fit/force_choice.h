#pragma once

#include <vector>

#include "mechfit/fit/candidates.h"
#include "mechfit/fit/fit.h"

namespace mechfit {

// After a fit of a machine whose joints are all driven: joint estimation whose errors are torques
// (force_fit.h), from torque regression of the family that was kept. It takes the place of the
// result's model where it makes held-out motions and torques clearly more likely and predicts
// torques no worse.
void compare_by_force(const FitData& data, const std::vector<Candidate>& list, ThreadPool& pool,
                      const FitHooks& hooks, FitResult& result);

}  // namespace mechfit
