#pragma once

#include "mechfit/base/thread_pool.h"
#include "mechfit/estimate/motion/motion_quadratic.h"
#include "mechfit/evaluate/starts.h"

// What was the machine's state, by the samples up to there?
namespace mechfit {

// Samples that a start rests on. Rollout errors in units of those with 200 samples, five horizons
// of three simulated double pendulums (noise 1e-4, 0.05 and 0.1 rad): 20 samples 1.1 to 2.9, 40
// samples 1.1 to 1.9, 60 samples 1.0 to 1.5, 100 samples 0.9 to 1.3. Long windows do not fit into
// short runs.
inline constexpr int kStartWindow = 60;

// What is known at the starts when the `window` samples that end there (all, where there are fewer)
// are smoothed with the model. No later sample has a part in a state; the noise is the most likely
// one of the windows together.
struct StartEstimate {
  MotionNoise noise;
  int without_model = 0;  // starts where M is not positive definite: states by white noise on the
                          // jerk, from the same samples
};

// Fills the states of `starts`, the motions on steps of `grid` where that is finer than the
// samples' (0: theirs). With `draws` > 0 also that many samples of the states' posterior
// distribution, in `drawn`: starts that differ in their states. Bits do not depend on the number of
// threads.
StartEstimate estimate_states(const Model& model, const Log& observed, int window, Starts& starts,
                              ThreadPool& pool, int draws = 0, std::vector<Starts>* drawn = nullptr,
                              double grid = 0);

}  // namespace mechfit
