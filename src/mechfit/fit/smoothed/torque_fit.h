#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mechfit/base/thread_pool.h"
#include "mechfit/fit/history.h"
#include "mechfit/fit/smoothed/samples.h"
#include "mechfit/fit/status.h"
#include "mechfit/mechanics/model.h"

namespace mechfit {

// Standard deviation of what the inputs push at each joint, B u [n]; zero: nothing.
std::vector<double> torque_sizes(const Model& model, const Samples& samples, ThreadPool& pool);

// Whether torques can be regressed: inputs push every joint, and say what the scale of M is.
bool fully_driven(const Model& model);

struct TorqueFit {
  explicit TorqueFit(const Model& start) : model(start) {}

  FitStatus status = FitStatus::finished;
  Model model;
  std::vector<double> s;  // rms of the torques that are missed [n]
  FitHistory history;     // validation: held-out squared error over the torques' variance
  // By the curvature of J, with as many samples as their correlation leaves:
  std::vector<double> covariance;       // of theta [p][p]
  std::vector<double> standard_errors;  // [p], infinite where the data do not tell
  std::vector<std::string> notes;       // for the user
};

// Torque regression of a family with few parameters, by Levenberg-Marquardt on smoothed samples:
//
//   J = sum e_j^2 / (2 s_j^2) + T sum log s_j + prior(theta)       e: torque_block.h
//
// with s, the rms of each joint's error, and theta in turns. `held` parameters keep their values.
// `warm`: parameters to begin with, where M is positive definite there; empty: those of `start`,
// which the prior knows in either case.
// `progress` may be empty; false from it ends the fit there. The number of threads does not change
// a bit.
TorqueFit fit_torques(const Model& start, const std::vector<int>& held,
                      const std::vector<double>& warm, const Samples& train,
                      const Samples& validation, ThreadPool& pool,
                      const std::function<bool(const FitRecord&, int steps)>& progress);

}  // namespace mechfit
