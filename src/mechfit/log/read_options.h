#pragma once

#include <string>
#include <vector>

#include "mechfit/log/log.h"

namespace mechfit {

// How to read a log. Empty names are guessed from the header (docs/logs.md).
struct ReadOptions {
  std::string time;
  std::vector<std::string> q, u;       // [n], [m]
  std::vector<std::string> qd, qdd;    // [n] each, or empty
  std::string trajectory;              // names the run of each row
  std::vector<JointType> joint_types;  // one per joint, or one for all; empty: guessed from units
  bool degrees = false;                // joints whose names give no unit are in degrees
  bool drop_bad_rows = false;          // count them instead of refusing the file
  double gap = 10.0;  // a step longer than this many median steps ends a run; 0: never
};

}  // namespace mechfit
