#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mechfit/estimate/motion/motion_quadratic.h"
#include "mechfit/log/log.h"
#include "mechfit/mechanics/discrete_run_error.h"

namespace mechfit {

// What there is to keep of an observed run and the motion that is estimated for it.
struct MotionData {
  MotionData() = default;
  // start [T][n] is where the estimate begins. A run needs kShortestRun samples.
  MotionData(const Model& model, const Trajectory& observed, std::span<const double> start);

  std::vector<double> y, h, u;  // observations [T][n], NaN where missing; steps; inputs
  std::vector<double> q;        // the estimate [T][n]
  double reference = 0;         // the samples' step, where there are unobserved ones between them
  // Errors of forces (DelRunError), of a motion that has a prior of its own.
  std::vector<char> by_force;              // [n], empty: errors of accelerations
  std::shared_ptr<const JerkPrior> prior;  // joins J
  MotionQuadratic quadratic;               // around the last linearise

  int samples() const { return static_cast<int>(h.size()) + 1; }
  RunView view(std::span<const double> motion) const { return {motion, h, u, reference, by_force}; }
};

// The same with the memory to work on it: the minimum over q of
//
//   J(q) = sum |y - q|^2 / (2 sigma^2) + sum |e(q)|^2 / (2 s^2)
//
// for a fixed model (e: DelRunError). J is in units of log-likelihood.
struct MotionRun : MotionData {
  MotionRun(const Model& model, const Trajectory& observed, std::span<const double> start)
      : MotionData(model, observed, start), error(model) {}
  explicit MotionRun(const Model& model) : error(model) {}  // to be lent the data of one

  DelRunError error;  // at the last motion that was evaluated

  // J at any motion; infinity where the model has no positive definite M.
  double objective(const Model& model, std::span<const double> motion, const MotionNoise& noise);

  // Errors, derivatives and quadratic at q; false as for del_run_error.
  [[nodiscard]] bool linearise(const Model& model, RunDerivatives derivatives);

  // J is in units of log-likelihood, so differences below 1e-3 mean nothing; 1e-6 makes the motion
  // repeatable from other starts. 1e-3 to 1e-9 and 10 to 200 iterations gave the same motions.
  struct Options {
    int iterations = 50;
    double tolerance = 1e-6;  // stop when a step promises a smaller fall of J
  };
  struct Outcome {
    double objective = 0;
    int iterations = 0;
    bool converged = false;  // false: no step helps, or too many iterations, or J is infinite
  };
  // Gauss-Newton steps on q, damped (Levenberg-Marquardt) until J falls; never leaves q worse.
  Outcome solve(const Model& model, const MotionNoise& noise, const Options& options);

 private:
  std::vector<double> step_, trial_;
};

}  // namespace mechfit
