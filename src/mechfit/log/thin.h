#pragma once

#include <string>

#include "mechfit/log/log.h"

namespace mechfit {

struct Thinning {
  double step = 0;   // the least between samples that are kept [s]; 0: every one is kept
  std::string note;  // for the user; empty when every one is
};

// How far a log may be thinned before the midpoint rule's error shows: the relative error of its
// accelerations is (omega h)^2 / 12 in a motion of frequency omega, here the ratio of jerk to
// acceleration of the smoothed log; h is taken where that is a thousandth. Samples closer together
// than that cost time and add little but noise, which enters the error of the discrete equations as
// sigma / h^2. A step that is asked for (> 0) is taken instead.
Thinning choose_thinning(const Log& smoothed, double step);

// Every stride-th sample of each run, so many that their median step stays at most `step` and that
// a short run keeps kShortestRun samples; an input is the mean of what acts until the next one.
Log thin(const Log& log, double step);

}  // namespace mechfit
