#pragma once

#include <vector>

#include "mechfit/fit/smoothed/samples.h"
#include "mechfit/mechanics/families/smm/smm.h"

namespace mechfit {

// Root mean squares of the training data, from which everything that must not depend on units is
// scaled.
struct Magnitudes {
  std::vector<double> q_mean, q;  // mean and standard deviation [n]
  std::vector<double> v, a;       // [n]
  std::vector<double> u;          // [m]
  double time = 1.0;  // over which velocities change by themselves: 1/sqrt(mean (a/v)^2)
};

Magnitudes magnitudes(const Samples& samples);

// Scales of a structured mechanical model for such data. With inputs through a fixed matrix B0
// [n][m] the unit of energy is that of the work they do in one time unit; without it is free and 1.
Scales network_scales(const Magnitudes& size, const std::vector<JointType>& joints,
                      const std::vector<double>& input_matrix, bool physical);

}  // namespace mechfit
