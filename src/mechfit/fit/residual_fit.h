#pragma once

#include "mechfit/fit/fit.h"
#include "mechfit/fit/fit_data.h"

namespace mechfit {

// The options of the fit of a known structure alone, where `options` ask for one with a network of
// forces beside it; nothing where they do not.
std::optional<FitOptions> structure_options(const FitOptions& options);

// After that fit: trains a network (residual.h) on what the structure leaves unexplained, torques
// where every joint is driven, else accelerations. The structure keeps its parameters. The network
// is kept where it brings the held-out error clearly down.
void add_residual(const FitData& data, const FitOptions& options, ThreadPool& pool,
                  const FitHooks& hooks, FitResult& result);

}  // namespace mechfit
