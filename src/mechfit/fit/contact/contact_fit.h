#pragma once

#include "mechfit/fit/fit.h"

namespace mechfit {

// fit() for a machine that may hit stops: looks for contacts (contact_search.h), fits to the motion
// between impacts, and estimates the contacts again with the model that was kept.
FitResult fit_with_contacts(const Log& observed, const std::optional<Log>& validation,
                            const FitOptions& options, ThreadPool& pool, const FitHooks& hooks);

}  // namespace mechfit
