#pragma once

#include <vector>

#include "mechfit/base/thread_pool.h"
#include "mechfit/log/log.h"

// Where velocities jump, seen without a model.
namespace mechfit {

// One jump of one joint's velocity between a sample and the next.
struct Kink {
  int run = 0, sample = 0, joint = 0;
  double time = 0, time_sd = 0;          // where both sides meet [s]
  double position = 0, position_sd = 0;  // there
  double before = 0, after = 0;          // velocities on either side
  double score = 0;                      // |after - before| in standard deviations
};

// Around every step between two samples, W samples on either side, W from 6 to 40:
//
//   q(t) = a cubic + (d (t - t*) behind t*, 0 before)
//
// by least squares, with t* free within the step (a jump of position at its middle, which is
// linear, says the same); noise is the median of all windows' residuals, or the window's own where
// that is larger: what the cubic does not follow counts as noise. Jumps d of more than `least`
// deviations that no other within their window exceeds, and that are more than what the motion's
// accelerations do in two steps.
std::vector<Kink> find_kinks(const Log& log, double least, ThreadPool& pool);

}  // namespace mechfit
