#pragma once

#include <vector>

#include "mechfit/log/log.h"

namespace mechfit {

// Steps that differ by less than this share are the same: they came from decimal numbers.
inline constexpr double kSameStep = 1e-6;

// Times from sample to sample [s], of a run and of all runs.
std::vector<double> steps_of(const Trajectory& run);
std::vector<double> steps_of(const Log& log);

// 0 for a log without steps.
double median_step(const Log& log);

}  // namespace mechfit
