#pragma once

#include <string>
#include <vector>

#include "mechfit/log/log.h"

namespace mechfit {

// Enters the line of a run's next sample.
void add_line(Origin& origin, int sample, long line);

// The line (or row) of a sample, -1 when it is not known.
long line_of(const Origin& origin, int sample);

// "log.csv:17", "log.npz row 16", "log.mcap message 17", or where the file is not known "run a
// at 1.2 s".
std::string place_of(const Trajectory& run, int sample);

// Of some samples of the run, in their order.
Origin origin_of(const Origin& origin, int begin, int end);
Origin origin_of(const Origin& origin, const std::vector<int>& samples);

// Some samples of a run, in their order: all that is known of them.
Trajectory take_samples(const Trajectory& run, const std::vector<int>& samples);

}  // namespace mechfit
