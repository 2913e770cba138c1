#pragma once

#include "mechfit/fit/fit.h"
#include "mechfit/log/split.h"

namespace mechfit {

// fit() by joint estimation: every family that `options` allow is fitted to the thinned training
// runs, and the one is kept that makes the held-out runs most likely.
FitResult fit_jointly(Split split, const Log& train_smoothed, const Channels& channels,
                      const FitOptions& options, ThreadPool& pool, const FitHooks& hooks,
                      std::vector<std::string> notes);

}  // namespace mechfit
