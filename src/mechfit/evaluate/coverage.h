#pragma once

#include <span>
#include <vector>

#include "mechfit/evaluate/acceleration_error.h"
#include "mechfit/evaluate/start_states.h"

// Do the predictions of several equally likely models scatter as much as they err? A band around
// their mean that is said to hold 90 % of what is measured should hold 90 % of it.
//
//   half width^2 = t^2 (1 + 1/K) spread^2 + z^2 sd^2
//
// with spread the standard deviation over K members, t and z the quantiles of Student's (K - 1
// degrees of freedom) and of the normal distribution, sd the deviation of the measured value
// itself.
namespace mechfit {

inline constexpr double kBands[] = {0.5, 0.9};  // one near the middle, one towards the tails

struct BandCoverage {
  double band = 0;               // share that the band is meant to hold
  double acceleration = 0;       // share of the points' accelerations that are inside
  double rollout = 0;            // share of positions, over all horizons; NaN without rollouts
  std::vector<double> horizons;  // the same for each, NaN where no rollout fits
};

// sd [N][n] of the points' accelerations; empty: they are exact. A value for which fewer than two
// members have a prediction is outside.
std::vector<double> acceleration_coverage(std::span<const Model> members, const MotionView& points,
                                          std::span<const double> sd, ThreadPool& pool);

// Shares [bands][horizons]. Member k starts from the state starts[k], see estimate_states; compared
// with observed positions of standard deviation sigma [n].
std::vector<std::vector<double>> rollout_coverage(std::span<const Model> members,
                                                  const Log& observed,
                                                  std::span<const Starts> starts,
                                                  std::span<const double> horizons,
                                                  std::span<const double> sigma, int substeps,
                                                  ThreadPool& pool);

// Half widths per unit of spread, and per unit of sd.
double student_quantile(double band, int degrees);
double normal_quantile(double band);

}  // namespace mechfit
