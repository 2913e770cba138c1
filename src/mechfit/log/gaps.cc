#include "mechfit/log/gaps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/base/median.h"
#include "mechfit/base/text.h"
#include "mechfit/log/inspect.h"
#include "mechfit/log/origin.h"
#include "mechfit/log/split.h"
#include "mechfit/log/steps.h"

namespace mechfit {
namespace {

// Median steps of a run: what is shorter is an uneven clock, not a gap.
constexpr double kLongStep = 2.5;
constexpr int kPlaces = 256;      // at which a span is tried
constexpr double kLost = 0.5;     // share of the spread that a bridge may miss
constexpr double kGrowth = 1.25;  // of the spans that are tried, one after the other

// Squared errors of bridges over a span, summed over places, and each joint's spread and noise.
class Bridges {
 public:
  explicit Bridges(const Log& log) : log_(log) {
    for (int j = 0; j < log.n(); ++j) {
      noise_.push_back(estimate_noise(log, j));
      spread_.push_back(spread_of(log, j));
    }
  }

  // The largest over the joints of rms error over spread; NaN where no run is long enough.
  double error(double span) const {
    const int n = log_.n(), every = std::max(1, log_.samples() / kPlaces);
    std::vector<double> sums(n, 0.0);
    long count = 0;
    for (const Trajectory& run : log_.runs)
      for (int k = 0; k < run.size(); k += every) count += add(run, k, span, sums);
    if (count == 0) return kNan;
    double worst = 0;
    for (int j = 0; j < n; ++j) {
      // The cubic's weights 2/3, 2/3, -1/6, -1/6 and the sample's own noise
      const double noise = (2 * 4 / 9.0 + 2 / 36.0 + 1) * noise_[j] * noise_[j];
      const double square = std::max(0.0, sums[j] / static_cast<double>(count) - noise);
      if (spread_[j] > 0) worst = std::max(worst, std::sqrt(square) / spread_[j]);
    }
    return worst;
  }

 private:
  // Whether there is such a span from sample `first` on.
  bool add(const Trajectory& run, int first, double span, std::vector<double>& sums) const {
    int at[5] = {first};
    for (int i = 1; i < 5; ++i) {
      const double t = run.t[first] + 0.5 * span * i;
      at[i] = static_cast<int>(std::lower_bound(run.t.begin() + at[i - 1], run.t.end(), t) -
                               run.t.begin());
      if (at[i] == run.size() || at[i] == at[i - 1]) return false;
    }
    if (run.t[at[4]] - run.t[first] > 3 * span) return false;  // across a gap
    const int n = log_.n(), nodes[] = {at[0], at[1], at[3], at[4]};
    for (int j = 0; j < n; ++j) {
      double expected = 0;
      for (const int i : nodes) {
        double weight = 1;
        for (const int other : nodes)
          if (other != i) weight *= (run.t[at[2]] - run.t[other]) / (run.t[i] - run.t[other]);
        expected += weight * run.q[static_cast<std::size_t>(i) * n + j];
      }
      sums[j] += std::pow(run.q[static_cast<std::size_t>(at[2]) * n + j] - expected, 2);
    }
    return true;
  }

  const Log& log_;
  std::vector<double> noise_, spread_;
};

bool has_long_step(const Log& log) {
  for (const Trajectory& run : log.runs) {
    const std::vector<double> steps = steps_of(run);
    if (steps.empty()) continue;
    if (*std::max_element(steps.begin(), steps.end()) > kLongStep * median(steps)) return true;
  }
  return false;
}

}  // namespace

double longest_bridge(const Log& log) {
  const std::vector<double> steps = steps_of(log);
  if (steps.empty()) return kInfinity;
  const double longest = *std::max_element(steps.begin(), steps.end());
  const Bridges bridges(log);
  double last = 0;
  for (double span = kLongStep * median(steps);; span *= kGrowth) {
    if (!(bridges.error(span) < kLost)) return last;  // NaN: nobody can tell
    if (span > longest) return kInfinity;
    last = span;
  }
}

void split_at_gaps(Log& log, std::optional<double> gap, std::vector<std::string>& notes) {
  if (gap ? *gap == 0 : !has_long_step(log)) return;
  const double bridge = gap ? 0 : longest_bridge(log);
  std::vector<Trajectory> out;
  for (Trajectory& run : log.runs) {
    const std::vector<double> steps = steps_of(run);
    const double shortest =
        steps.empty() ? 0 : std::max(bridge, gap.value_or(kLongStep) * median(steps));
    std::vector<int> ends;
    for (std::size_t k = 0; k < steps.size(); ++k)
      if (steps[k] > shortest) ends.push_back(static_cast<int>(k) + 1);
    if (ends.empty()) {
      out.push_back(std::move(run));
      continue;
    }
    notes.push_back(fmt::format("run '{}' split at {}, the first before {}: {} (option 'gap')",
                                run.name, counted(static_cast<long>(ends.size()), "gap"),
                                place_of(run, ends[0]),
                                gap ? fmt::format("longer than {} median steps", *gap)
                                    : fmt::format("the motion does not bridge {:.3g} s",
                                                  *std::max_element(steps.begin(), steps.end()))));
    ends.push_back(run.size());
    for (std::size_t i = 0, first = 0; i < ends.size(); first = ends[i++]) {
      out.push_back(slice(run, log.n(), log.m(), static_cast<int>(first), ends[i]));
      out.back().name = run.name + "." + std::to_string(i + 1);
    }
  }
  log.runs = std::move(out);
}

}  // namespace mechfit
