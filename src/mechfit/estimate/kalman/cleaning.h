#pragma once

#include <string>
#include <vector>

#include "mechfit/base/thread_pool.h"
#include "mechfit/log/inspect.h"
#include "mechfit/log/log.h"

namespace mechfit {

// What can be wrong with one observed position.
enum class DefectKind {
  outlier,      // far from what all other samples of its run say
  first,        // the same of the first sample of a run: often a stale one
  last,         // ... and of the last one
  held,         // repeats the sample before while the joint moves on
  contradicted  // far from what a model makes of all other samples (contradictions.h)
};

struct Defect {
  DefectKind kind = DefectKind::outlier;
  int run = 0, sample = 0, joint = 0;
  double found = 0, expected = 0;
};

struct CleaningResult {
  Log log;                      // positions with a defect are missing (NaN), all else as it was
  std::vector<Defect> defects;  // by run, sample and joint

  bool clean() const { return defects.empty(); }
};

// Finds positions that no motion explains (outliers.h, held_values.h). Linear in the samples and
// far cheaper than smooth(). A run keeps its samples where more of them look bad than good logs
// can have bad ones, or where too few would be left. The bits do not depend on the number of
// threads.
CleaningResult clean(const Log& observed, ThreadPool& pool);

// The log without them.
Log without_defects(Log log, const std::vector<Defect>& defects);

// One for each joint and kind of defect: how many there are, where the worst stand (file and line,
// found, expected), and that they are taken out, or what does so. `log` is the one they were found
// in, or what was made of it.
std::vector<Warning> describe_defects(const Log& log, const std::vector<Defect>& defects,
                                      bool taken_out);

// What a log holds and all that would spoil a fit: log/inspect.h with these defects.
Inspection inspect_log(const Log& log, ThreadPool& pool);

}  // namespace mechfit
