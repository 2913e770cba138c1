#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "mechfit/evaluate/scores.h"
#include "mechfit/fit/fit.h"

namespace mechfit {

// The page (docs/report.md) of a finished fit: its scores and what lies behind them on the held-out
// runs, `held_out`. `settings` are shown as they are, to obtain the fit again.
nlohmann::json fit_document(const FitResult& result, const EvaluationData& held_out,
                            const Scores& scores, const std::string& title,
                            const std::vector<std::pair<std::string, std::string>>& settings,
                            ThreadPool& pool);

}  // namespace mechfit
