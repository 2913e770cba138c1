#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/base/text.h"
#include "mechfit/log/columns.h"
#include "mechfit/log/inspect.h"
#include "mechfit/log/origin.h"
#include "mechfit/log/prepare.h"
#include "mechfit/log/reclock.h"
#include "mechfit/log/steps.h"

namespace mechfit {
namespace {

// Thresholds of the warnings: where a reader should look again, not where a fit fails. All but the
// last are chosen by hand; no experiment stands behind them.
constexpr int kShortRun = 20;          // samples
constexpr double kLongStep = 2.5;      // median steps: one sample is missing at least
constexpr double kUnevenStep = 0.1;    // share of the median step
constexpr double kUnevenShare = 0.05;  // of all steps
constexpr double kOtherRate = 1.5;     // of the median steps of two runs
constexpr double kMostTurns = 3;       // of a swing in radians
constexpr double kLoudNoise = 0.1;     // share of the motion's spread
constexpr double kStillShare = 0.5;    // of the steps in which a coarse sensor shows no change
// Median steps that no machine's log has [s].
constexpr double kClockRange[] = {5e-6, 1.0};
// Samples per period of the main motion: the midpoint rule's relative error (omega h)^2 / 12 of its
// accelerations is then 2 %.
constexpr double kFewestPerPeriod = 12;

class Inspector {
 public:
  Inspector(const Log& log, const Inspection& inspection) : log_(log), inspection_(inspection) {}

  std::vector<Warning> warnings() {
    columns();
    clock();
    long_steps();
    rates();
    runs();
    for (int i = 0; i < log_.n(); ++i) joint(i);
    inputs();
    sort_warnings(warnings_);
    return std::move(warnings_);
  }

 private:
  void warn(WarningKind kind, std::string text) { warnings_.push_back({kind, std::move(text)}); }

  void columns() {
    std::string inputs;
    for (const std::string& column : log_.channels.unused) {
      if (looks_like_joint(column))
        warn(WarningKind::left_out,
             "column '" + column +
                 "' looks like a joint and is not used: a model without a joint that moves is "
                 "wrong (option 'q' names the joints)");
      if (looks_like_input(column)) inputs += (inputs.empty() ? "'" : ", '") + column + "'";
    }
    if (log_.m() == 0 && !inputs.empty())
      warn(WarningKind::left_out,
           inputs +
               " may drive the machine and is not used: then a model is wrong (option 'u' "
               "names the inputs)");
  }

  void clock() {
    const double step = inspection_.step.median;
    if (step < kClockRange[0] || (step >= kClockRange[1] && log_.channels.time_unit.empty()))
      warn(
          WarningKind::clock_unit,
          fmt::format("the median step, {:.4g} s, is none of a machine's log: does the clock count "
                      "seconds? (option 'time_unit' tells its unit)",
                      step));
    jitter_ = check_jitter(log_);
    if (jitter_.found)
      warn(WarningKind::jitter,
           fmt::format(
               "stamps jitter: on an even clock of {:.4g} s, which they miss by {:.2g} s, the "
               "noise of {} falls from {:.2g} to {:.2g} (option 'reclock' mends them)",
               jitter_.period, jitter_.jitter, log_.channels.joints[jitter_.joint], jitter_.noise,
               jitter_.noise_on_clock));
  }

  // Steps are judged by the median step of their run.
  void long_steps() {
    long uneven = 0, all = 0, longer = 0;
    double longest = 0;
    std::string place;
    for (std::size_t r = 0; r < log_.runs.size(); ++r) {
      const double median = inspection_.runs[r].step.median;
      const auto steps = steps_of(log_.runs[r]);
      for (std::size_t k = 0; k < steps.size(); ++k) {
        ++all;
        uneven += std::abs(steps[k] - median) > kUnevenStep * median;
        if (steps[k] <= kLongStep * median) continue;
        ++longer;
        if (steps[k] <= longest) continue;
        longest = steps[k];
        place = place_of(log_.runs[r], static_cast<int>(k) + 1);
      }
    }
    if (longer > 0)
      warn(WarningKind::gaps,
           fmt::format("samples are missing in {}, the longest of {:.4g} s ends at {}: a fit "
                       "estimates the motion between (option 'gap' splits runs there)",
                       counted(longer, "step"), longest, place));
    if (!jitter_.found && static_cast<double>(uneven) > kUnevenShare * static_cast<double>(all))
      warn(WarningKind::uneven_steps,
           fmt::format(
               "{:.0f} % of the steps differ from the median by more than a tenth, where the "
               "discrete equations are one order less accurate: record evenly, or take finer "
               "steps (option 'step')",
               100.0 * static_cast<double>(uneven) / static_cast<double>(all)));
  }

  void rates() {
    double least = kInfinity, most = 0;
    for (const RunSummary& run : inspection_.runs) {
      least = std::min(least, run.step.median);
      most = std::max(most, run.step.median);
    }
    if (most > kOtherRate * least)
      warn(WarningKind::different_rates,
           fmt::format(
               "runs are sampled at different rates, every {:.4g} to {:.4g} s: they count by "
               "their samples, fit them apart where the faster ones should not decide",
               least, most));
  }

