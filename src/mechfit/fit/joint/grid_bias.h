#pragma once

#include <span>

#include "mechfit/fit/joint/joint.h"

namespace mechfit {

// Whether the midpoint rule's own error on the steps of a fit shows in its parameters: the motions
// are solved for the fitted model on its steps and on finer ones, and with d1 and d2 the
// Gauss-Newton steps of the parameters on either, S their information,
//
//   B = (d2 - d1)' S (d2 - d1) / p
//
// is the rule's bias in units of what the observations leave unsure. It falls with the fourth power
// of the step. For families with few parameters; NaN where a step cannot be made. `observed` and
// `finer` (refine.h) are the training runs on the fit's steps and on finer ones.
double grid_bias(const JointResult& fitted, const Log& observed, const Log& finer,
                 std::span<const int> fixed, ThreadPool& pool);

}  // namespace mechfit
