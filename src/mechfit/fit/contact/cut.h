#pragma once

#include <vector>

#include "mechfit/log/log.h"

namespace mechfit {

// An impact in a log: at `time` a joint reaches a contact. Samples after `before` and before
// `after` are too near to it to say on which side they are.
struct Impact {
  int run = 0, contact = 0;
  int before = 0, after = 0;  // the last sample of the motion before, the first one of that after
  double time = 0;
  // Samples [rest, rest_end) in between lie on the contact; none where both are 0.
  int rest = 0, rest_end = 0;
  bool rests() const { return rest_end > rest; }
};

// The log's runs between impacts, as runs of their own: across an impact the discrete
// Euler-Lagrange equation does not hold, and without its two residuals there the motion is free to
// jump.
struct CutLog {
  struct Part {
    int run, begin, end;  // samples [begin, end) of the log's run
  };
  Log log;
  std::vector<Part> parts;         // of each of its runs
  std::vector<int> behind, ahead;  // the part before and after each impact; -1: too short to be one
};

// Pieces shorter than this say little of a model and cannot be smoothed.
inline constexpr int kShortestPiece = 8;

// Impacts in the order of runs and times.
CutLog cut_log(const Log& log, const std::vector<Impact>& impacts);

// Sorts, and keeps of impacts that overlap the first.
void put_in_order(std::vector<Impact>& impacts);

}  // namespace mechfit
