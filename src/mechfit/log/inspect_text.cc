#include "mechfit/log/inspect_text.h"

#include <algorithm>

#include "mechfit/base/text.h"
#include "mechfit/base/text_table.h"

namespace mechfit {
namespace {

constexpr std::size_t kMostRuns = 20;  // fit on a screen

std::string joints_table(const Log& log, const Inspection& inspection) {
  TextTable table({"joint", "type", "unit", "lowest", "highest", "largest move", "noise",
                   "resolution", "main frequency", "samples per period"});
  for (std::size_t i = 0; i < inspection.joints.size(); ++i) {
    const auto& s = inspection.joints[i];
    const auto& unit = log.channels.units[i];
    table.add(
        {log.channels.joints[i], name_of(log.channels.joint_types[i]), unit.empty() ? "?" : unit,
         four_digits(s.lowest), four_digits(s.highest), four_digits(s.largest_move),
         four_digits(s.noise), s.resolution > 0.0 ? four_digits(s.resolution) : "-",
         s.frequency > 0.0 ? four_digits(s.frequency) + " Hz" : "-",
         s.frequency > 0.0 ? four_digits(1.0 / (s.frequency * inspection.step.median)) : "-"});
  }
  return table.text();
}

std::string inputs_table(const Log& log, const Inspection& inspection) {
  TextTable table({"input", "lowest", "highest"});
  for (std::size_t i = 0; i < inspection.inputs.size(); ++i)
    table.add({log.channels.inputs[i], four_digits(inspection.inputs[i].lowest),
               four_digits(inspection.inputs[i].highest)});
  return table.text();
}

std::string runs_table(const Inspection& inspection) {
  TextTable table({"run", "samples", "start", "duration", "median step", "shortest", "longest"});
  for (std::size_t i = 0; i < std::min(inspection.runs.size(), kMostRuns); ++i) {
    const auto& run = inspection.runs[i];
    table.add({run.name, std::to_string(run.samples), four_digits(run.start),
               four_digits(run.duration), four_digits(run.step.median),
               four_digits(run.step.shortest), four_digits(run.step.longest)});
  }
  std::string text = table.text();
  if (inspection.runs.size() > kMostRuns)
    text += "and " + std::to_string(inspection.runs.size() - kMostRuns) + " more runs\n";
  return text;
}

}  // namespace

std::string inspection_text(const Log& log, const Inspection& inspection) {
  const auto& step = inspection.step;
  std::string text = counted(static_cast<long>(inspection.runs.size()), "run") + ", " +
                     std::to_string(inspection.samples) + " samples, " +
                     four_digits(inspection.duration) + " s, step " + four_digits(step.median) +
                     " s (" + four_digits(step.shortest) + " to " + four_digits(step.longest) +
                     ")\n\n" + joints_table(log, inspection);
  if (!inspection.inputs.empty()) text += "\n" + inputs_table(log, inspection);
  text += "\n" + runs_table(inspection) + "\n";
  for (const auto& warning : inspection.warnings) text += "warning: " + warning.text + "\n";
  if (inspection.warnings.empty()) text += "Nothing here would spoil a fit.\n";
  return text;
}

}  // namespace mechfit
