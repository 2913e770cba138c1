#pragma once

#include <functional>
#include <vector>

#include "mechfit/base/thread_pool.h"
#include "mechfit/log/log.h"

namespace mechfit {

// The least that a joint needs in one run: three tell position, velocity and acceleration, two more
// make the noise known.
inline constexpr int kFewestObservations = 5;

// Velocities and accelerations from observed positions: every coordinate of every run is a triple
// integrator (q, qd, qdd) seen through white noise, estimated by a Kalman filter and
// Rauch-Tung-Striebel smoother.
enum class SmoothMethod {
  // White noise on the jerk, exact for uneven steps; its intensity per run and joint and the
  // observations' variance per joint by maximum likelihood.
  white_jerk,
  // The reference experiments': process noise diag(1e-3, 1e-3, 1) per sample whatever the step (in
  // seconds and the joint's unit); variance of the observations and first state by
  // expectation-maximisation per run and joint.
  paper,
};
template <>
inline constexpr auto kNames<SmoothMethod> =
    names<SmoothMethod>({{SmoothMethod::white_jerk, "white-jerk"}, {SmoothMethod::paper, "paper"}});

struct SmoothOptions {
  SmoothMethod method = SmoothMethod::white_jerk;
  int em_iterations = 10;    // as many as the paper's experiments take
  bool covariances = false;  // keep the posterior covariances
  // Told the fraction done in (0, 1], by one thread at a time but not always the same.
  std::function<void(double)> progress;
};

// What was learned about one coordinate of one run.
struct SmoothSeries {
  double observation_sd = 0;
  double intensity = 0;  // of the white noise on the jerk [unit^2 / s^5]; 0 with the paper's method
  // Log-likelihood of the observations given the fitted model; white jerk: of those after the
  // third.
  double log_likelihood = 0;
  std::vector<double> history;     // log-likelihood before each EM iteration, then the final one
  std::vector<double> covariance;  // [T][6] of (q, qd, qdd): 00 01 02 11 12 22, when asked for
};

struct SmoothResult {
  Log log;  // as observed, with q, qd, qdd smoothed and q_sd, qd_sd, qdd_sd filled
  std::vector<SmoothSeries> series;  // [runs][n]

  const SmoothSeries& at(int run, int joint) const { return series[run * log.n() + joint]; }
};

// q is NaN where a sample is missing; it gets its estimate like every other. Bits do not depend on
// the number of threads. Throws InputError when there are too few observations.
SmoothResult smooth(const Log& observed, const SmoothOptions& options, ThreadPool& pool);

}  // namespace mechfit
