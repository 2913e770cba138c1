#include "rollout_print.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "terminal.h"

namespace mechfit {

void print_rollout(const RolloutResult& result, const std::string& output) {
  constexpr std::size_t kMostRuns = 20;
  const auto& runs = result.log.runs;
  Table table({"run", "samples", "duration", "status"});
  for (std::size_t r = 0; r < std::min(runs.size(), kMostRuns); ++r)
    table.add({runs[r].name, std::to_string(runs[r].size()),
               short_number(runs[r].size() == 0 ? 0 : runs[r].t.back() - runs[r].t.front()) + " s",
               result.status[r] == StepStatus::ok ? "ok" : "stopped early"});
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
                    {"status", describe(result.status[r])}});
  }
  const json out = {{"output", output}, {"runs", runs}};
  std::puts(out.dump(2, ' ', false, json::error_handler_t::replace).c_str());
}

}  // namespace mechfit
