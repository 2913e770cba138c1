#include <cstdio>
#include <nlohmann/json.hpp>

#include "inspect.h"
#include "mechfit/log/inspect_text.h"
#include "terminal.h"

namespace mechfit {
namespace {

using nlohmann::json;

json step_json(const StepSummary& step) {
  return {{"median", step.median}, {"shortest", step.shortest}, {"longest", step.longest}};
}

}  // namespace

void print_inspection(const Log& log, const Inspection& inspection) {
  std::fputs(printable(with_flags(inspection_text(log, inspection))).c_str(), stdout);
}

void print_contents(const std::string& contents) {
  std::fputs(printable(contents).c_str(), stdout);
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
                    {"warnings", with_flags(texts_of(inspection.warnings))}};
  std::puts(out.dump(2, ' ', false, json::error_handler_t::replace).c_str());
}

}  // namespace mechfit
