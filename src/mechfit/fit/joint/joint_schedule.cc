#include "mechfit/fit/joint/joint_schedule.h"

#include <algorithm>
#include <cmath>

namespace mechfit {
namespace {

constexpr double kLastS = 0.1;      // in units of the accelerations
constexpr double kLastRate = 0.06;  // at the end of the fall of s, in units of the first rate
constexpr double kRest = 0.2;       // share of the moving steps at the last s, rates to zero
constexpr double kSlowest = 0.05;   // of kLastRate, at the very end

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
