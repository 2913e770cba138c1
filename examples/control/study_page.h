#pragma once

#include <string>
#include <vector>

#include "examples/control/study.h"

namespace control {

struct StudyResults {
  std::vector<double> noises;
  std::vector<Task> tasks;
  std::vector<SwingUp> swing_ups;
  std::vector<TrackingRun> tracking;  // empty: not run
  std::string command;
};

// One self-contained HTML page in the style of mechfit's reports.
std::string study_page(const StudyResults& results);

}  // namespace control
