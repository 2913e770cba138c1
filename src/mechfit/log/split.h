#pragma once

#include <cstdint>
#include <string>

#include "mechfit/log/log.h"

namespace mechfit {

struct Split {
  Log train, validation;
  std::string note;  // what was done, for the user
};

// A quarter of the runs (at least one), drawn by the seed, is held out. A single run is cut into
// eight blocks and every fourth is held out. Throws InputError when nothing would be left to train
// or validate on.
Split split_runs(const Log& log, std::uint64_t seed);

// Samples [begin, end) of a run.
Trajectory slice(const Trajectory& run, int n, int m, int begin, int end);

}  // namespace mechfit
