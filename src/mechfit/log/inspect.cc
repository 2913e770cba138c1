#include "mechfit/log/inspect.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/base/median.h"
#include "mechfit/log/steps.h"

namespace mechfit {
namespace {

StepSummary summarize(const std::vector<double>& steps) {
  if (steps.empty()) return {};
  const auto [shortest, longest] = std::minmax_element(steps.begin(), steps.end());
  return {median(steps), *shortest, *longest};
}

// The grid on which a digital sensor's values lie: the smallest move, when nearly all small moves
// are whole multiples of it.
double find_resolution(const std::vector<double>& moves) {
  double smallest = 0.0, largest = 0.0;
  for (const double move : moves) {
    if (move > 0.0 && (smallest == 0.0 || move < smallest)) smallest = move;
    largest = std::max(largest, move);
  }
  // Files often keep six digits: multiples beyond kMost are blurred by that, those below miss a
  // whole number by less than kMiss. Values that are not on a grid come so near by chance in a
  // tenth of all cases, far below kNearlyAll. A smallest move below kNothing of the largest is
  // rounding.
  constexpr double kMost = 200, kMiss = 0.05, kNearlyAll = 0.99, kNothing = 1e-9;
  if (smallest == 0.0 || smallest < kNothing * largest) return 0.0;
  long small = 0, on_grid = 0;
  for (const double move : moves) {
    const double ratio = move / smallest;
    if (ratio > kMost) continue;
    ++small;
    if (std::abs(ratio - std::round(ratio)) < kMiss) ++on_grid;
  }
  const bool grid = 2 * small > static_cast<long>(moves.size()) &&
                    static_cast<double>(on_grid) > kNearlyAll * static_cast<double>(small);
  return grid ? smallest : 0.0;
}

JointSummary summarize_joint(const Log& log, int joint) {
  JointSummary s;
  const auto n = static_cast<std::size_t>(log.n());
  s.lowest = s.highest = log.runs.front().q[static_cast<std::size_t>(joint)];
  for (const auto& run : log.runs)
    for (std::size_t k = static_cast<std::size_t>(joint); k < run.q.size(); k += n) {
      s.lowest = std::min(s.lowest, run.q[k]);
      s.highest = std::max(s.highest, run.q[k]);
    }
  const auto moves = moves_of(log, joint);
  if (s.lowest == s.highest || moves.empty()) return s;
  s.largest_move = *std::max_element(moves.begin(), moves.end());
  s.resolution = find_resolution(moves);
  s.noise = std::max(estimate_noise(log, joint), s.resolution / std::sqrt(12.0));
  s.frequency = dominant_frequency(log, joint);
  return s;
}

}  // namespace

std::vector<double> moves_of(const Log& log, int joint) {
  std::vector<double> moves;
  const long n = log.n();
  for (const auto& run : log.runs)
    for (long k = 1; k < run.size(); ++k)
      moves.push_back(std::abs(run.q[static_cast<std::size_t>(k * n + joint)] -
                               run.q[static_cast<std::size_t>((k - 1) * n + joint)]));
  return moves;
}

double spread_of(const Log& log, int joint) {
  const auto n = static_cast<std::size_t>(log.n());
  double sum = 0.0;
  for (const auto& run : log.runs) {
    double mean = 0.0;
    for (std::size_t k = static_cast<std::size_t>(joint); k < run.q.size(); k += n)
      mean += run.q[k] / run.size();
    for (std::size_t k = static_cast<std::size_t>(joint); k < run.q.size(); k += n)
      sum += (run.q[k] - mean) * (run.q[k] - mean) / log.samples();
  }
  return std::sqrt(sum);
}

double estimate_noise(const Log& log, int joint) {
  // The lowest still sees a fast motion, the highest needs seven samples in a row.
  constexpr int kOrders[] = {3, 4, 5, 6};
  constexpr double kNormalMedian = 0.6744897501960817;  // median of |N(0, 1)|
  const auto n = static_cast<std::size_t>(log.n());
  double least = -1.0;
  std::vector<double> residuals;
  for (const int order : kOrders) {
    residuals.clear();
    const auto points = static_cast<std::size_t>(order) + 1;
    for (const auto& run : log.runs) {
      for (std::size_t k = 0; k + points <= run.t.size(); ++k) {
        // Times in units of a step keep the products in range.
        const double scale = static_cast<double>(order) / (run.t[k + points - 1] - run.t[k]);
        double sum = 0.0, norm = 0.0;
        for (std::size_t i = 0; i < points; ++i) {
          double c = 1.0;
          for (std::size_t j = 0; j < points; ++j)
            if (j != i) c /= (run.t[k + i] - run.t[k + j]) * scale;
          sum += c * run.q[(k + i) * n + static_cast<std::size_t>(joint)];
          norm += c * c;
        }
        const double residual = std::abs(sum) / std::sqrt(norm);
        if (std::isfinite(residual)) residuals.push_back(residual);
      }
    }
    if (residuals.empty()) continue;
    // The median passes over outliers; a motion that rests half the time needs the mean square.
    double estimate = median(residuals) / kNormalMedian;
    if (estimate == 0.0) {
      for (const double r : residuals) estimate += r * r / static_cast<double>(residuals.size());
      estimate = std::sqrt(estimate);
    }
    if (least < 0.0 || estimate < least) least = estimate;
  }
  return std::max(least, 0.0);
}

Inspection inspect_log(const Log& log) {
  MECHFIT_CHECK(!log.runs.empty());
  Inspection result;
  for (const auto& run : log.runs) {
    result.runs.push_back({run.name, run.size(), run.t.front(), run.t.back() - run.t.front(),
                           summarize(steps_of(run))});
    result.samples += run.size();
    result.duration += result.runs.back().duration;
  }
  result.step = summarize(steps_of(log));
  for (int i = 0; i < log.n(); ++i) result.joints.push_back(summarize_joint(log, i));

  const auto m = static_cast<std::size_t>(log.m());
  for (std::size_t i = 0; i < m; ++i) {
    InputSummary s{log.runs.front().u[i], log.runs.front().u[i]};
    for (const auto& run : log.runs)
      for (std::size_t k = i; k < run.u.size(); k += m) {
        s.lowest = std::min(s.lowest, run.u[k]);
        s.highest = std::max(s.highest, run.u[k]);
      }
    result.inputs.push_back(s);
  }

  result.warnings = find_warnings(log, result);
  return result;
}

}  // namespace mechfit
