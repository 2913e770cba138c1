#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "mechfit/base/thread_pool.h"
#include "mechfit/estimate/kalman/smoother.h"
#include "mechfit/estimate/motion/motion_quadratic.h"
#include "mechfit/fit/history.h"
#include "mechfit/fit/joint/joint_state.h"
#include "mechfit/fit/joint/team.h"
#include "mechfit/fit/status.h"
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

// Observed positions (NaN where missing) and what smoothing makes of them.
struct JointData {
  std::shared_ptr<const Log> train, validation;
  std::shared_ptr<const SmoothResult> train_smoothed, validation_smoothed;
};
JointData joint_data(Log train, Log validation, ThreadPool& pool);

struct JointResult;

struct JointOptions {
  std::vector<double> sigma;   // standard deviation of the observations [n]; empty: estimated
  std::vector<int> fixed;      // parameters that are known and keep their values (not for networks)
  int iterations = 0;          // at most; 0: as many as the family needs
  double learning_rate = 0.0;  // of networks; 0: their default
  bool motions = true;         // the result has the estimated motions of the runs
  // What another family made of the same runs: networks begin with its motions if its errors are
  // small. Null: with smoothed ones.
  const JointResult* before = nullptr;
  // Held-out score of another family: a network far from reaching it is not polished.
  double rival = -std::numeric_limits<double>::infinity();
};

struct JointResult {
  explicit JointResult(const Model& start) : model(start) {}

  FitStatus status = FitStatus::finished;
  Model model;
  MotionNoise noise;
  Log train, validation;        // the runs with their estimated motion: q, qd, qdd and deviations
  double log_likelihood = 0;    // of the training observations, per number
  double validation_score = 0;  // of the held-out ones: what a choice between models goes by
  int validation_count = 0;     // how many numbers those are
  FitHistory history{Criterion::log_likelihood};

  // For families with few parameters, by the curvature of J with the motion eliminated (Laplace):
  std::vector<double> covariance;         // of theta [p][p]; empty for networks
  std::vector<double> standard_errors;    // [p], infinite where the data do not tell
  std::vector<std::string> undetermined;  // combinations of constants that the data do not tell
};

struct JointHooks {
  // After every iteration, with the number of iterations at most; false ends the fit there.
  std::function<bool(const FitRecord&, int iterations)> progress;
  std::function<void(const JointState&)> checkpoint;
  const JointState* resume = nullptr;  // InputError when it is not of this model and data
  Team* team = nullptr;                // processes that make this fit together; null: this one
};

// Networks are trained from `start`; families with few parameters begin with its parameters. The
// same input gives the same bits whatever the number of threads.
JointResult fit_joint(const Model& start, const JointData& data, const JointOptions& options,
                      ThreadPool& pool, const JointHooks& hooks = {});

}  // namespace mechfit
