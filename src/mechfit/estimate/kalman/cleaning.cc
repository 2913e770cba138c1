#include "mechfit/estimate/kalman/cleaning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "mechfit/base/text.h"
#include "mechfit/estimate/kalman/held_values.h"
#include "mechfit/estimate/kalman/outliers.h"

namespace mechfit {
namespace {

constexpr std::size_t kNamed = 3;  // defects that a line names, the worst ones

void take_out(const std::vector<Defect>& defects, CleaningResult& result) {
  const std::size_t n = result.log.n();
  for (const Defect& d : defects)
    result.log.runs[d.run].q[static_cast<std::size_t>(d.sample) * n + d.joint] =
        std::numeric_limits<double>::quiet_NaN();
  result.defects.insert(result.defects.end(), defects.begin(), defects.end());
}

std::string what(DefectKind kind, std::size_t count) {
  const long number = static_cast<long>(count);
  switch (kind) {
    case DefectKind::outlier: return counted(number, "outlier");
    case DefectKind::first: return "the first sample of " + counted(number, "run");
    case DefectKind::last: return "the last sample of " + counted(number, "run");
    case DefectKind::held: return counted(number, "held value");
  }
  return "";
}

}  // namespace

CleaningResult clean(const Log& observed, ThreadPool& pool) {
  CleaningResult result;
  result.log = observed;
  for (int j = 0; j < observed.n(); ++j) {
    // Held values first: their jumps would look like outliers.
    take_out(find_held_values(result.log, j, pool), result);
    take_out(find_outliers(result.log, j, pool), result);
  }
  std::sort(result.defects.begin(), result.defects.end(), [](const Defect& a, const Defect& b) {
    return std::tie(a.run, a.sample, a.joint) < std::tie(b.run, b.sample, b.joint);
  });
  return result;
}

std::vector<std::string> describe_defects(const Channels& channels,
                                          const std::vector<Trajectory>& runs,
                                          const std::vector<Defect>& defects) {
  std::vector<std::string> lines;
  for (int j = 0; j < channels.n(); ++j)
    for (const DefectKind kind :
         {DefectKind::outlier, DefectKind::first, DefectKind::last, DefectKind::held}) {
      std::vector<Defect> some;
      for (const Defect& d : defects)
        if (d.joint == j && d.kind == kind) some.push_back(d);
      if (some.empty()) continue;
      std::stable_sort(some.begin(), some.end(), [](const Defect& a, const Defect& b) {
        return std::abs(a.found - a.expected) > std::abs(b.found - b.expected);
      });
      std::string line = channels.joints[j] + ": " + what(kind, some.size()) + ": ";
      for (std::size_t i = 0; i < std::min(some.size(), kNamed); ++i) {
        const Defect& d = some[i];
        line += fmt::format("{}run {} at {:.6g} s ({:.3g} where {:.3g} is expected)",
                            i > 0 ? ", " : "", runs[d.run].name, runs[d.run].t[d.sample], d.found,
                            d.expected);
      }
      lines.push_back(line + (some.size() > kNamed ? ", ..." : ""));
    }
  return lines;
}

}  // namespace mechfit
