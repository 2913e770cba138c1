#pragma once

#include "mechfit/estimate/motion/model_smoother.h"
#include "mechfit/evaluate/ensemble.h"

namespace mechfit {

// smooth_with_model with what is unsure about the model counted in the standard deviations: the
// motions that equally likely models make of the same observations scatter too. InputError when the
// model has no positive definite M on a run.
ModelSmoothResult smooth_with_model(const Ensemble& ensemble, const Log& observed,
                                    ThreadPool& pool);

}  // namespace mechfit
