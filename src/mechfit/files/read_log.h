#pragma once

#include <string>
#include <vector>

#include "mechfit/log/log.h"
#include "mechfit/log/read_options.h"

namespace mechfit {

struct ReadResult {
  Log log;
  std::vector<std::string> notes;  // guesses made, things changed: for the user
};

// Reads one or several logs of the same machine (names or patterns; .npz, anything else is CSV) and
// prepares them for use: see prepare.h. Every run has at least three samples.
ReadResult read_log(const std::vector<std::string>& files, const ReadOptions& options = {});

// Writes a log as .csv or .npz, whole or not at all.
void write_log(const std::string& path, const Log& log);

}  // namespace mechfit
