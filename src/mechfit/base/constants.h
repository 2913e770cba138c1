#pragma once

#include <limits>
#include <numbers>

namespace mechfit {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kTurn = 2 * std::numbers::pi;  // a full turn [rad]

}  // namespace mechfit
