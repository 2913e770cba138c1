#pragma once

#include <string>
#include <vector>

#include "mechfit/log/log.h"
#include "mechfit/log/read_options.h"

namespace mechfit {

// From what a file says to what a fit can use: a clock in seconds that increases (clock.h), units
// and joint types settled, degrees to radians, wrapped angles unwrapped, runs split at gaps
// (gaps.h), runs of fewer than kShortestRun samples left out. `notes` lists everything that was
// changed.
void prepare_log(Log& log, const ReadOptions& options, std::vector<std::string>& notes);

// Whether a joint's values are those of an angle that was cut to one turn: there are steps of more
// than half a turn, most of them close to a whole one, and each run lies within little more than a
// turn. `turn` is in the unit of the values.
struct WrapCheck {
  long jumps = 0;  // steps of more than half a turn
  long runs = 0;   // that have some
  bool wrapped = false;
};
WrapCheck check_wrapping(const Log& log, int joint, double turn);

}  // namespace mechfit
