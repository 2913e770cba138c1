#pragma once

#include "mechfit/fit/fit.h"
#include "mechfit/fit/fit_data.h"

namespace mechfit {

// fit() by one of the objectives on smoothed data. Fills status, model, history, state and notes.
void fit_smoothed(const FitData& data, const Start& start, const FitOptions& options,
                  ThreadPool& pool, const FitHooks& hooks, FitResult& result);

}  // namespace mechfit
