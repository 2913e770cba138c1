#pragma once

#include <span>
#include <vector>

#include "mechfit/estimate/kalman/cleaning.h"

namespace mechfit {

// What all other observations of a run say about each one of a joint. With P the variance of the
// estimate q of an observed y, and h = P / sigma^2 the weight that y has in it,
//   y - expected = (y - q) / (1 - h)     variance sigma^2 / (1 - h)     used
//   expected = q                         variance sigma^2 + P           not used
struct Residuals {
  std::vector<double> y, q;         // observed, estimated                                [T]
  std::vector<double> z, expected;  // y - expected in its deviations, NaN where unknown  [T]
  std::vector<char> used;           // has weight in the estimate                         [T]

  void add(double observed, double estimate, double variance, double sigma, bool weighs);
};

// The joints of a run of one of the logs that are judged together; none where nothing is known.
struct JudgedRun {
  int log, run;
  std::vector<Residuals> joints;  // [n]
};

// Observations that the others contradict, by log. The residuals of a joint have a NoiseMixture.
// Where those around one are large as well, it is the estimate that is wrong: residuals are in
// units of their neighbours'. Values that repeat the one before them while the motion moves on are
// held ones, unless the noise (sigma [n]) and the sensor's steps make such repetition by chance.
std::vector<std::vector<Defect>> judge_residuals(int logs, std::vector<JudgedRun> runs,
                                                 std::span<const double> sigma);

}  // namespace mechfit
