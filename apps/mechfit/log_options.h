#pragma once

#include <string>
#include <vector>

#include "mechfit/files/read_log.h"

namespace CLI {
class App;
}

namespace mechfit {

// The files of a log and how to read them: the same flags in every subcommand.
struct LogOptions {
  std::vector<std::string> files;
  ReadOptions read;
};

// Adds `FILE...` and the flags that say how to read them. `options` must outlive the parsing.
void add_log_options(CLI::App& app, LogOptions& options);

// The flags alone: --columns, --topic, --time, --time-unit, --reclock, --q, --u (called `inputs`),
// --qd, --qdd, --trajectory, --joints, --degrees, --drop-bad-rows and --gap.
void add_reading_options(CLI::App& app, ReadOptions& read, const char* group, const char* inputs);

}  // namespace mechfit
