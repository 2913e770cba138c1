#include "mechfit/report/report.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdio>
#include <memory>

#include "commands.h"
#include "common_options.h"
#include "mechfit/files/files.h"
#include "mechfit/files/json_fields.h"
#include "mechfit/files/outputs.h"

namespace mechfit {

void add_report(CLI::App& app, int&) {
  struct Options {
    std::string source, output = "report.html";
    bool overwrite = false, json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("report", "Writes results as one HTML page that needs no network");
  command->add_option("RUN_OR_STUDY", options->source, "Folder of the results")
      ->required()
      ->type_name("DIR");
  command->add_option("-o,--output", options->output, "The page (default report.html)")
      ->type_name("FILE");
  add_overwrite(*command, options->overwrite);
  add_json(*command, options->json);
  command->footer(
      "Example:\n"
      "  mechfit report study-paper -o report.html");
  command->callback([options] {
    expect_output(options->output, options->overwrite);
    write_file_atomically(options->output, report_page(options->source));
    if (options->json)
      std::printf("{\"report\": %s}\n", to_text(options->output).c_str());
    else
      std::printf("Wrote %s.\n", options->output.c_str());
  });
}

}  // namespace mechfit
