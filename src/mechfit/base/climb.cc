#include "mechfit/base/climb.h"

#include <algorithm>

namespace mechfit {

ClimbResult climb(double x, double value, const ClimbOptions& options,
                  const std::function<double(double)>& f) {
  const auto [step, farthest, lowest, highest] = options;
  const double up = std::min(x + step, highest), down = std::max(x - step, lowest);
  ClimbResult best{x, value};
  const auto look = [&](double at) {
    const double found = f(at);
    if (found > best.value) best = {at, found};
    return found;
  };
  const double f_down = down < x ? look(down) : value;
  const double f_up = up > x ? look(up) : value;
  double target = best.x == x ? x : x + (best.x - x) * farthest;
  const double curvature = f_up - 2 * value + f_down;
  if (down < x && up > x && curvature < 0) {
    const double newton = 0.5 * step * (f_down - f_up) / curvature;
    target = x + std::clamp(newton, -farthest * step, farthest * step);
  }
  target = std::clamp(target, lowest, highest);
  if (target != x && target != up && target != down) look(target);
  return best;
}

}  // namespace mechfit
