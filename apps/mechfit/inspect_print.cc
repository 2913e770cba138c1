#include <cstdio>
#include <nlohmann/json.hpp>

#include "inspect.h"
#include "terminal.h"

namespace mechfit {
namespace {

using nlohmann::json;

json step_json(const StepSummary& step) {
  return {{"median", step.median}, {"shortest", step.shortest}, {"longest", step.longest}};
}

}  // namespace

void print_inspection(const Log& log, const Inspection& inspection) {
  const auto& step = inspection.step;
  std::printf("%zu run%s, %d samples, %s s, step %s s (%s to %s)\n\n", inspection.runs.size(),
              inspection.runs.size() == 1 ? "" : "s", inspection.samples,
              short_number(inspection.duration).c_str(), short_number(step.median).c_str(),
              short_number(step.shortest).c_str(), short_number(step.longest).c_str());

  Table joints({"joint", "type", "unit", "lowest", "highest", "largest move", "noise", "resolution",
                "main frequency", "samples per period"});
  for (std::size_t i = 0; i < inspection.joints.size(); ++i) {
    const auto& s = inspection.joints[i];
    const auto& unit = log.channels.units[i];
    joints.add({log.channels.joints[i], name_of(log.channels.joint_types[i]),
                unit.empty() ? "?" : unit, short_number(s.lowest), short_number(s.highest),
                short_number(s.largest_move), short_number(s.noise),
                s.resolution > 0.0 ? short_number(s.resolution) : "-",
                s.frequency > 0.0 ? short_number(s.frequency) + " Hz" : "-",
                s.frequency > 0.0 ? short_number(1.0 / (s.frequency * step.median)) : "-"});
  }
  joints.print();

  if (!inspection.inputs.empty()) {
    std::puts("");
    Table inputs({"input", "lowest", "highest"});
    for (std::size_t i = 0; i < inspection.inputs.size(); ++i)
      inputs.add({log.channels.inputs[i], short_number(inspection.inputs[i].lowest),
                  short_number(inspection.inputs[i].highest)});
    inputs.print();
  }

  constexpr std::size_t kMostRuns = 20;
  std::puts("");
  Table runs({"run", "samples", "start", "duration", "median step", "shortest", "longest"});
  for (std::size_t i = 0; i < std::min(inspection.runs.size(), kMostRuns); ++i) {
    const auto& run = inspection.runs[i];
    runs.add({run.name, std::to_string(run.samples), short_number(run.start),
              short_number(run.duration), short_number(run.step.median),
              short_number(run.step.shortest), short_number(run.step.longest)});
  }
  runs.print();
  if (inspection.runs.size() > kMostRuns)
    std::printf("and %zu more runs\n", inspection.runs.size() - kMostRuns);

  std::puts("");
  for (const auto& warning : with_flags(inspection.warnings))
    std::printf("warning: %s\n", warning.c_str());
  if (inspection.warnings.empty()) std::puts("Nothing here would spoil a fit.");
}

void print_inspection_json(const Log& log, const Inspection& inspection,
                           const std::vector<std::string>& notes) {
  json joints = json::array(), inputs = json::array(), runs = json::array();
  for (std::size_t i = 0; i < inspection.joints.size(); ++i) {
    const auto& s = inspection.joints[i];
    joints.push_back({{"name", log.channels.joints[i]},
                      {"type", name_of(log.channels.joint_types[i])},
                      {"unit", log.channels.units[i]},
                      {"lowest", s.lowest},
                      {"highest", s.highest},
                      {"largest_move", s.largest_move},
                      {"noise", s.noise},
                      {"resolution", s.resolution},
                      {"frequency", s.frequency}});
  }
  for (std::size_t i = 0; i < inspection.inputs.size(); ++i)
    inputs.push_back({{"name", log.channels.inputs[i]},
                      {"lowest", inspection.inputs[i].lowest},
                      {"highest", inspection.inputs[i].highest}});
  for (const auto& run : inspection.runs)
    runs.push_back({{"name", run.name},
                    {"samples", run.samples},
                    {"start", run.start},
                    {"duration", run.duration},
                    {"step", step_json(run.step)}});
  const json out = {{"samples", inspection.samples},
                    {"duration", inspection.duration},
                    {"step", step_json(inspection.step)},
                    {"joints", joints},
                    {"inputs", inputs},
                    {"runs", runs},
                    {"notes", with_flags(notes)},
                    {"warnings", with_flags(inspection.warnings)}};
  std::puts(out.dump(2, ' ', false, json::error_handler_t::replace).c_str());
}

}  // namespace mechfit
