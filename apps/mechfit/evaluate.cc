#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cstdio>

#include "choice.h"
#include "commands.h"
#include "common_options.h"
#include "input_options.h"
#include "log_options.h"
#include "mechfit/evaluate/model_point.h"
#include "mechfit/evaluate/scores.h"
#include "mechfit/mechanics/model_log.h"
#include "numbers.h"
#include "scores_print.h"
#include "start_options.h"
#include "terminal.h"

namespace mechfit {
namespace {

struct Options {
  std::string model;
  LogOptions log;
  InputOverrule input;
  EvaluateOptions evaluate;
  int threads = default_threads();
  bool json = false;
};

void add_options(CLI::App& command, Options& o) {
  command.add_option("model", o.model, "Model file")->required()->type_name("MODEL");
  add_log_options(command, o.log);
  RolloutErrorOptions& rollout = o.evaluate.rollout;
  command
      .add_option("--horizons", rollout.horizons,
                  "Seconds after which rollouts are compared (default: chosen from the motion)")
      ->delimiter(',')
      ->check(seconds())
      ->type_name("T,...");
  command
      .add_option("--start-every", rollout.start_every,
                  "Seconds between starts of rollouts (default: evenly over the log)")
      ->check(seconds())
      ->type_name("T");
  command.add_option("--most-starts", rollout.most_starts, "Number of rollouts at most")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str()
      ->type_name("N");
  command
      .add_option(
          "--substeps", rollout.substeps,
          "Inner steps of rollouts per step of the log (default: as many as the model and the "
          "motion ask for)")
      ->check(CLI::Range(1, 10000))
      ->type_name("N");
  add_start_options(command, o.evaluate.start, o.evaluate.window);
  command
      .add_option("--smoother", o.evaluate.smoother,
                  "Method that estimates velocities and accelerations where the log has none" +
                      by_default(o.evaluate.smoother))
      ->transform(choice<SmoothMethod>())
      ->type_name(choices<SmoothMethod>());
  command.add_flag("--keep-all", o.evaluate.keep_all,
                   "Keep outliers, stale ends of runs, held values and observations that the model "
                   "contradicts, which do not judge it otherwise");
  add_input_options(command, o.input);
  add_threads(command, o.threads);
  add_json(command, o.json);
}

void run(const Options& o) {
  ModelRecord record = load_model(o.model);
  record.timing = o.input.of(record.timing);
  const ReadResult input = read_log_for(record, o.log.files, o.log.read);
  ThreadPool pool(o.threads);
  const Scores scores = evaluate(ensemble_of(record), input.log, o.evaluate, pool);
  if (o.json) {
    std::puts(scores_json(scores).c_str());
    return;
  }
  for (const auto& note : input.notes) print_note(note);
  for (const auto& note : scores.notes) print_note(note);
  std::printf("%s: %s\n", printable(o.model).c_str(), printable(describe_model(record)).c_str());
  print_scores(record.channels, scores);
}

}  // namespace

void add_evaluate(CLI::App& app, int&) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("evaluate", "Scores a model on a log it has not seen");
  add_options(*command, *options);
  command->footer(
      "Accelerations are compared with the log's qdd1.. where it has them, else with smoothed "
      "ones;\n"
      "rollouts start from states that the model estimates from the samples before, or with\n"
      "--start logged from the log's q1.. and qd1..\n\n"
      "Example:\n"
      "  mechfit evaluate model.safetensors test.csv --horizons 0.1,0.5,1");
  command->callback([options] {
    auto& horizons = options->evaluate.rollout.horizons;
    std::sort(horizons.begin(), horizons.end());
    run(*options);
  });
}

}  // namespace mechfit
