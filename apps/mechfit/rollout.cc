#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstring>

#include "choice.h"
#include "commands.h"
#include "common_options.h"
#include "input_options.h"
#include "log_options.h"
#include "mechfit/base/error.h"
#include "mechfit/evaluate/rollouts.h"
#include "mechfit/files/files.h"
#include "mechfit/files/outputs.h"
#include "mechfit/mechanics/model_log.h"
#include "numbers.h"
#include "rollout_print.h"
#include "start_options.h"
#include "terminal.h"

namespace mechfit {
namespace {

struct Options {
  std::string model, output, inputs;
  LogOptions log;
  InputOverrule input;
  std::vector<double> from;
  double horizon = 0, step = 0.01;
  StartKind start = StartKind::estimated;
  int window = kStartWindow;
  RolloutOptions rollout;
  int threads = default_threads();
  bool overwrite = false, json = false;
};

void add_options(CLI::App& command, Options& o) {
  command.add_option("model", o.model, "Model file")->required()->type_name("MODEL");
  auto* from =
      command.add_option("--from", o.from, "Start: positions, or positions and then velocities")
          ->delimiter(',')
          ->check(number_between(-1e9, 1e9))
          ->type_name("Q1,...[,V1,...]");
  auto* data = command
                   .add_option("--data", o.log.files,
                               "Start in each run of a log, with its steps and inputs: after the "
                               "samples that an estimated state rests on, or from its first one "
                               "with --start logged")
                   ->excludes(from)
                   ->type_name("FILE");
  add_start_options(command, o.start, o.window);
  command.add_option("--horizon", o.horizon, "Seconds to simulate")
      ->required()
      ->check(seconds())
      ->type_name("T");
  command
      .add_option("--u", o.inputs,
                  "With --from: a file with time and the model's inputs; each acts until the next")
      ->excludes(data)
      ->type_name("FILE");
  command.add_option("--step", o.step, "With --from, without --u: seconds between samples")
      ->check(seconds())
      ->capture_default_str()
      ->type_name("H");
  command
      .add_option("--substeps", o.rollout.substeps,
                  "Inner steps per sample (default: as many as the model and the motion ask for)")
      ->check(CLI::Range(1, 100000))
      ->type_name("N");
  command
      .add_option(
          "--integrator", o.rollout.integrator,
          "variational: keeps the energy; rk4: more accurate over short times; midpoint: the "
          "explicit one" +
              by_default(o.rollout.integrator))
      ->transform(choice<Integrator>())
      ->type_name(choices<Integrator>());
  command.add_option("-o,--output", o.output, "The motion, .csv or .npz")
      ->required()
      ->type_name("FILE");
  add_input_options(command, o.input);
  add_threads(command, o.threads);
  add_overwrite(command, o.overwrite);
  add_json(command, o.json);
  add_reading_options(command, o.log.read, "Reading --data", "--u-columns");
}

// A log's columns of inputs have another flag here than elsewhere.
ReadResult read_data(const ModelRecord& record, const LogOptions& log) try {
  return read_log_for(record, log.files, log.read);
} catch (const InputError& e) {
  std::string text = e.what();
  if (const auto at = text.find("option 'u'"); at != std::string::npos)
    text.replace(at, std::strlen("option 'u'"), "option 'u-columns'");
  throw InputError(text);
}

RolloutStart state_given(const ModelRecord& record, const Options& o) try {
  return start_from(record.model, o.from, o.horizon, o.step);
} catch (const InputError& e) {  // another number of joints than the model's
  throw UsageError(e.what());
}

std::vector<RolloutStart> make_starts(const ModelRecord& record, const Options& o,
                                      ThreadPool& pool) {
  if (o.from.empty() && o.log.files.empty()) throw UsageError("give a start: --from or --data");
  if (!o.from.empty()) {
    RolloutStart start = state_given(record, o);
    if (!o.inputs.empty() && record.model.inputs() == 0)
      throw UsageError("--u: the model has no inputs");
    if (!o.inputs.empty())
      take_inputs(read_inputs_for(record, o.inputs, o.log.read), record.timing, o.horizon, start);
    return {start};
  }
  const ReadResult input = read_data(record, o.log);
  if (!o.json)
    for (const auto& note : input.notes) print_note(note);
  std::vector<Starts> drawn;
  const Starts states = run_states(record.model, input.log, o.start, o.window, pool, &drawn,
                                   record.knowledge ? record.knowledge->grid : 0);
  return starts_of(record.model, input.log, states, o.horizon, drawn);
}

// Starts whose samples or inputs end before the horizon: the rollout ends there too.
void tell_short_ones(const std::vector<RolloutStart>& starts, const Options& o) {
  for (const RolloutStart& start : starts) {
    const double length = start.t.back() - start.t.front();
    const double step = length / static_cast<double>(start.t.size() - 1);
    if (length + step > o.horizon * (1 - 1e-9)) continue;
    const std::string what =
        o.inputs.empty() ? "run '" + start.name + "' ends " : "the inputs end ";
    print_warning(what + short_number(length) + " s after the start, before --horizon " +
                  short_number(o.horizon) + ": so does the rollout");
  }
}

}  // namespace

void add_rollout(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("rollout", "Simulates a model");
  add_options(*command, *options);
  command->footer(
      "The output has q, qd, qdd and the inputs, and standard deviations where the model file "
      "says\n"
      "what is unsure about the model: its parameters and its error on held-out runs; with --data\n"
      "also the estimated start.\n\n"
      "Examples:\n"
      "  mechfit rollout model.safetensors --from 0.5,0 --horizon 10 -o motion.csv\n"
      "  mechfit rollout model.safetensors --data test.csv --horizon 2 -o motion.csv");
  command->callback([options, &exit_code] {
    const Options& o = *options;
    std::vector<std::string> inputs = o.log.files;
    for (const auto& file : {o.model, o.inputs})
      if (!file.empty()) inputs.push_back(file);
    expect_output(o.output, o.overwrite, inputs);
    ModelRecord record = load_model(o.model);
    record.timing = o.input.of(record.timing);
    ThreadPool pool(o.threads);
    const auto starts = make_starts(record, o, pool);
    tell_short_ones(starts, o);
    const RolloutResult result = roll_out(record, starts, o.rollout, pool);
    refuse_overwrite(o.output, o.overwrite);
    write_log(o.output, result.log);
    for (std::size_t r = 0; r < starts.size(); ++r)
      if (result.status[r] != StepStatus::ok) {
        exit_code = 1;
        print_warning("run '" + starts[r].name + "' stopped early: " + describe(result.status[r]));
      }
    if (o.json)
      print_rollout_json(result, o.output);
    else
      print_rollout(result, o.output);
  });
}

}  // namespace mechfit
