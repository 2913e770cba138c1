#pragma once

#include <string>
#include <vector>

#include "mechfit/log/log.h"
#include "mechfit/log/read_options.h"

namespace mechfit {

// Which column of a table holds what; -1 and empty: not there. joint_types are left empty.
struct Columns {
  int time = -1;
  double time_scale = 1.0;  // to seconds
  int time_fraction = -1;   // nanoseconds to be added
  int trajectory = -1;
  std::vector<int> q, u;                 // [n], [m]
  std::vector<int> qd, qdd;              // [n] or empty
  std::vector<int> q_sd, qd_sd, qdd_sd;  // [n] or empty
  Channels channels;
};

// Takes the named columns, guesses the others, and says in `notes` what it guessed. `where` starts
// the error messages ("log.csv:1").
Columns choose_columns(const std::vector<std::string>& header, const ReadOptions& options,
                       const std::string& where, std::vector<std::string>& notes);

// `th1_rad`, `th1 [rad]` and `th1 (rad)` to {th1, rad}; a name without a known unit keeps "".
struct NameAndUnit {
  std::string name, unit;
};
NameAndUnit split_unit(const std::string& column);

// Whether a column that was not used may be a joint (a position in rad, deg or a length), or an
// input (tau1, motor current ...).
bool looks_like_joint(const std::string& column);
bool looks_like_input(const std::string& column);

}  // namespace mechfit
