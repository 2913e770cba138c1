#pragma once

#include "mechfit/base/thread_pool.h"
#include "mechfit/estimate/kalman/smoother.h"
#include "mechfit/estimate/motion/motion_run.h"

namespace mechfit {

// How noisy the observations are and how wrong the model's accelerations, per joint: sigma and s
// that make the observations most likely, around the motion estimated with them. `smoothed` is the
// white-jerk smoothing of the same log, where the search begins. Of a long log evenly spread pieces
// serve. Throws InputError when the model has no positive definite M on any of them. Bits do not
// depend on the number of threads.
MotionNoise likely_noise(const Model& model, const Log& observed, const SmoothResult& smoothed,
                         ThreadPool& pool);

}  // namespace mechfit
