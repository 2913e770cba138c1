#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mechfit/log/log.h"

namespace mechfit {

// The longest step that this motion bridges [s]: where a cubic through samples half a step before,
// at the ends of and half a step behind a span of this length misses the sample in its middle,
// noise taken off, by half the joint's spread. With a frequency omega that is (omega h)^4 / 96 =
// 1/2, four tenths of a period. Infinite where the log has nothing so long.
double longest_bridge(const Log& log);

// Splits runs at steps longer than `gap` median steps of the run, 0: never, none: at those that are
// both clearly longer than their neighbours and longer than the motion bridges. `notes` tell of it.
void split_at_gaps(Log& log, std::optional<double> gap, std::vector<std::string>& notes);

}  // namespace mechfit
