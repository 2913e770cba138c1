#include "common_options.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace mechfit {

void add_threads(CLI::App& command, int& threads) {
  command.add_option("--threads", threads, "Threads to use (default: all)")
      ->check(CLI::Range(1, 4096))
      ->type_name("N");
}

void add_overwrite(CLI::App& command, bool& overwrite, const std::string& what) {
  command.add_flag("--overwrite", overwrite, "Overwrite " + what);
}

void add_json(CLI::App& command, bool& json) { command.add_flag("--json", json, "Print JSON"); }

}  // namespace mechfit
