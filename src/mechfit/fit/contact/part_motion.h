#pragma once

#include <Eigen/Core>
#include <vector>

#include "mechfit/base/thread_pool.h"
#include "mechfit/estimate/motion/motion_quadratic.h"
#include "mechfit/fit/contact/model_doubt.h"
#include "mechfit/log/log.h"
#include "mechfit/mechanics/model.h"

namespace mechfit {

// The most likely motion of a part of a run, by the model and its noise.
struct PartMotion {
  bool ok = false;             // false: its numbers do not exist
  Eigen::VectorXd ends;        // (q, v) of its first sample, then of its last one [4n]
  Eigen::MatrixXd covariance;  // of these [4n][4n], the model taken as known
  Eigen::MatrixXd by_doubt;    // d ends / d eta (ModelDoubt) [4n][eta]
  std::vector<double> q, v;    // [T][n]
  std::vector<double> error;   // e / s of the discrete equation at the inner samples [T-2][n]
  double log_likelihood = 0;   // of its observations (MotionQuadratic)
  int observations = 0;
};

// Noise with errors of the equation that are at least `share` sigma / step^2, what the noise of the
// samples makes of a second difference: a motion with `kFollow` goes where its samples are.
inline constexpr double kFollow = 4;
MotionNoise following(const MotionNoise& noise, double step, double share);

// The steps that a fit's motions had: `reference` is that of the samples that were used, for which
// its noise s is meant, `grid` a finer one of the motions, where they have one [s].
struct MotionSteps {
  double reference = 0, grid = 0;
};

// Runs with unobserved samples between theirs, so that motions have the fit's steps: on longer ones
// the discrete equation has errors that its s does not know, and s grows with 1 / sqrt(step).
Log on_steps(const Log& parts, const MotionSteps& steps);

// Of all runs of a log; motions begin with the white-jerk smoother's. Velocities at an end are the
// slope of its step q1 -> q2 and what accelerations make of it,
//
//   v2 = (q2 - q1) / h + h (2 a2 + a1) / 6,   v1 = (q2 - q1) / h - h (2 a1 + a2) / 6.
//
// With g the gradient and H the Hessian of J(q), another theta moves the motion by
// dq/deta = -H^-1 dg/deta, and the ends by that and by their accelerations.
std::vector<PartMotion> part_motions(const Model& model, const MotionNoise& noise, const Log& parts,
                                     ThreadPool& pool, const ModelDoubt& doubt = {});

}  // namespace mechfit
