#include "study_print.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "terminal.h"

namespace mechfit {
namespace {

using Json = nlohmann::ordered_json;

std::string with_error(double mean, double error) {
  if (std::isnan(mean)) return "-";
  char text[64];
  const double size = std::fabs(mean);
  const int digits = size >= 20 ? 1 : size >= 1 || size == 0 ? 2 : size >= 0.1 ? 3 : 4;
  std::snprintf(text, sizeof text, "%.*f", digits, mean);
  std::string out = text;
  if (std::isnan(error)) return out;
  std::snprintf(text, sizeof text, " ± %.*f", digits, error);
  return out + text;
}

template <class T>
void add_new(std::vector<T>& list, const T& item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

// One system at one level of noise: methods down, learning rates across.
void print_setting(const std::vector<const StudyBar*>& bars, const StudyDescription& study) {
  std::vector<double> rates;
  std::vector<std::string> names;
  bool published = false;
  for (const StudyBar* bar : bars) {
    add_new(rates, bar->rate);
    add_new(names, bar->method);
    published = published || bar->published;
  }
  std::vector<std::string> header = {bars[0]->system + ", noise " + noise_text(bars[0]->noise)};
  for (const double rate : rates) header.push_back(rate > 0 ? rate_text(rate) : "");
  Table table(header);
  const auto add = [&](const std::string& name, const std::string& title, auto text) {
    std::vector<std::string> row = {title};
    for (const double rate : rates) {
      const auto bar = std::find_if(bars.begin(), bars.end(), [&](const StudyBar* b) {
        return b->method == name && b->rate == rate;
      });
      row.push_back(bar == bars.end() ? "" : text(**bar));
    }
    table.add(row);
  };
  for (const std::string& name : names) {
    add(name, study.label(name), [](const StudyBar& bar) {
      std::string text = with_error(bar.mean, bar.error);
      if (bar.left_out > 0) text += " (" + std::to_string(bar.left_out) + " out)";
      if (bar.failed > 0) text += " (" + std::to_string(bar.failed) + " failed)";
      return text;
    });
    if (published)
      add(name, "  published",
          [](const StudyBar& bar) { return bar.published ? short_number(*bar.published) : ""; });
  }
  table.print();
  std::printf("\n");
}

void print_pairs(const StudySummary& summary, const StudyDescription& study) {
  Table table({"each method at its best rate", "difference", "pairs"});
  bool any = false;
  for (const StudyPair& pair : summary.pairs) {
    if (pair.rate != StudyPair::kBest || pair.pairs == 0) continue;
    any = true;
    table.add({pair.system + ", noise " + noise_text(pair.noise) + ": " + study.label(pair.first) +
                   " - " + study.label(pair.second),
               with_error(pair.difference, pair.error), std::to_string(pair.pairs)});
  }
  if (!any) return;
  table.print();
  std::printf("\n");
}

Json number(double x) { return std::isfinite(x) ? Json(x) : Json(); }

Json rate_json(double rate) {
  if (rate == StudyPair::kBest) return "best";
  return rate > 0 ? Json(rate) : Json();
}

}  // namespace

void print_study(const StudyOutcome& outcome) {
  const StudySummary& summary = outcome.summary;
  std::printf("Mean squared error of accelerations on the test runs, by learning rate\n\n");
  for (std::size_t begin = 0; begin < summary.bars.size();) {
    std::vector<const StudyBar*> bars;
    const StudyBar& first = summary.bars[begin];
    for (; begin < summary.bars.size() && summary.bars[begin].system == first.system &&
           summary.bars[begin].noise == first.noise;
         ++begin)
      bars.push_back(&summary.bars[begin]);
    print_setting(bars, outcome.study);
  }
  print_pairs(summary, outcome.study);
  if (summary.left_out > 0)
    std::printf("Left out of the means: %d run%s with an error above %g.\n", summary.left_out,
                summary.left_out == 1 ? "" : "s", kLeftOutAbove);
  for (const CellRecord& record : outcome.records)
    if (!record.result)
      std::printf("Failed: %s: %s\n", cell_text(record.cell).c_str(), record.failure.c_str());
  std::printf("Ran %d of %d cells in %s", outcome.ran, outcome.planned,
              clock_text(outcome.seconds).c_str());
  if (outcome.processes > 1) std::printf(", %d processes", outcome.processes);
  std::printf(", %d job%s", outcome.jobs, outcome.jobs == 1 ? "" : "s");
  if (!outcome.method_times.empty()) std::printf(" (%s per cell)", outcome.method_times.c_str());
  std::printf(".\nWrote results.csv, summary.csv and paired.csv to %s.\n", outcome.folder.c_str());
}

void print_study_json(const StudyOutcome& outcome) {
  Json bars = Json::array(), pairs = Json::array(), failures = Json::array();
  for (const StudyBar& bar : outcome.summary.bars)
    bars.push_back({{"system", bar.system},
                    {"noise", bar.noise},
                    {"method", bar.method},
                    {"learning_rate", rate_json(bar.rate)},
                    {"mean", number(bar.mean)},
                    {"standard_error", number(bar.error)},
                    {"counted", bar.counted},
                    {"left_out", bar.left_out},
                    {"failed", bar.failed},
                    {"published", bar.published ? Json(*bar.published) : Json()}});
  for (const StudyPair& pair : outcome.summary.pairs)
    pairs.push_back({{"system", pair.system},
                     {"noise", pair.noise},
                     {"learning_rate", rate_json(pair.rate)},
                     {"first", pair.first},
                     {"second", pair.second},
                     {"difference", number(pair.difference)},
                     {"standard_error", number(pair.error)},
                     {"pairs", pair.pairs}});
  for (const CellRecord& record : outcome.records)
    if (!record.result)
      failures.push_back({{"cell", cell_text(record.cell)}, {"reason", record.failure}});
  const Json out = {{"folder", outcome.folder},
                    {"planned", outcome.planned},
                    {"ran", outcome.ran},
                    {"finished", outcome.summary.finished},
                    {"left_out", outcome.summary.left_out},
                    {"seconds", outcome.seconds},
                    {"failures", failures},
                    {"bars", bars},
                    {"paired", pairs}};
  std::puts(out.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
}

}  // namespace mechfit
