#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "mechfit/study/data_set.h"

namespace mechfit {

// Writes FOLDER/trajectories.json: the first run of every data set as observed, true and smoothed,
// with velocities and accelerations, in the form of a report's `trajectories` (docs/report.md).
// Data sets that the file holds from earlier calls stay.
void write_trajectories(const StudyData& data, const std::string& folder);

// That list again; `path` is for messages (InputError). What an entry holds beside its name is
// looked at where it is drawn.
nlohmann::ordered_json parse_trajectories(const std::string& bytes, const std::string& path);
nlohmann::ordered_json read_trajectories(const std::string& folder);

}  // namespace mechfit
