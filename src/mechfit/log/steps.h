#pragma once

#include <vector>

#include "mechfit/log/log.h"

namespace mechfit {

// Times from sample to sample [s], of a run and of all runs.
std::vector<double> steps_of(const Trajectory& run);
std::vector<double> steps_of(const Log& log);

// 0 for a log without steps.
double median_step(const Log& log);

}  // namespace mechfit
