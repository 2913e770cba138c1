#pragma once

#include <vector>

namespace mechfit {

// Root mean squares of the training data, from which everything that must not depend on units is
// scaled.
struct Magnitudes {
  std::vector<double> q_mean, q;  // mean and standard deviation [n]
  std::vector<double> v, a;       // [n]
  std::vector<double> u;          // [m]
  double time = 1.0;  // over which velocities change by themselves: 1/sqrt(mean (a/v)^2)
};

}  // namespace mechfit
