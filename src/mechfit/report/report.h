#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mechfit/evaluate/scores.h"
#include "mechfit/fit/fit.h"

// Results as one HTML page that needs no network.
namespace mechfit {

// The page of the results that a folder holds: of a study, or of a fit (write_fit_report).
std::string report_page(const std::string& folder);

// Names and texts that a page shows as they are, to obtain the results again.
using ReportSettings = std::vector<std::pair<std::string, std::string>>;

// Writes report.html, the page of a fit with its scores and what lies behind them on the held-out
// runs, into a folder, and beside it what report_page makes the page from again, report.json.
void write_fit_report(const std::string& folder, const FitResult& result,
                      const EvaluationData& held_out, const Scores& scores, ReportSettings settings,
                      ThreadPool& pool);

}  // namespace mechfit
