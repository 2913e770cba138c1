#pragma once

#include <functional>
#include <span>
#include <vector>

#include "mechfit/base/thread_pool.h"
#include "mechfit/estimate/kalman/lane_kalman.h"

namespace mechfit {

// The state-space model fitted to one series. Variances are in units of `scale`, time in the
// series' time_unit.
struct SeriesModel {
  double r = 1;
  double intensity = 0;  // of white noise on the jerk; 0 with a fixed process noise
  double scale = 1;
  StatePrior prior;
  std::vector<double> history;  // log-likelihood before each iteration of EM
};

// What the models of all series have in common, and what fits them.
struct ModelFit {
  LaneParameters family;
  std::vector<SeriesModel> models;  // one per series
};

// Counts finished units of work from any thread.
using Tick = std::function<void(double work)>;

// The smoother of the reference experiments: Q = diag(1e-3, 1e-3, 1) per step; R and the first
// sample's mean and covariance by expectation-maximisation for each series on its own, from
// R = 1, mean 0, covariance I.
ModelFit fit_paper_models(std::span<const Series> series, int iterations, ThreadPool& pool,
                          const Tick& tick);

// What all models with white noise on the jerk begin with: a prior that says nothing, R = 1.
StatePrior flat_prior(const Series& series);
LaneParameters white_jerk_family();

// White noise on the jerk, a flat prior, and by maximum likelihood one R for each joint and an
// intensity for each of its runs (one for all runs too short to tell). joint[i] is the joint that
// series i belongs to. The result is equivariant: data or time in other units give the same
// smoothed motion in other units.
ModelFit fit_white_jerk_models(std::span<const Series> series, std::span<const int> joint,
                               ThreadPool& pool, const Tick& tick);

}  // namespace mechfit
