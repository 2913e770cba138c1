#pragma once

#include <functional>

#include "mechfit/base/constants.h"

namespace mechfit {

struct ClimbOptions {
  double step = 1;      // distance of the two points that are tried first
  double farthest = 2;  // longest move, in steps
  double lowest = -kInfinity, highest = kInfinity;  // x stays within
};

struct [[nodiscard]] ClimbResult {
  double x = 0;      // the best point that was tried
  double value = 0;  // f there
};

// One move towards the maximum of f along a line, from x with `value` = f(x). Tries x - step,
// x + step and the top of the parabola through the three (beyond the better of the two, where the
// parabola has no top), and returns the best of all; x itself when nothing is better.
ClimbResult climb(double x, double value, const ClimbOptions& options,
                  const std::function<double(double)>& f);

}  // namespace mechfit
