#pragma once

#include <span>
#include <vector>

#include "mechfit/estimate/kalman/lane_kalman.h"

namespace mechfit {

// What all other samples of a series say about one of them.
struct Prediction {
  double expected = 0;
  double deviation = 0;  // of y - expected, in standard deviations of the noise; infinite where
                         // the others say nothing
};

// Predictions of every sample of up to kSeriesLanes series under white noise on the jerk, whose
// intensities are in units of the noise's variance and of the series' time units. With
// x, P smoothed and h = P / R the weight that a sample has in its own estimate,
//   y - expected = (y - x) / (1 - h)     variance R / (1 - h)     observed
//   expected = x                         variance R + P           missing
std::vector<std::vector<Prediction>> leave_one_out(std::span<const Series> series,
                                                   std::span<const double> intensities);

// The intensity that predicts a series best: the median of |y - expected| is least. The median
// passes over outliers, where the likelihood takes them for noise. Long series are judged by a part
// of them.
double robust_intensity(const Series& series);

}  // namespace mechfit
