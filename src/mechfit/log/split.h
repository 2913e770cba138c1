#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mechfit/base/constants.h"
#include "mechfit/log/log.h"

namespace mechfit {

// A stretch of one run of a split: its samples with begin <= t < end.
struct Piece {
  bool held_out = false;  // of a validation run, else of a training run
  int run = 0;
  double begin = -kInfinity, end = kInfinity;  // [s]
};

// A part of a cross-validation: the pieces of a split that it trains on, and those it holds out.
struct SplitPart {
  std::vector<Piece> train, validation;
};

struct Split {
  Log train, validation;
  std::string note;  // what was done, for the user
  // Further parts: every training sample is held out by exactly one of them. With the split itself
  // as the first part every sample of the log is held out once.
  std::vector<SplitPart> others;
};

// A quarter of the runs (at least one), drawn by the seed, is held out; the others are dealt to
// three further parts (as many as there are runs for) in their order. A single run is cut into
// eight blocks and every part holds out every fourth. Throws InputError when nothing would be left
// to train or validate on.
Split split_runs(const Log& log, std::uint64_t seed);

// Samples [begin, end) of a run.
Trajectory slice(const Trajectory& run, int n, int m, int begin, int end);

// The pieces as runs. The two logs have the runs of the split in their order, perhaps thinned or
// smoothed.
Log gather(const std::vector<Piece>& pieces, const Log& train, const Log& validation);

}  // namespace mechfit
