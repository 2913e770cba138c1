#include "mechfit/estimate/kalman/cleaning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "mechfit/base/text.h"
#include "mechfit/estimate/kalman/held_values.h"
#include "mechfit/estimate/kalman/outliers.h"
#include "mechfit/log/origin.h"
#include "mechfit/log/steps.h"

namespace mechfit {
namespace {

constexpr std::size_t kNamed = 3;       // defects that a line names, the worst ones
constexpr std::size_t kEndsOfRuns = 3;  // runs with a bad end, and half of all: no chance

void take_out(const std::vector<Defect>& defects, CleaningResult& result) {
  result.log = without_defects(std::move(result.log), defects);
  result.defects.insert(result.defects.end(), defects.begin(), defects.end());
}

// The parabola through the three observed samples next to an end of a run, there; NaN where there
// are not so many.
double beyond(const Trajectory& run, int n, int joint, bool last) {
  const int side = last ? -1 : 1, end = last ? run.size() - 1 : 0;
  std::vector<int> at;
  for (int k = end + side; k >= 0 && k < run.size() && at.size() < 3; k += side)
    if (!std::isnan(run.q[static_cast<std::size_t>(k) * n + joint])) at.push_back(k);
  if (at.size() < 3) return std::numeric_limits<double>::quiet_NaN();
  double expected = 0;
  for (const int i : at) {
    double weight = 1;
    for (const int j : at)
      if (j != i) weight *= (run.t[end] - run.t[j]) / (run.t[i] - run.t[j]);
    expected += weight * run.q[static_cast<std::size_t>(i) * n + joint];
  }
  return expected;
}

// Where the first (or last) sample of so many runs is bad, a logger made it so: those that are near
// the truth by chance go as well.
std::vector<Defect> all_ends(const CleaningResult& result, DefectKind kind) {
  const int n = result.log.n(), runs = static_cast<int>(result.log.runs.size());
  std::set<int> bad;
  for (const Defect& d : result.defects)
    if (d.kind == kind) bad.insert(d.run);
  std::vector<Defect> out;
  if (bad.size() < kEndsOfRuns || 2 * static_cast<int>(bad.size()) < runs) return out;
  for (int r = 0; r < runs; ++r)
    for (int j = 0; j < n; ++j) {
      const Trajectory& run = result.log.runs[r];
      const int k = kind == DefectKind::last ? run.size() - 1 : 0;
      const double q = run.q[static_cast<std::size_t>(k) * n + j];
      const double expected = beyond(run, n, j, kind == DefectKind::last);
      if (!std::isnan(q) && !std::isnan(expected)) out.push_back({kind, r, k, j, q, expected});
    }
  return out;
}

std::string what(DefectKind kind, std::size_t count, bool taken_out) {
  const long number = static_cast<long>(count);
  const char* one = taken_out ? " is taken out" : "";
  const char* many = !taken_out ? "" : count == 1 ? one : " are taken out";
  switch (kind) {
    case DefectKind::outlier:
      return counted(number, "outlier") + many;
    case DefectKind::first:
      return "the first sample of " + counted(number, "run") + one;
    case DefectKind::last:
      return "the last sample of " + counted(number, "run") + one;
    case DefectKind::held:
      return counted(number, "held value") + many;
    case DefectKind::contradicted:
      return counted(number, "observation") + " that the model contradicts" + many;
  }
  return "";
}

// Significant ones that show how far what was found is from what is expected.
int digits(const Defect& d) {
  const double ratio = std::abs(d.expected) / std::abs(d.found - d.expected);
  return std::isfinite(ratio) && ratio > 0
             ? static_cast<int>(std::clamp(2 + std::log10(ratio), 3.0, 9.0))
             : 3;
}

std::string worst(const Log& log, std::vector<Defect> defects) {
  std::stable_sort(defects.begin(), defects.end(), [](const Defect& a, const Defect& b) {
    return std::abs(a.found - a.expected) > std::abs(b.found - b.expected);
  });
  std::string text;
  for (std::size_t i = 0; i < std::min(defects.size(), kNamed); ++i) {
    const Defect& d = defects[i];
    const Trajectory& run = log.runs[d.run];
    text += fmt::format("{}{} ({:.{}g} where {:.{}g} is expected)", i > 0 ? ", " : "",
                        place_of(run, d.sample), d.found, digits(d), d.expected, digits(d));
  }
  return text + (defects.size() > kNamed ? ", ..." : "");
}

}  // namespace

CleaningResult clean(const Log& observed, ThreadPool& pool) {
  CleaningResult result;
  result.log = observed;
  if (steps_of(observed).empty()) return result;
  for (int j = 0; j < observed.n(); ++j) {
    // Held values first: their jumps would look like outliers.
    take_out(find_held_values(result.log, j, pool), result);
    take_out(find_outliers(result.log, j, pool), result);
  }
  take_out(all_ends(result, DefectKind::first), result);
  take_out(all_ends(result, DefectKind::last), result);
  std::sort(result.defects.begin(), result.defects.end(), [](const Defect& a, const Defect& b) {
    return std::tie(a.run, a.sample, a.joint) < std::tie(b.run, b.sample, b.joint);
  });
  return result;
}

Log without_defects(Log log, const std::vector<Defect>& defects) {
  const std::size_t n = log.n();
  for (const Defect& d : defects)
    log.runs[d.run].q[static_cast<std::size_t>(d.sample) * n + d.joint] =
        std::numeric_limits<double>::quiet_NaN();
  return log;
}

std::vector<Warning> describe_defects(const Log& log, const std::vector<Defect>& defects,
                                      bool taken_out) {
  std::vector<Warning> warnings;
  for (int j = 0; j < log.n(); ++j)
    for (const DefectKind kind : {DefectKind::outlier, DefectKind::first, DefectKind::last,
                                  DefectKind::held, DefectKind::contradicted}) {
      std::vector<Defect> some;
      for (const Defect& d : defects)
        if (d.joint == j && d.kind == kind) some.push_back(d);
      if (some.empty()) continue;
      warnings.push_back({kind == DefectKind::outlier ? WarningKind::outliers
                          : kind == DefectKind::held  ? WarningKind::held_values
                                                      : WarningKind::stale_ends,
                          log.channels.joints[j] + ": " + what(kind, some.size(), taken_out) +
                              ": " + worst(log, some) +
                              (taken_out ? " (option 'keep_all' keeps them)"
                                         : " (a fit takes such samples out by itself)")});
    }
  return warnings;
}

Inspection inspect_log(const Log& log, ThreadPool& pool) {
  Inspection inspection = inspect_log(log);
  for (Warning& warning : describe_defects(log, clean(log, pool).defects, false))
    inspection.warnings.push_back(std::move(warning));
  sort_warnings(inspection.warnings);
  return inspection;
}

}  // namespace mechfit
