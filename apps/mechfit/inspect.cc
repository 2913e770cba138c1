#include "inspect.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "commands.h"
#include "log_options.h"
#include "terminal.h"

namespace mechfit {

void add_inspect(CLI::App& app, int&) {
  struct Options {
    LogOptions log;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("inspect", "Says what is in a log and what would spoil a fit");
  add_log_options(*command, options->log);
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Example:\n"
      "  mechfit inspect 'logs/*.csv' --time t_s --q th1_rad,th2_rad");
  command->callback([options] {
    const ReadResult result = read_log(options->log.files, options->log.read);
    const Inspection inspection = inspect_log(result.log);
    if (options->json) {
      print_inspection_json(result.log, inspection, result.notes);
    } else {
      for (const auto& note : result.notes) print_note(note);
      print_inspection(result.log, inspection);
    }
  });
}

}  // namespace mechfit
