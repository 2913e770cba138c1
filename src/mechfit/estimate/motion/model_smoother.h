#pragma once

#include "mechfit/base/thread_pool.h"
#include "mechfit/estimate/motion/motion_run.h"

namespace mechfit {

// Smoothing with a model of the machine instead of white noise on the jerk: the most likely motion
// given observations with standard deviation sigma and accelerations that the model gets right up
// to s.
struct ModelSmoothRun {
  double objective = 0;       // J
  double log_likelihood = 0;  // of the observations, see MotionQuadratic
  bool converged = false;
};

struct ModelSmoothResult {
  MotionNoise noise;  // that was assumed
  // q by the minimum of J; qd by the model's momenta at the samples (discrete Legendre transform);
  // qdd by the model at these states, less its error there; standard deviations from the curvature
  // of J.
  Log log;
  std::vector<ModelSmoothRun> runs;
};

// `start` has the same runs with any estimate of q, say the white-jerk smoother's; q of `observed`
// is NaN where a sample is missing. Throws InputError when the model has no positive definite M on
// a run. Bits do not depend on the number of threads.
ModelSmoothResult smooth_with_model(const Model& model, const Log& observed, const Log& start,
                                    const MotionNoise& noise, ThreadPool& pool);

// Velocities at the samples of a motion after its linearise [T][n]: M(q) v is the momentum that
// arrives with the step before and leaves with the step after, their mean at inner samples.
std::vector<double> motion_velocities(const Model& model, const MotionRun& run);

// From the white-jerk smoother's estimate, with the most likely noise (motion_noise.h).
ModelSmoothResult smooth_with_model(const Model& model, const Log& observed, ThreadPool& pool);

}  // namespace mechfit
