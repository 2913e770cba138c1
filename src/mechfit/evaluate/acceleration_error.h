#pragma once

#include <span>
#include <vector>

#include "mechfit/base/thread_pool.h"
#include "mechfit/log/acting_input.h"
#include "mechfit/mechanics/model.h"

namespace mechfit {

// Points of motion with their accelerations, sample-major; owns nothing.
struct MotionView {
  int n = 0, m = 0;
  std::span<const double> q, v, a;  // [N][n]
  std::span<const double> u;        // [N][m], empty is no input
  std::span<const double> h = {};   // [N] step to the next sample of the run, 0 at its end; empty:
                                    // not known

  int size() const { return n == 0 ? 0 : static_cast<int>(q.size()) / n; }
};

// The same, with its own arrays.
struct MotionPoints {
  int n = 0, m = 0;
  std::vector<double> q, v, a, u, h;

  int size() const { return view().size(); }
  MotionView view() const { return {n, m, q, v, a, u, h}; }
  operator MotionView() const { return view(); }
};

// The samples of all runs, which must have qd and qdd.
MotionPoints motion_points(const Log& log, InputAtSample input);

struct AccelerationError {
  std::vector<double> joint_mse;  // [n] mean over points of (predicted - given)^2
  double mse = 0;                 // mean over joints
  int not_positive = 0;  // points where M is not positive definite; any makes the errors +inf
};

// Predicted against given accelerations. Bits do not depend on the number of threads. A model
// without inputs ignores u.
AccelerationError acceleration_error(const Model& model, const MotionView& points,
                                     ThreadPool& pool);

// Predicted accelerations [N][n], NaN where M is not positive definite; and how far predictions are
// off, as above.
std::vector<double> predict_accelerations(const Model& model, const MotionView& points,
                                          ThreadPool& pool);
AccelerationError compare_accelerations(std::span<const double> predicted,
                                        const MotionView& points);

// The mean over points and joints alone.
double acceleration_mse(const Model& model, const MotionView& points, ThreadPool& pool);

// What one gets without a model: predicting zero, and predicting the mean of the points.
AccelerationError zero_baseline(const MotionView& points);
AccelerationError mean_baseline(const MotionView& points);

}  // namespace mechfit
