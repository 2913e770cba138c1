#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <optional>
#include <thread>

#include "choice.h"
#include "commands.h"
#include "log_options.h"
#include "mechfit/estimate/kalman/smoother.h"
#include "mechfit/estimate/motion/model_smoother.h"
#include "mechfit/files/files.h"
#include "model_log.h"
#include "smooth_print.h"
#include "terminal.h"

namespace mechfit {

void add_smooth(CLI::App& app, int&) {
  struct Options {
    LogOptions log;
    SmoothMethod method = SmoothMethod::white_jerk;
    std::string model, output;
    int threads = 0;
    bool force = false, json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("smooth", "Estimates velocities and accelerations from noisy positions");
  add_log_options(*command, options->log);
  command->add_option("-o,--output", options->output, "The smoothed log, .csv or .npz")
      ->required()
      ->type_name("FILE");
  auto* model = command
                    ->add_option("--model", options->model,
                                 "Smooth with a fitted model of the machine; the noise of the "
                                 "sensors and the model's error are estimated")
                    ->type_name("MODEL");
  command
      ->add_option("--method", options->method,
                   "white-jerk: noise and smoothness fitted to the data (default); paper: the "
                   "fixed process noise and EM of the reference experiments")
      ->transform(choice<SmoothMethod>(
          {{"white-jerk", SmoothMethod::white_jerk}, {"paper", SmoothMethod::paper}}))
      ->excludes(model)
      ->type_name("METHOD");
  command->add_option("--threads", options->threads, "Threads to use (default: all)")
      ->check(CLI::Range(1, 4096))
      ->type_name("N");
  command->add_flag("--force", options->force, "Overwrite the output");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "The output has q, qd, qdd and their standard deviations for every sample.\n\n"
      "Examples:\n"
      "  mechfit smooth log.csv -o smoothed.csv --method white-jerk\n"
      "  mechfit smooth log.csv --model model.safetensors -o smoothed.csv");
  command->callback([options] {
    refuse_overwrite(options->output, options->force);
    std::optional<ModelRecord> record;
    if (!options->model.empty()) record = load_model(options->model);
    const ReadResult input = record ? read_log_for(*record, options->log)
                                    : read_log(options->log.files, options->log.read);
    if (!options->json) {
      for (const auto& note : input.notes) print_note(note);
    }
    const int cores = static_cast<int>(std::thread::hardware_concurrency());
    ThreadPool pool(options->threads > 0 ? options->threads : std::max(1, cores));
    const auto finish = [&](const auto& result) {
      refuse_overwrite(options->output, options->force);
      write_log(options->output, result.log);
      const SmoothedLog smoothed{input.log, result.log, options->output};
      if (options->json) {
        print_smoothing_json(smoothed, result, input.notes);
      } else {
        print_smoothing(smoothed, result);
      }
    };
    if (record) return finish(smooth_with_model(record->model, input.log, pool));
    SmoothOptions smoothing;
    smoothing.method = options->method;
    SmoothResult result;
    {
      Progress progress("smoothing");
      smoothing.progress = [&](double fraction) { progress.update(fraction); };
      result = smooth(input.log, smoothing, pool);
    }
    finish(result);
  });
}

}  // namespace mechfit
