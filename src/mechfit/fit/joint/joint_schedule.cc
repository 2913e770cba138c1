#include "mechfit/fit/joint/joint_schedule.h"

#include <algorithm>
#include <cmath>

namespace mechfit {
namespace {

// Effects on errors, on the logs of joint_problem.h.
//
// Where s ends, in units of the accelerations. From prepared motions 0.03: -2 to +81 %, 0.3: within
// 7 %. From smoothed ones 0.03: -27 to +8 %, 0.3: +11 to +53 %.
constexpr double kLastS = 0.1;
// The rate at the end of the fall of s, in units of the first rate. 0.02 and 0.18: within 4 %.
constexpr double kLastRate = 0.06;
// Share of the moving steps at the last s, rates to zero. 0.07 and 0.6: within 4 %.
constexpr double kRest = 0.2;
// Of kLastRate, at the very end. 0.017 and 0.15: same errors to four digits.
constexpr double kSlowest = 0.05;

}  // namespace

Schedule::Schedule(SchedulePlan plan, int steps) : plan_(plan), steps_(plan.held + plan.moving) {
  if (steps == 0) return;
  plan_.held = static_cast<int>(static_cast<double>(steps) * plan.held / steps_);
  steps_ = steps;
}

double Schedule::s_at(int step) const {
  if (held(step)) return std::pow(plan_.held_s, std::min(1.0, 2.0 * step / plan_.held));
  const double part = std::min(1.0, static_cast<double>(step - plan_.held) / falling());
  return plan_.first_s * std::pow(kLastS / plan_.first_s, part);
}

double Schedule::rate_at(int step) const {
  if (held(step)) return 1.0;
  const int moved = step - plan_.held, moving = steps_ - plan_.held;
  if (moved < falling()) return std::pow(kLastRate, static_cast<double>(moved) / falling());
  const double left = static_cast<double>(moving - moved) / (moving - falling() + 1);
  return kLastRate * std::max(kSlowest, left);
}

int Schedule::falling() const {
  return std::max(1, static_cast<int>((1 - kRest) * (steps_ - plan_.held)));
}

}  // namespace mechfit
