#include "mechfit/log/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"
#include "mechfit/base/median.h"
#include "mechfit/log/prepare.h"
#include "mechfit/log/steps.h"

namespace mechfit {
namespace {

// Thresholds of the warnings: where a reader should look again, not where a fit fails. All but the
// last are chosen by hand; no experiment stands behind them.
constexpr int kShortRun = 20;          // samples
constexpr double kLongStep = 2.5;      // median steps: one sample is missing at least
constexpr double kUnevenStep = 0.1;    // share of the median step
constexpr double kUnevenShare = 0.05;  // of all steps
constexpr double kMostTurns = 3;       // of a joint without a unit, if it is in radians
constexpr double kLoudNoise = 0.1;     // share of the motion's spread
constexpr double kStillShare = 0.5;    // of the steps in which a coarse sensor shows no change
// Samples per period of the main motion: the midpoint rule's relative error (omega h)^2 / 12 of its
// accelerations is then 2 %.
constexpr double kFewestPerPeriod = 12;

StepSummary summarize(const std::vector<double>& steps) {
  if (steps.empty()) return {};
  const auto [shortest, longest] = std::minmax_element(steps.begin(), steps.end());
  return {median(steps), *shortest, *longest};
}

// Moves of a joint from sample to sample, over all runs.
std::vector<double> moves_of(const Log& log, int joint) {
  std::vector<double> moves;
  const long n = log.n();
  for (const auto& run : log.runs)
    for (long k = 1; k < run.size(); ++k)
      moves.push_back(std::abs(run.q[static_cast<std::size_t>(k * n + joint)] -
                               run.q[static_cast<std::size_t>((k - 1) * n + joint)]));
  return moves;
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

// Standard deviation of a joint about the mean of each run.
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

void warn_about_time(const Log& log, Inspection& result) {
  const auto short_runs = std::count_if(log.runs.begin(), log.runs.end(),
                                        [](const auto& run) { return run.size() < kShortRun; });
  if (short_runs > 0)
    result.warnings.push_back(fmt::format("{} of {} runs have fewer than {} samples", short_runs,
                                          log.runs.size(), kShortRun));
  const auto& step = result.step;
  if (step.longest > kLongStep * step.median)
    result.warnings.push_back(fmt::format(
        "the longest step, {:.4g} s, is {:.1f} times the median step: samples are missing "
        "(a smaller option 'gap' splits runs there)",
        step.longest, step.longest / step.median));
  long uneven = 0, all = 0;
  for (const auto& run : log.runs)
    for (const double h : steps_of(run)) {
      ++all;
      if (std::abs(h - step.median) > kUnevenStep * step.median) ++uneven;
    }
  if (static_cast<double>(uneven) > kUnevenShare * static_cast<double>(all))
    result.warnings.push_back(fmt::format(
        "{:.0f} % of the steps differ from the median by more than a tenth: the discrete "
        "equations are one order less accurate on uneven steps",
        100.0 * static_cast<double>(uneven) / static_cast<double>(all)));
}

void warn_about_joint(const Log& log, int i, Inspection& result) {
  const auto& s = result.joints[static_cast<std::size_t>(i)];
  const auto& joint = log.channels.joints[static_cast<std::size_t>(i)];
  const auto& unit = log.channels.units[static_cast<std::size_t>(i)];
  const bool periodic =
      log.channels.joint_types[static_cast<std::size_t>(i)] == JointType::periodic;
  const bool angle = periodic || unit == "rad" || unit.empty();
  const auto warn = [&](const std::string& text) {
    result.warnings.push_back(joint + ": " + text);
  };

  if (s.lowest == s.highest) {
    warn("never moves");
    return;
  }
  if (!periodic && check_wrapping(log, i, kTurn).wrapped)
    warn("looks like an angle cut to one turn (option 'joint_types' periodic unwraps it)");
  else if (unit.empty() && check_wrapping(log, i, 360.0).wrapped)
    warn(
        "looks like degrees cut to one turn (option 'degrees' with option 'joint_types' periodic)");
  else if (unit.empty() && s.highest - s.lowest > kMostTurns * kTurn)
    warn(fmt::format(
        "spans {:.4g}, more than three turns if these are radians; degrees? (option 'degrees')",
        s.highest - s.lowest));
  else if (angle && s.largest_move > 0.5 * kTurn)
    warn(
        fmt::format("moves {:.3g} rad in one step, more than half a turn: sampled too slowly, an "
                    "outlier, or wrapped",
                    s.largest_move));

  const double spread = spread_of(log, i);
  if (s.noise > kLoudNoise * spread)
    warn(fmt::format("noise of about {:.2g} is {:.0f} % of the motion's spread", s.noise,
                     100.0 * s.noise / spread));
  const auto moves = moves_of(log, i);
  const auto still = std::count(moves.begin(), moves.end(), 0.0);
  if (s.resolution > 0.0 &&
      static_cast<double>(still) > kStillShare * static_cast<double>(moves.size()))
    warn(fmt::format(
        "values lie {:.3g} apart and do not change in {:.0f} % of the steps: the sensor is "
        "coarse for this sampling rate, smooth first",
        s.resolution, 100.0 * static_cast<double>(still) / static_cast<double>(moves.size())));
  if (s.frequency > 0.0 && s.frequency * result.step.median > 1.0 / kFewestPerPeriod)
    warn(fmt::format(
        "{:.1f} samples per period of its main motion ({:.3g} Hz), expected at least {:.0f}: "
        "sampled too slowly, or nothing but noise",
        1.0 / (s.frequency * result.step.median), s.frequency, kFewestPerPeriod));
}

}  // namespace

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

  warn_about_time(log, result);
  for (int i = 0; i < log.n(); ++i) warn_about_joint(log, i, result);
  for (std::size_t i = 0; i < m; ++i)
    if (result.inputs[i].lowest == result.inputs[i].highest)
      result.warnings.push_back(log.channels.inputs[i] +
                                ": never changes, its effect cannot be learned");
  return result;
}

}  // namespace mechfit
