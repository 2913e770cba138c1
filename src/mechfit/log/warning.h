#pragma once

#include <string>
#include <vector>

namespace mechfit {

// What would spoil a fit, what does most harm first.
enum class WarningKind {
  still_joint,  // never moves
  clock_unit,   // steps that no machine's log has
  left_out,     // a joint or an input that is not used
  degrees,      // taken for radians
  wrapped,      // an angle cut to one turn
  jitter,       // stamps that disagree with the motion
  outliers,
  stale_ends,  // of runs
  held_values,
  jumps,  // more than half a turn in one step
  slow_sampling,
  repeated_run,
  gaps,
  uneven_steps,
  different_rates,
  noise,
  coarse_sensor,
  still_input,
  short_runs,
};

struct Warning {
  WarningKind kind = WarningKind::still_joint;
  std::string text;  // what it is, and what to do about it
};

// In the order of harm.
void sort_warnings(std::vector<Warning>& warnings);

std::vector<std::string> texts_of(const std::vector<Warning>& warnings);

}  // namespace mechfit
