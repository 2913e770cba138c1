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

// Reads one or several logs of the same machine (names, patterns or folders of recordings; the
// format is that of the extension, else what the content looks like, else CSV) and prepares them
// for use: see prepare.h. Every run has at least kShortestRun samples.
ReadResult read_log(const std::vector<std::string>& files, const ReadOptions& options = {});

// What these files hold, whatever they are: topics, arrays or columns, one in a line.
std::string log_contents(const std::vector<std::string>& files);

// The formats that logs are written in by their extensions: ".csv or .npz".
std::string log_extensions();

// Writes a log in the format of its extension, whole or not at all.
void write_log(const std::string& path, const Log& log);

}  // namespace mechfit
