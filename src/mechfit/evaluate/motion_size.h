#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "mechfit/estimate/motion/correlated_motion.h"

namespace mechfit {

// Root mean squares per joint.
struct MotionSize {
  std::vector<double> position, acceleration;  // [n]
  std::vector<double> omega;                   // of jerk over acceleration [n]

  double fastest() const { return *std::max_element(omega.begin(), omega.end()); }
};

// Of runs with times t and positions q [T][n]; accelerations by second differences. A joint that
// never moves counts as moving by one.
MotionSize motion_size(int n, std::span<const std::vector<double>> t,
                       std::span<const std::vector<double>> q);

// Share of an error's variance that does not grow with the accelerations. 1, 0.3 and 0.1 were
// tried.
inline constexpr double kSizeFloor = 0.3;

// Errors grow with accelerations: a wrong mass matrix, potential or step acts there most.
//   g^2 = 0.3 + 0.7 |a|^2 / mean |a|^2,  |a| in units of the joints' root mean squares
void set_sizes(const MotionSize& size, std::span<CorrelatedMotion> runs);

}  // namespace mechfit
