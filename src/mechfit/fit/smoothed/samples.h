#pragma once

#include <vector>

#include "mechfit/evaluate/acceleration_error.h"
#include "mechfit/log/log.h"

namespace mechfit {

// The runs of a (smoothed) log one after another, as training reads them.
struct Samples {
  int n = 0, m = 0, size = 0;
  std::vector<double> h;        // [size] step to the next sample
  std::vector<double> q, v, a;  // [size][n]; v and a empty when the log has none
  std::vector<double> a_sd;     // [size][n] standard deviations of a, where smoothing tells
  std::vector<double> u_step;   // [size][m] on the step to the next sample
  std::vector<double> u_point;  // [size][m] at the sample: the mean of the steps around it
  // What is learned from, without samples whose motion is vague:
  std::vector<int> triples;  // i: samples i, i+1, i+2 are of one run
  std::vector<int> pairs;    // i: samples i, i+1 are of one run
  std::vector<int> points;   // i: sample i; empty: all of them
};

Samples make_samples(const Log& log);

// With inputs at the samples.
MotionView motion_view(const Samples& samples);

// The same less what the smoother tells poorly: samples of `observed` that are missing, where an
// acceleration's deviation is well above that of the run's samples, as in a stretch of held values
// that were taken out.
Samples make_samples(const Log& smoothed, const Log& observed);

}  // namespace mechfit
