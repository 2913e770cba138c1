#pragma once

#include "mechfit/base/thread_pool.h"
#include "mechfit/estimate/motion/motion_quadratic.h"
#include "mechfit/evaluate/starts.h"

// What was the machine's state, by the samples up to there?
namespace mechfit {

inline constexpr int kStartWindow = 60;

// What is known at the starts when the `window` samples that end there (all, where there are fewer)
// are smoothed with the model. No later sample has a part in a state; the noise is the most likely
// one of the windows together.
struct StartEstimate {
  MotionNoise noise;
  int without_model = 0;  // starts where M is not positive definite: states by white noise on the
                          // jerk, from the same samples
};

// Fills the states of `starts`. With `draws` > 0 also that many samples of the states' posterior
// distribution, in `drawn`: starts that differ in their states. Bits do not depend on the number of
// threads.
StartEstimate estimate_states(const Model& model, const Log& observed, int window, Starts& starts,
                              ThreadPool& pool, int draws = 0,
                              std::vector<Starts>* drawn = nullptr);

}  // namespace mechfit
