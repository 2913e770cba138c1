#pragma once

#include <vector>

#include "mechfit/base/thread_pool.h"
#include "mechfit/estimate/kalman/cleaning.h"

namespace mechfit {

// Positions of one joint that all other samples of their run contradict.
//
//   z = |y - expected| / deviation       leave_one_out.h
//   s = 1.48 median z                    the noise, whatever its outliers: the largest of those of
//                                        the run, of all runs and of the neighbours
//
// A sample is suspect where z > 10 s and no neighbour's z is larger. Suspects are taken out and the
// rest is predicted again, until there are none: what an outlier hid or made look bad shows then.
// In the end every suspect is judged by the samples that are left. It comes back where these
// explain it, and where its neighbours are hardly predicted better: a glitch is alone, a motion too
// fast for its sampling is not.
std::vector<Defect> find_outliers(const Log& log, int joint, ThreadPool& pool);

}  // namespace mechfit
