#pragma once

#include <vector>

#include "mechfit/base/thread_pool.h"
#include "mechfit/estimate/kalman/cleaning.h"

namespace mechfit {

// Samples of one joint that repeat the one before to the last bit although the joint moved: a
// sensor that was not read, a row that was logged twice. All of a stretch but its first sample.
//
// A coarse sensor repeats itself, and so does a joint at rest. With N moves from sample to sample,
// c of them as small as the smallest, the sensor's step, about c / 2 of N are none at all by chance
// (none for numbers that lie on no grid). p is ten times that share, for where the joint is slow:
//
//   N p^L < 1/10   L repeats are no chance. They are held unless the joint seems to rest: the
//   motion
//                  around is smooth, and the stretch ends with a move smaller than the next one.
//   else           held only if the stretch ends with a jump that the moves before and after say
//                  was due to more than one step.
//
// `expected` is on the line from the stretch's first sample to the one after it.
std::vector<Defect> find_held_values(const Log& log, int joint, ThreadPool& pool);

}  // namespace mechfit
