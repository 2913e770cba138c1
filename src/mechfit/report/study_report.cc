#include "mechfit/report/study_report.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "mechfit/base/error.h"
#include "mechfit/files/files.h"
#include "mechfit/study/study.h"
#include "mechfit/study/summary.h"
#include "mechfit/study/trajectories.h"

namespace mechfit {
namespace {

using nlohmann::json;

json number(double x) { return std::isfinite(x) ? json(x) : json(); }

json bar_json(const StudyBar& bar, const StudyDescription& study) {
  json values = json::array();
  for (const double value : bar.values) values.push_back(number(value));
  json out = {{"system", bar.system},
              {"noise", bar.noise},
              {"method", study.label(bar.method)},
              {"mean", number(bar.mean)},
              {"error", number(bar.error)},
              {"runs", bar.counted + bar.left_out},
              {"left_out", bar.left_out},
              {"failed", bar.failed},
              {"values", values}};
  if (bar.rate > 0) out["rate"] = rate_text(bar.rate);
  if (bar.published) out["published"] = *bar.published;
  return out;
}

json pair_json(const StudyPair& pair, const StudyDescription& study) {
  return {{"system", pair.system},
          {"noise", pair.noise},
          {"rate", pair.rate == StudyPair::kBest ? "best of each" : rate_text(pair.rate)},
          {"first", study.label(pair.first)},
          {"second", study.label(pair.second)},
          {"difference", number(pair.difference)},
          {"error", number(pair.error)},
          {"pairs", pair.pairs}};
}

json settings_json(const StudyDescription& study, const StudySummary& summary) {
  json settings = json::array();
  const auto add = [&](const char* name, const std::string& value) {
    settings.push_back({{"name", name}, {"value", value}});
  };
  add("Command", study.command);
  add("Version", "mechfit " + study.version);
  add("Data", !study.data.empty() ? "files in " + study.data
              : study.pendulum == name_of(Pendulum::points)
                  ? "simulated: two point masses, absolute angles"
                  : "simulated: two uniform rods, relative second angle");
  add("Epochs", std::to_string(study.settings.epochs));
  if (!summary.seeds.empty())
    add("Seeds",
        std::to_string(summary.seeds.front()) + " to " + std::to_string(summary.seeds.back()));
  add("Barrier", "weighs " + noise_text(study.settings.barrier_share) +
                     " times the DEL residual at the start");
  return settings;
}

}  // namespace

json study_document(const std::string& folder) {
  const StudyDescription study = read_description(folder);
  const auto records = read_records(folder);
  const StudySummary summary = summarise(records, study.method_names(), study.is_published());
  json bars = json::array(), pairs = json::array(), failures = json::array(), seeds = summary.seeds;
  for (const StudyBar& bar : summary.bars) bars.push_back(bar_json(bar, study));
  for (const StudyPair& pair : summary.pairs)
    if (pair.pairs > 0) pairs.push_back(pair_json(pair, study));
  for (const CellRecord& record : records)
    if (!record.result)
      failures.push_back({{"run", cell_text(record.cell)}, {"reason", record.failure}});
  return {{"kind", "study"},
          {"title", study.name == "paper" ? "The paper, reproduced" : "Beyond the paper"},
          {"subtitle",
           "Structured mechanical models of the double pendulum, fitted to noisy angles: mean "
           "squared error of predicted accelerations on held-out motion without noise."},
          {"settings", settings_json(study, summary)},
          {"joints", {{{"name", "q1"}, {"unit", "rad"}}, {{"name", "q2"}, {"unit", "rad"}}}},
          {"counts",
           {{"planned", study.planned},
            {"finished", summary.finished},
            {"failed", summary.failed},
            {"left_out", summary.left_out}}},
          {"failures", failures},
          {"left_out_above", kLeftOutAbove},
          {"seeds", seeds},
          {"bars", bars},
          {"paired", pairs},
          {"trajectories", json(read_trajectories(folder))}};
}

}  // namespace mechfit
