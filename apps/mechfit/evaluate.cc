#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cstdio>
#include <thread>

#include "choice.h"
#include "commands.h"
#include "mechfit/evaluate/scores.h"
#include "model_log.h"
#include "scores_print.h"
#include "start_options.h"
#include "terminal.h"

namespace mechfit {

void add_evaluate(CLI::App& app, int&) {
  struct Options {
    std::string model;
    LogOptions log;
    EvaluateOptions evaluate;
    int threads = 0;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("evaluate", "Scores a model on a log it has not seen");
  command->add_option("model", options->model, "Model file")->required()->type_name("MODEL");
  add_log_options(*command, options->log);
  auto& rollout = options->evaluate.rollout;
  command
      ->add_option("--horizons", rollout.horizons,
                   "Seconds after which rollouts are compared (default: chosen from the motion)")
      ->delimiter(',')
      ->check(CLI::PositiveNumber)
      ->type_name("T,...");
  command
      ->add_option("--start-every", rollout.start_every,
                   "Seconds between starts of rollouts (default: evenly over the log)")
      ->check(CLI::PositiveNumber)
      ->type_name("T");
  command->add_option("--most-starts", rollout.most_starts, "Rollouts at most")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str()
      ->type_name("N");
  command->add_option("--substeps", rollout.substeps, "Inner steps of rollouts per step of the log")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str()
      ->type_name("N");
  add_start_options(*command, options->evaluate.start, options->evaluate.window);
  command
      ->add_option("--smoother", options->evaluate.smoother,
                   "How velocities and accelerations are estimated where the log has none: "
                   "white-jerk (default) or paper")
      ->transform(choice<SmoothMethod>(
          {{"white-jerk", SmoothMethod::white_jerk}, {"paper", SmoothMethod::paper}}))
      ->type_name("METHOD");
  command->add_option("--threads", options->threads, "Threads to use (default: all)")
      ->check(CLI::Range(1, 4096))
      ->type_name("N");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Accelerations are compared with the log's qdd1.. where it has them, else with smoothed "
      "ones;\n"
      "rollouts start from states that the model estimates from the samples before, or with\n"
      "--start logged from the log's q1.. and qd1..\n\n"
      "Example:\n"
      "  mechfit evaluate model.safetensors test.csv --horizons 0.1,0.5,1");
  command->callback([options] {
    std::sort(options->evaluate.rollout.horizons.begin(), options->evaluate.rollout.horizons.end());
    const ModelRecord record = load_model(options->model);
    const ReadResult input = read_log_for(record, options->log);
    const int cores = static_cast<int>(std::thread::hardware_concurrency());
    ThreadPool pool(options->threads > 0 ? options->threads : std::max(1, cores));
    const Scores scores = evaluate(ensemble_of(record), input.log, options->evaluate, pool);
    if (options->json) {
      std::puts(scores_json(scores).c_str());
      return;
    }
    for (const auto& note : input.notes) print_note(note);
    std::printf("%s: %s\n", options->model.c_str(), describe_model(record).c_str());
    print_scores(record.channels, scores);
  });
}

}  // namespace mechfit
