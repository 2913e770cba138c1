#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "mechfit/base/thread_pool.h"
#include "mechfit/estimate/motion/motion_quadratic.h"
#include "mechfit/log/log.h"
#include "mechfit/mechanics/model.h"

// Estimates the motion of every run and the model together: the minimum over theta and all
// configurations q of
//
//   J = sum |y - q|^2 / (2 sigma^2) + sum |e(q, theta)|^2 / (2 s^2) + prior(theta)
//
// where e is the acceleration error of the discrete Euler-Lagrange equation (discrete_run_error.h):
// the smoothing of the observations y knows the mechanics that is being learned from them.
namespace mechfit {

struct JointResult;

struct JointOptions {
  std::vector<double> sigma;   // standard deviation of the observations [n]; empty: estimated
  std::vector<int> fixed;      // parameters that are known and keep their values (not for networks)
  int iterations = 0;          // at most; 0: as many as the family needs
  double learning_rate = 0.0;  // of networks; 0: their default
  // What another family made of the same runs: networks begin with its motions if its errors are
  // small. Null: with smoothed ones.
  const JointResult* before = nullptr;
  // Held-out score of another family: a network far from reaching it is not polished.
  double rival = -std::numeric_limits<double>::infinity();
};

struct JointRecord {
  int iteration = 0, iterations = 0;
  double objective = 0;   // J
  double validation = 0;  // log-likelihood per number of the held-out runs, NaN when not looked at
  MotionNoise noise;
};

struct JointResult {
  explicit JointResult(const Model& start) : model(start) {}

  Model model;
  MotionNoise noise;
  Log train, validation;        // the runs with their estimated motion: q, qd, qdd and deviations
  double log_likelihood = 0;    // of the training observations, per number
  double validation_score = 0;  // of the held-out ones: what a choice between models goes by
  int validation_numbers = 0;   // how many those are
  bool finished = true;         // not ended by the progress hook
  std::vector<JointRecord> history;

  // For families with few parameters, by the curvature of J with the motion eliminated (Laplace):
  std::vector<double> covariance;         // of theta [p][p]; empty for networks
  std::vector<double> standard_errors;    // [p], infinite where the data do not tell
  std::vector<std::string> undetermined;  // combinations of an analytic system's constants
};

// What the long fit of a network needs to go on as if it had never stopped.
using JointState = std::map<std::string, std::vector<double>>;

struct JointHooks {
  // After every iteration; false ends the fit there.
  std::function<bool(const JointRecord&)> progress;
  // From time to time, for networks.
  std::function<void(const JointState&)> checkpoint;
  const JointState* resume = nullptr;
};

// `train` and `validation` hold observed positions (NaN where missing). Networks are trained from
// `start`; trigonometric models and analytic systems begin with its parameters. The same input
// gives the same bits whatever the number of threads. Throws InputError when no model could be
// found.
JointResult fit_joint(const Model& start, const Log& train, const Log& validation,
                      const JointOptions& options, ThreadPool& pool, const JointHooks& hooks = {});

}  // namespace mechfit
