#include "mechfit/fit/contact/cut.h"

#include <algorithm>
#include <tuple>

#include "mechfit/log/split.h"

namespace mechfit {

CutLog cut_log(const Log& log, const std::vector<Impact>& impacts) {
  CutLog out;
  out.log.channels = log.channels;
  out.behind.assign(impacts.size(), -1);
  out.ahead.assign(impacts.size(), -1);
  std::size_t next = 0;
  for (int r = 0; r < static_cast<int>(log.runs.size()); ++r) {
    const Trajectory& run = log.runs[r];
    int begin = 0, part = 0;
    const std::size_t first = next;
    const auto take = [&](int end, int impact_before, int impact_after) {
      if (end - begin < kShortestPiece) return;
      Trajectory piece = slice(run, log.n(), log.m(), begin, end);
      piece.name = run.name + (part++ == 0 ? "" : " part " + std::to_string(part));
      const int index = static_cast<int>(out.parts.size());
      if (impact_before >= 0) out.ahead[impact_before] = index;
      if (impact_after >= 0) out.behind[impact_after] = index;
      out.parts.push_back({r, begin, end});
      out.log.runs.push_back(std::move(piece));
    };
    for (; next < impacts.size() && impacts[next].run == r; ++next) {
      const int index = static_cast<int>(next);
      take(impacts[next].before + 1, next > first ? index - 1 : -1, index);
      begin = impacts[next].after;
    }
    take(run.size(), next > first ? static_cast<int>(next) - 1 : -1, -1);
  }
  return out;
}

void put_in_order(std::vector<Impact>& impacts) {
  std::sort(impacts.begin(), impacts.end(), [](const Impact& a, const Impact& b) {
    return std::tuple(a.run, a.before) < std::tuple(b.run, b.before);
  });
  std::vector<Impact> kept;
  for (const Impact& impact : impacts)
    if (kept.empty() || kept.back().run != impact.run || impact.before >= kept.back().after)
      kept.push_back(impact);
  impacts = std::move(kept);
}

}  // namespace mechfit
