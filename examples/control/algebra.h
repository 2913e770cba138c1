#pragma once

#include <Eigen/Dense>
#include <vector>

// Small vectors and matrices that live on the stack: states (q, v) of machines of up to four
// joints, angles beside their speeds in SI units.
namespace control {

inline constexpr int kMaxState = 8;

using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMaxState, 1>;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxState, kMaxState>;

}  // namespace control
