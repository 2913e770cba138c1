#include "rollout_print.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "terminal.h"

namespace mechfit {

void print_rollout(const RolloutResult& result, const std::string& output) {
  constexpr std::size_t kMostRuns = 20;
  const auto& runs = result.log.runs;
  const bool left = std::any_of(result.leaves.begin(), result.leaves.end(),
                                [](double t) { return !std::isnan(t); });
  std::vector<std::string> header = {"run", "samples", "duration", "status"};
  if (left) header.push_back("leaves what the model was fitted to");
  Table table(header);
  for (std::size_t r = 0; r < std::min(runs.size(), kMostRuns); ++r) {
    std::vector<std::string> row = {
        runs[r].name, std::to_string(runs[r].size()),
        short_number(runs[r].size() == 0 ? 0 : runs[r].t.back() - runs[r].t.front()) + " s",
        result.status[r] == StepStatus::ok ? "ok" : "stopped early"};
    if (left)
      row.push_back(std::isnan(result.leaves[r])
                        ? "never"
                        : "after " + short_number(result.leaves[r] - runs[r].t.front()) + " s");
    table.add(row);
  }
  table.print();
  if (runs.size() > kMostRuns) std::printf("and %zu more runs\n", runs.size() - kMostRuns);
  std::printf("written to %s\n", output.c_str());
}

void print_rollout_json(const RolloutResult& result, const std::string& output) {
  using nlohmann::json;
  json runs = json::array();
  for (std::size_t r = 0; r < result.log.runs.size(); ++r) {
    const Trajectory& run = result.log.runs[r];
    runs.push_back({{"name", run.name},
                    {"samples", run.size()},
                    {"duration", run.size() == 0 ? 0 : run.t.back() - run.t.front()},
                    {"status", describe(result.status[r])},
                    {"leaves_region", result.leaves[r]}});  // null: never
  }
  const json out = {{"output", output}, {"runs", runs}};
  std::puts(out.dump(2, ' ', false, json::error_handler_t::replace).c_str());
}

}  // namespace mechfit
