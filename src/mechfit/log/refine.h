#pragma once

#include <span>
#include <vector>

#include "mechfit/log/log.h"

namespace mechfit {

// Parts of a step at most: across a gap more would cost time and memory, and tell nothing.
inline constexpr int kMostParts = 64;

// Puts unobserved samples (q is NaN) between those of a run, so that no step is longer than `step`,
// at most `most_parts` - 1 each time: for a motion that is estimated on finer steps than it was
// sampled. Inputs are what acts on the finer steps (acting_input.h).
Trajectory refine(const Trajectory& run, int n, int m, double step, int most_parts);

// The same for a log whose samples are farther apart; its runs remember the median step.
Log refine(const Log& log, double step);

// The observed samples of a log that was refined.
Log observed_samples(const Log& refined, const Log& observed);

// A motion q [T][n] at times `from` at other times, by cubics through four neighbours.
std::vector<double> interpolate(std::span<const double> from, std::span<const double> q, int n,
                                std::span<const double> to);

}  // namespace mechfit
