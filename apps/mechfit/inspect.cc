#include "inspect.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "commands.h"
#include "inspect_model.h"
#include "log_options.h"
#include "mechfit/base/thread_pool.h"
#include "mechfit/estimate/kalman/cleaning.h"
#include "mechfit/files/content.h"
#include "mechfit/files/files.h"
#include "terminal.h"

namespace mechfit {
namespace {

// Where the files do not say what is wanted, what they hold helps more than a message alone.
ReadResult read_or_list(const LogOptions& log, bool json) {
  try {
    return read_log(log.files, log.read);
  } catch (const UnclearLog&) {
    if (!json) print_contents(log_contents(log.files));
    throw;
  }
}

}  // namespace

void add_inspect(CLI::App& app, int&) {
  struct Options {
    LogOptions log;
    std::string at;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "inspect", "Says what is in a log and what would spoil a fit, or what a model is");
  add_log_options(*command, options->log);
  command
      ->add_option("--at", options->at,
                   "Of a model: the point to show M, V and F at (default: zeros)")
      ->type_name("Q1,...[;V1,...]");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Examples:\n"
      "  mechfit inspect 'logs/*.csv' --time t_s --q th1_rad,th2_rad\n"
      "  mechfit inspect model.safetensors --at '0.5,0;1,0'");
  command->callback([options] {
    const auto& files = options->log.files;
    if (files.size() == 1 && is_safetensors_file(files[0])) {
      inspect_model(files[0], options->at, options->json);
      return;
    }
    if (!options->at.empty()) throw UsageError("--at is for a model");
    const ReadResult result = read_or_list(options->log, options->json);
    ThreadPool pool(default_threads());
    const Inspection inspection = inspect_log(result.log, pool);
    if (options->json) {
      print_inspection_json(result.log, inspection, result.notes);
    } else {
      for (const auto& note : result.notes) print_note(note);
      print_inspection(result.log, inspection);
    }
  });
}

}  // namespace mechfit
