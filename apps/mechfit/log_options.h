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

// Adds `FILE...`, --columns, --topic, --time, --time-unit, --reclock, --q, --u, --qd, --qdd,
// --trajectory,
// --joints, --degrees, --drop-bad-rows and --gap. `options` must outlive the parsing.
void add_log_options(CLI::App& app, LogOptions& options);

}  // namespace mechfit
