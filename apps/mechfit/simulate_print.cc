#include "simulate_print.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "mechfit/base/text.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "terminal.h"

namespace mechfit {
namespace {

using nlohmann::json;

json constants_json(const AnalyticSystem& system) {
  json constants = json::object();
  for (const auto& constant : system.constants())
    constants[constant.name] = system.constant(constant.name);
  return constants;
}

std::size_t impact_count(const Simulation& result) {
  std::size_t count = 0;
  for (const auto& events : result.events) count += events.size();
  return count;
}

void print_json(const json& value) {
  std::puts(value.dump(2, ' ', false, json::error_handler_t::replace).c_str());
}

}  // namespace

void print_systems() {
  for (const auto& info : list_systems()) {
    const AnalyticSystem system = make_system(info.name);
    std::vector<std::string> constants;
    for (const auto& constant : system.constants())
      constants.push_back(constant.name + "=" + short_number(constant.value));
    std::printf("%s: %s\n", info.name.c_str(), info.description.c_str());
    std::printf("  joints     %s%s\n", listed(system.joint_names()).c_str(),
                info.any_joints ? " (--links N)" : "");
    if (system.inputs() > 0) std::printf("  inputs     %s\n", listed(system.input_names()).c_str());
    std::printf("  constants  %s\n", listed(constants).c_str());
  }
}

void print_systems_json() {
  json systems = json::array();
  for (const auto& info : list_systems()) {
    const AnalyticSystem system = make_system(info.name);
    json constants = json::array();
    for (const auto& constant : system.constants())
      constants.push_back(
          {{"name", constant.name}, {"value", constant.value}, {"unit", constant.unit}});
    systems.push_back({{"name", info.name},
                       {"description", info.description},
                       {"joints", system.joint_names()},
                       {"inputs", system.input_names()},
                       {"constants", constants}});
  }
  print_json(systems);
}

void print_simulation(const AnalyticSystem& system, const SimulateOptions& options,
                      const std::vector<std::string>& files, const Simulation& result) {
  const char* contents[] = {"observations", "truth", "midpoint truth"};
  std::printf("%s: %d run%s of %d samples, %s s apart.\n", system.name().c_str(), options.runs,
              options.runs == 1 ? "" : "s", options.steps + 1, short_number(options.h).c_str());
  if (!options.contacts.empty()) std::printf("%zu impacts.\n", impact_count(result));
  for (std::size_t i = 0; i < files.size(); ++i)
    if (!files[i].empty()) std::printf("Wrote %s: %s.\n", files[i].c_str(), contents[i]);
}

void print_simulation_json(const AnalyticSystem& system, const SimulateOptions& options,
                           const std::vector<std::string>& files, const Simulation& result) {
  const char* contents[] = {"observations", "truth", "midpoints"};
  json out = {{"system", system.name()}, {"constants", constants_json(system)},
              {"runs", options.runs},    {"samples", options.steps + 1},
              {"step", options.h},       {"substeps", options.substeps},
              {"seed", options.seed},    {"noise", options.noise}};
  if (!options.contacts.empty()) out["impacts"] = impact_count(result);
  for (std::size_t i = 0; i < files.size(); ++i)
    if (!files[i].empty()) out["files"][contents[i]] = files[i];
  print_json(out);
}

}  // namespace mechfit
