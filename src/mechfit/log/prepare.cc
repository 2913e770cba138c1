#include "mechfit/log/prepare.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"
#include "mechfit/base/median.h"
#include "mechfit/base/text.h"
#include "mechfit/log/clock.h"
#include "mechfit/log/gaps.h"

namespace mechfit {
namespace {

std::vector<double> Trajectory::*const kJointArrays[] = {&Trajectory::q,     &Trajectory::qd,
                                                         &Trajectory::qdd,   &Trajectory::q_sd,
                                                         &Trajectory::qd_sd, &Trajectory::qdd_sd};

bool is_length(const std::string& unit) { return unit == "m" || unit == "cm" || unit == "mm"; }

void settle_types(Log& log, const ReadOptions& options, std::vector<std::string>& notes) {
  auto& types = log.channels.joint_types;
  const auto n = static_cast<std::size_t>(log.n());
  if (!options.joint_types.empty()) {
    if (options.joint_types.size() != 1 && options.joint_types.size() != n)
      throw InputError("option 'joint_types' gives " +
                       counted(static_cast<long>(options.joint_types.size()), "type") +
                       ", expected 1 or " + std::to_string(n) + ", one for each joint");
    types.assign(n, options.joint_types.front());
    if (options.joint_types.size() == n) types = options.joint_types;
    return;
  }
  if (types.size() == n) return;  // the file says it
  types.clear();
  std::string text;
  for (std::size_t i = 0; i < n; ++i) {
    const bool plain = is_length(log.channels.units[i]);
    types.push_back(plain ? JointType::plain : JointType::periodic);
    text += (i > 0 ? ", " : "") + log.channels.joints[i] + (plain ? " plain" : " periodic");
  }
  notes.push_back("joints taken as " + text + " (option 'joint_types' says otherwise)");
}

void convert_degrees(Log& log, const ReadOptions& options, std::vector<std::string>& notes) {
  const auto n = static_cast<std::size_t>(log.n());
  std::string text;
  for (std::size_t i = 0; i < n; ++i) {
    std::string& unit = log.channels.units[i];
    if (unit != "deg" && !(options.degrees && unit.empty())) continue;
    unit = "rad";
    text += (text.empty() ? "" : ", ") + log.channels.joints[i];
    for (auto& run : log.runs)
      for (const auto array : kJointArrays)
        for (std::size_t k = i; k < (run.*array).size(); k += n)
          (run.*array)[k] *= std::numbers::pi / 180.0;
  }
  if (!text.empty()) notes.push_back("degrees converted to radians: " + text);
}

void unwrap(Log& log, std::vector<std::string>& notes) {
  const long n = log.n();
  for (int i = 0; i < log.n(); ++i) {
    if (log.channels.joint_types[static_cast<std::size_t>(i)] != JointType::periodic) continue;
    const auto check = check_wrapping(log, i, kTurn);
    if (check.jumps == 0) continue;
    const std::string& joint = log.channels.joints[static_cast<std::size_t>(i)];
    if (!check.wrapped) {
      notes.push_back(joint + ": left " + counted(check.jumps, "step") +
                      " of more than half a turn, not taken for wrapping");
      continue;
    }
    notes.push_back(joint + ": unwrapped " + counted(check.jumps, "jump") + " of a turn in " +
                    counted(check.runs, "run"));
    for (auto& run : log.runs) {
      double* q = run.q.data() + i;
      double before = q[0], turns = 0.0;
      for (long k = 1; k < run.size(); ++k) {
        const double step = q[k * n] - before;
        before = q[k * n];
        if (std::abs(step) > 0.5 * kTurn) turns -= std::copysign(1.0, step);
        q[k * n] += turns * kTurn;
      }
    }
  }
}

void leave_out_short_runs(Log& log, std::vector<std::string>& notes) {
  const auto is_short = [](const Trajectory& run) { return run.size() < kShortestRun; };
  const auto removed = std::erase_if(log.runs, is_short);
  if (removed > 0)
    notes.push_back("left out " + counted(static_cast<long>(removed), "run") +
                    " of fewer than three samples");
}

}  // namespace

WrapCheck check_wrapping(const Log& log, int joint, double turn) {
  WrapCheck check;
  std::vector<double> jumps;
  double widest = 0.0;
  const long n = log.n();
  for (const auto& run : log.runs) {
    if (run.t.empty()) continue;
    const double* q = run.q.data() + joint;
    const auto before = jumps.size();
    double lowest = q[0], highest = q[0];
    for (long k = 1; k < run.size(); ++k) {
      const double step = std::abs(q[k * n] - q[(k - 1) * n]);
      if (step > 0.5 * turn) jumps.push_back(step);
      lowest = std::min(lowest, q[k * n]);
      highest = std::max(highest, q[k * n]);
    }
    widest = std::max(widest, highest - lowest);
    if (jumps.size() > before) ++check.runs;
  }
  check.jumps = static_cast<long>(jumps.size());
  // Noise at the cut widens a turn a little, and a cut step is a turn less the motion of one
  // sample: a quarter of a turn allows for both, and real jumps of half a turn stay outside.
  constexpr double kSlack = 0.25;
  check.wrapped = !jumps.empty() && widest < (1 + kSlack) * turn &&
                  median(std::move(jumps)) > (1 - kSlack) * turn;
  return check;
}

void prepare_log(Log& log, const ReadOptions& options, std::vector<std::string>& notes) {
  settle_clock(log, options, notes);
  convert_degrees(log, options, notes);
  settle_types(log, options, notes);
  unwrap(log, notes);
  split_at_gaps(log, options.gap, notes);
  leave_out_short_runs(log, notes);
}

}  // namespace mechfit