  void runs() {
    const auto few = std::count_if(log_.runs.begin(), log_.runs.end(),
                                   [](const auto& run) { return run.size() < kShortRun; });
    if (few > 0)
      warn(WarningKind::short_runs,
           fmt::format(
               "{} of {} runs have fewer than {} samples and tell little: record longer ones", few,
               log_.runs.size(), kShortRun));
    for (std::size_t r = 0; r < log_.runs.size(); ++r)
      for (std::size_t other = 0; other < r; ++other)
        if (log_.runs[r].q == log_.runs[other].q && log_.runs[r].u == log_.runs[other].u) {
          warn(WarningKind::repeated_run,
               fmt::format("run '{}' from {} on repeats run '{}': a fit leaves it out",
                           log_.runs[r].name, place_of(log_.runs[r], 0), log_.runs[other].name));
          break;
        }
  }

  // Swings of more than kMostTurns turns that come back, in half of the runs. A joint that turns
  // goes on, or comes back once.
  bool swings_too_far(int i) const {
    int runs = 0;
    for (const Trajectory& run : log_.runs) {
      int swings = 0;
      double low = run.q[i], high = low, direction = 0;
      for (std::size_t k = i; k < run.q.size(); k += log_.n()) {
        low = std::min(low, run.q[k]);
        high = std::max(high, run.q[k]);
        const double up = run.q[k] - low, down = high - run.q[k];
        if (direction <= 0 && up > kMostTurns * kTurn) ++swings, direction = 1, high = run.q[k];
        if (direction >= 0 && down > kMostTurns * kTurn) ++swings, direction = -1, low = run.q[k];
      }
      runs += swings >= 3;
    }
    return 2 * runs > static_cast<int>(log_.runs.size());
  }

  // Of several things that may be wrong with an angle the one that explains the others.
  void angle(int i, bool periodic) {
    const JointSummary& s = inspection_.joints[i];
    const std::string name = log_.channels.joints[i] + ": ", unit = log_.channels.units[i];
    if (!periodic && check_wrapping(log_, i, kTurn).wrapped)
      warn(WarningKind::wrapped,
           name + "looks like an angle cut to one turn (option 'joint_types' periodic unwraps it)");
    else if (unit.empty() && check_wrapping(log_, i, 360.0).wrapped)
      warn(WarningKind::degrees,
           name +
               "looks like degrees cut to one turn (option 'degrees' with option 'joint_types' "
               "periodic)");
    else if (unit.empty() && swings_too_far(i))
      warn(WarningKind::degrees,
           name +
               fmt::format("spans {:.4g} and swings back and forth, more than three turns if these "
                           "are radians; degrees? (option 'degrees')",
                           s.highest - s.lowest));
    else if ((periodic || unit == "rad" || unit.empty()) && s.largest_move > 0.5 * kTurn)
      warn(WarningKind::jumps,
           name +
               fmt::format("moves {:.3g} rad in one step, more than half a turn: sampled too "
                           "slowly, an outlier, or wrapped (option 'joint_types' periodic unwraps)",
                           s.largest_move));
  }

  void joint(int i) {
    const JointSummary& s = inspection_.joints[i];
    const std::string name = log_.channels.joints[i] + ": ";
    if (s.lowest == s.highest) {
      warn(WarningKind::still_joint,
           name + "never moves: leave it out (option 'q' names the joints)");
      return;
    }
    angle(i, log_.channels.joint_types[i] == JointType::periodic);
    const double spread = spread_of(log_, i);
    if (s.noise > kLoudNoise * spread)
      warn(WarningKind::noise,
           name + fmt::format(
                      "noise of about {:.2g} is {:.0f} % of the motion's spread: record larger "
                      "motion, or more of it",
                      s.noise, 100.0 * s.noise / spread));
    const auto moves = moves_of(log_, i);
    const auto still = static_cast<double>(std::count(moves.begin(), moves.end(), 0.0));
    if (s.resolution > 0.0 && still > kStillShare * static_cast<double>(moves.size()))
      warn(WarningKind::coarse_sensor,
           name + fmt::format(
                      "values lie {:.3g} apart and do not change in {:.0f} % of the steps: the "
                      "sensor is coarse for this sampling rate, take longer steps (option "
                      "'step')",
                      s.resolution, 100.0 * still / static_cast<double>(moves.size())));
    if (s.frequency > 0.0 && s.frequency * inspection_.step.median > 1.0 / kFewestPerPeriod)
      warn(WarningKind::slow_sampling,
           name +
               fmt::format("{:.1f} samples per period of its main motion ({:.3g} Hz), expected at "
                           "least {:.0f}: sampled too slowly, or nothing but noise; record faster",
                           1.0 / (s.frequency * inspection_.step.median), s.frequency,
                           kFewestPerPeriod));
  }

  void inputs() {
    for (int i = 0; i < log_.m(); ++i)
      if (inspection_.inputs[i].lowest == inspection_.inputs[i].highest)
        warn(WarningKind::still_input,
             log_.channels.inputs[i] +
                 ": never changes, its effect cannot be learned: leave it "
                 "out (option 'u'), or record with another input");
  }

  const Log& log_;
  const Inspection& inspection_;
  JitterCheck jitter_;
  std::vector<Warning> warnings_;
};

}  // namespace

void sort_warnings(std::vector<Warning>& warnings) {
  std::stable_sort(warnings.begin(), warnings.end(),
                   [](const Warning& a, const Warning& b) { return a.kind < b.kind; });
}

std::vector<std::string> texts_of(const std::vector<Warning>& warnings) {
  std::vector<std::string> out;
  for (const Warning& warning : warnings) out.push_back(warning.text);
  return out;
}

std::vector<Warning> find_warnings(const Log& log, const Inspection& inspection) {
  return Inspector(log, inspection).warnings();
}

}  // namespace mechfit
