#pragma once

#include <string>

#include "mechfit/evaluate/scores.h"
#include "mechfit/fit/fit.h"

namespace mechfit {

// The page of whatever results a folder holds.
std::string report_page(const std::string& folder);

// Keeps the document of a fit in its run folder, and its page beside it.
void write_fit_page(const std::string& folder, const FitResult& result,
                    const EvaluationData& held_out, const Scores& scores,
                    const std::string& config, ThreadPool& pool);

}  // namespace mechfit
