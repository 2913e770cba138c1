#pragma once

#include <string>

#include "mechfit/study/data_set.h"

namespace mechfit {

// Writes FOLDER/trajectories.json: the first run of every data set as observed, true and smoothed,
// with velocities and accelerations, in the form of a report's `trajectories` (docs/report.md).
// Data sets that the file holds from earlier calls stay.
void write_trajectories(const StudyData& data, const std::string& folder);

}  // namespace mechfit
