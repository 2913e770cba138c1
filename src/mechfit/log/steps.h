#pragma once

#include <vector>

#include "mechfit/log/log.h"

namespace mechfit {

// The value in the middle of the sorted ones, the upper of two.
double median(std::vector<double> values);

// Times between neighbouring samples of a run, and their median over all runs of a log; 0 when no
// run has two samples.
std::vector<double> steps_of(const Trajectory& run);
double median_step(const Log& log);

}  // namespace mechfit
