#pragma once

#include <span>
#include <vector>

#include "mechfit/evaluate/predictions.h"

// Do predictions scatter as much as they err? A band that is said to hold 90 % of what is measured
// should hold 90 % of it.
namespace mechfit {

struct BandCoverage {
  double band = 0;               // share that the band is meant to hold
  double acceleration = 0;       // share of accelerations that are inside; NaN where none are known
  double rollout = 0;            // share of positions, over all horizons; NaN without rollouts
  std::vector<double> horizons;  // the same for each, NaN where no rollout fits
};

// Shares [bands] of `measured` [N][n] that are inside; NaN of none.
std::vector<double> acceleration_coverage(const AccelerationBands& bands,
                                          std::span<const double> measured);

// Shares [bands][horizons] of observed positions of standard deviation sigma [n] inside the bands
// of predict_rollouts from `starts`.
std::vector<std::vector<double>> rollout_coverage(std::span<const Rollout> predictions,
                                                  const Log& observed, const Starts& starts,
                                                  std::span<const double> horizons,
                                                  std::span<const double> sigma);

// Half the width of a band of the normal distribution, in standard deviations.
double normal_quantile(double band);

}  // namespace mechfit
