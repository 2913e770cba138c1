#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <optional>

#include "choice.h"
#include "commands.h"
#include "common_options.h"
#include "input_options.h"
#include "log_options.h"
#include "mechfit/estimate/kalman/smoother.h"
#include "mechfit/evaluate/ensemble_smoother.h"
#include "mechfit/files/files.h"
#include "mechfit/files/outputs.h"
#include "mechfit/mechanics/model_log.h"
#include "smooth_print.h"
#include "terminal.h"

namespace mechfit {
namespace {

struct Options {
  LogOptions log;
  InputOverrule input;
  SmoothMethod method = SmoothMethod::white_jerk;
  std::string model, output;
  int threads = default_threads();
  bool overwrite = false, json = false;
};

void add_options(CLI::App& command, Options& o) {
  add_log_options(command, o.log);
  command.add_option("-o,--output", o.output, "The smoothed log, .csv or .npz")
      ->required()
      ->type_name("FILE");
  auto* model = command
                    .add_option("--model", o.model,
                                "Smooth with a fitted model of the machine; the noise of the "
                                "sensors and the model's error are estimated")
                    ->type_name("MODEL");
  command
      .add_option(
          "--method", o.method,
          "white-jerk: noise and smoothness fitted to the data; paper: the fixed process noise "
          "and EM of the reference experiments" +
              by_default(o.method))
      ->transform(choice<SmoothMethod>())
      ->excludes(model)
      ->type_name(choices<SmoothMethod>());
  add_input_options(command, o.input);
  add_threads(command, o.threads);
  add_overwrite(command, o.overwrite);
  add_json(command, o.json);
}

void run(const Options& o) {
  std::vector<std::string> inputs = expand_globs(o.log.files);
  if (!o.model.empty()) inputs.push_back(o.model);
  expect_output(o.output, o.overwrite, inputs);
  std::optional<ModelRecord> record;
  if (!o.model.empty()) record = load_model(o.model);
  if (record) record->timing = o.input.of(record->timing);
  const ReadResult input =
      record ? read_log_for(*record, o.log.files, o.log.read) : read_log(o.log.files, o.log.read);
  if (!o.json) {
    for (const auto& note : input.notes) print_note(note);
  }
  ThreadPool pool(o.threads);
  const auto finish = [&](const auto& result) {
    refuse_overwrite(o.output, o.overwrite);
    write_log(o.output, result.log);
    const SmoothedLog smoothed{input.log, result.log, o.output};
    if (o.json) {
      print_smoothing_json(smoothed, result, input.notes);
    } else {
      print_smoothing(smoothed, result);
    }
  };
  if (record) return finish(smooth_with_model(ensemble_of(*record), input.log, pool));
  SmoothOptions smoothing;
  smoothing.method = o.method;
  SmoothResult result;
  {
    Progress progress("smoothing");
    smoothing.progress = [&](double fraction) { progress.update(fraction); };
    result = smooth(input.log, smoothing, pool);
  }
  finish(result);
}

}  // namespace

void add_smooth(CLI::App& app, int&) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("smooth", "Estimates velocities and accelerations from noisy positions");
  add_options(*command, *options);
  command->footer(
      "The output has q, qd, qdd and their standard deviations for every sample.\n\n"
      "Examples:\n"
      "  mechfit smooth log.csv -o smoothed.csv --method white-jerk\n"
      "  mechfit smooth log.csv --model model.safetensors -o smoothed.csv");
  command->callback([options] { run(*options); });
}

}  // namespace mechfit
