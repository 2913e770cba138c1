#include <algorithm>

#include "mechfit/base/error.h"
#include "mechfit/files/csv.h"
#include "mechfit/files/number.h"
#include "mechfit/log/clock.h"

namespace mechfit {
namespace {

// In quotes where CSV needs them; a line break cannot be part of a name.
std::string csv_field(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  const bool plain = !text.empty() && text.find_first_of(",;\"#%") == std::string::npos &&
                     text.front() != ' ' && text.back() != ' ';
  if (plain) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

struct Group {
  const std::vector<double> Trajectory::*values;
  const char* before;
  const char* after;
};

}  // namespace

std::string format_csv(const Log& log) {
  constexpr Group kGroups[] = {
      {&Trajectory::q, "q", ""},         {&Trajectory::qd, "qd", ""},
      {&Trajectory::qdd, "qdd", ""},     {&Trajectory::q_sd, "q", "_sd"},
      {&Trajectory::qd_sd, "qd", "_sd"}, {&Trajectory::qdd_sd, "qdd", "_sd"},
      {&Trajectory::u, "u", ""}};
  struct Part {
    Group group;
    std::size_t width;
  };
  std::vector<Part> parts;
  std::string out = looks_like_another_unit(log) ? "trajectory,t_s" : "trajectory,t";
  for (const Group& group : kGroups) {
    const bool is_input = group.values == &Trajectory::u;
    const auto width = static_cast<std::size_t>(is_input ? log.m() : log.n());
    const bool everywhere = std::all_of(log.runs.begin(), log.runs.end(), [&](const auto& run) {
      return (run.*group.values).size() == run.t.size() * width;
    });
    MECHFIT_CHECK(everywhere || (group.values != &Trajectory::q && !is_input));
    if (width == 0 || !everywhere) continue;
    parts.push_back({group, width});
    for (std::size_t i = 0; i < width; ++i) {
      out += "," + std::string(group.before) + std::to_string(i + 1) + group.after;
      if (group.values == &Trajectory::q && i < log.channels.units.size())
        if (const auto& unit = log.channels.units[i]; !unit.empty() && unit != "rad")
          out += "_" + unit;
    }
  }
  out += '\n';
  for (const auto& run : log.runs) {
    const std::string name = csv_field(run.name);
    for (std::size_t k = 0; k < run.t.size(); ++k) {
      out += name;
      out += ',';
      append_number(out, run.t[k]);
      for (const auto& part : parts) {
        const double* row = (run.*part.group.values).data() + k * part.width;
        for (std::size_t i = 0; i < part.width; ++i) {
          out += ',';
          append_number(out, row[i]);
        }
      }
      out += '\n';
    }
  }
  return out;
}

}  // namespace mechfit
