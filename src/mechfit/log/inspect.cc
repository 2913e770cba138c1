#include "mechfit/log/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mechfit/base/error.h"
#include "mechfit/base/median.h"
#include "mechfit/log/prepare.h"
#include "mechfit/log/steps.h"

namespace mechfit {
namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;

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
  if (smallest == 0.0 || smallest < 1e-9 * largest) return 0.0;
  constexpr double kMost = 200.0;  // further multiples are blurred by rounding in the file
  long small = 0, on_grid = 0;
  for (const double move : moves) {
    const double ratio = move / smallest;
    if (ratio > kMost) continue;
    ++small;
    if (std::abs(ratio - std::round(ratio)) < 0.05) ++on_grid;
  }
  const bool grid = 2 * small > static_cast<long>(moves.size()) && 100 * on_grid > 99 * small;
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
  constexpr int kShort = 20;
  const auto short_runs = std::count_if(log.runs.begin(), log.runs.end(),
                                        [](const auto& run) { return run.size() < kShort; });
  if (short_runs > 0)
    result.warnings.push_back(fmt::format("{} of {} runs have fewer than {} samples", short_runs,
                                          log.runs.size(), kShort));
  const auto& step = result.step;
  if (step.longest > 2.5 * step.median)
    result.warnings.push_back(fmt::format(
        "the longest step, {:.4g} s, is {:.1f} times the median step: samples are missing "
        "(a smaller option 'gap' splits runs there)",
        step.longest, step.longest / step.median));
  long uneven = 0, all = 0;
  for (const auto& run : log.runs)
    for (const double h : steps_of(run)) {
      ++all;
      if (std::abs(h - step.median) > 0.1 * step.median) ++uneven;
    }
  if (uneven * 20 > all)
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
  else if (unit.empty() && s.highest - s.lowest > 6.0 * std::numbers::pi)
    warn(fmt::format(
        "spans {:.4g}, more than three turns if these are radians; degrees? (option 'degrees')",
        s.highest - s.lowest));
  else if (angle && s.largest_move > 0.5 * kTurn)
    warn(
        fmt::format("moves {:.3g} rad in one step, more than half a turn: sampled too slowly, an "
                    "outlier, or wrapped",
                    s.largest_move));

  const double spread = spread_of(log, i);
  if (s.noise > 0.1 * spread)
    warn(fmt::format("noise of about {:.2g} is {:.0f} % of the motion's spread", s.noise,
                     100.0 * s.noise / spread));
  const auto moves = moves_of(log, i);
  const auto still = std::count(moves.begin(), moves.end(), 0.0);
  if (s.resolution > 0.0 && 2 * still > static_cast<long>(moves.size()))
    warn(fmt::format(
        "values lie {:.3g} apart and do not change in {:.0f} % of the steps: the sensor is "
        "coarse for this sampling rate, smooth first",
        s.resolution, 100.0 * static_cast<double>(still) / static_cast<double>(moves.size())));
  constexpr double kFewest = 12.0;
  if (s.frequency > 0.0 && s.frequency * result.step.median > 1.0 / kFewest)
    warn(fmt::format(
        "{:.1f} samples per period of its main motion ({:.3g} Hz), expected at least {:.0f}: "
        "sampled too slowly, or nothing but noise",
        1.0 / (s.frequency * result.step.median), s.frequency, kFewest));
}

}  // namespace

double estimate_noise(const Log& log, int joint) {
  constexpr int kOrders[] = {3, 4, 5, 6};
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
    // Median of |N(0, 1)| is 0.6745; a motion that rests half the time needs the mean square.
    double estimate = median(residuals) / 0.6744897501960817;
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
