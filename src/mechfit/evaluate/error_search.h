#pragma once

#include <vector>

#include "mechfit/base/thread_pool.h"
#include "mechfit/estimate/motion/correlated_motion.h"

namespace mechfit {

// The most likely noise of observations and model, runs together, on one grid of time.
class ErrorSearch {
 public:
  ErrorSearch(const Model& model, ThreadPool& pool) : model_(model), pool_(pool) {}

  std::vector<CorrelatedMotion> runs;
  std::vector<char> usable;  // M is positive definite along the motion  [runs]
  CorrelatedNoise noise;
  std::vector<double> tau;                   // what noise.tau is expected to be    [n]
  std::vector<double> least_sigma, least_s;  // of the search                       [n]

  std::vector<double> expected;  // s, where something is known; else empty

  // Logarithm of likelihood times prior around the motions. The prior is flat in s, so an error too
  // small to be seen is taken as large as it can be without being seen; with something expected it
  // is Cauchy's, 1 / (1 + (s / expected)^2), which the observations overrule. log tau is normal.
  double posterior();

  // Motions and noise by turns, from the noise there is.
  void run();

  bool any_usable() const;

 private:
  void solve(const MotionRun::Options& options);
  double climb();  // one round over all coordinates; the largest change of a logarithm

  const Model& model_;
  ThreadPool& pool_;
  std::vector<double> steps_;  // in logarithms of s, sigma, tau of every joint  [n][3]
};

}  // namespace mechfit
