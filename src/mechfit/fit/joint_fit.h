#pragma once

#include <optional>

#include "mechfit/fit/fit.h"
#include "mechfit/fit/fit_data.h"

namespace mechfit {

// Fits the families that the options ask for together with the motions and keeps one. The data are
// prepared anew where the fit shows that inputs act otherwise than it began with.
void fit_jointly(const Log& observed, const std::optional<Log>& validation,
                 const FitOptions& options, ThreadPool& pool, const FitHooks& hooks, FitData& data,
                 FitResult& result);

}  // namespace mechfit
