#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cstdio>
#include <thread>

#include "choice.h"
#include "commands.h"
#include "mechfit/base/error.h"
#include "mechfit/evaluate/start_states.h"
#include "mechfit/files/files.h"
#include "model_log.h"
#include "rollout_print.h"
#include "rollout_runs.h"
#include "start_options.h"
#include "terminal.h"

namespace mechfit {
namespace {

struct Options {
  std::string model, output, inputs;
  LogOptions log;
  std::vector<double> from;
  double horizon = 0, step = 0.01;
  StartKind start = StartKind::estimated;
  int window = kStartWindow;
  RolloutIntegrator integrator = RolloutIntegrator::variational;
  int substeps = 1, threads = 0;
  bool force = false, json = false;
};

void add_options(CLI::App& command, Options& o) {
  command.add_option("model", o.model, "Model file")->required()->type_name("MODEL");
  auto* from =
      command.add_option("--from", o.from, "Start: positions, or positions and then velocities")
          ->delimiter(',')
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
      ->check(CLI::PositiveNumber)
      ->type_name("T");
  command
      .add_option("--u", o.inputs,
                  "With --from: a file with time and the model's inputs; each acts until the next")
      ->excludes(data)
      ->type_name("FILE");
  command.add_option("--step", o.step, "With --from, without --u: seconds between samples")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->type_name("H");
  command.add_option("--substeps", o.substeps, "Inner steps per sample")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str()
      ->type_name("N");
  command
      .add_option("--integrator", o.integrator,
                  "variational (default): keeps the energy; rk4: more accurate over short times")
      ->transform(choice<RolloutIntegrator>(
          {{"variational", RolloutIntegrator::variational}, {"rk4", RolloutIntegrator::rk4}}))
      ->type_name("NAME");
  command.add_option("-o,--output", o.output, "The motion, .csv or .npz")
      ->required()
      ->type_name("FILE");
  command.add_option("--threads", o.threads, "Threads to use (default: all)")
      ->check(CLI::Range(1, 4096))
      ->type_name("N");
  command.add_flag("--force", o.force, "Overwrite the output");
  command.add_flag("--json", o.json, "Print JSON");
  const std::string group = "Reading --data";
  command.add_option("--time", o.log.read.time, "Column of time")->group(group);
  command.add_option("--q", o.log.read.q, "Columns of the joints")->delimiter(',')->group(group);
  command.add_option("--qd", o.log.read.qd, "Columns of velocities, for --start logged")
      ->delimiter(',')
      ->group(group);
  o.log.u_option = "--u-columns";
  command.add_option(o.log.u_option, o.log.read.u, "Columns of the inputs")
      ->delimiter(',')
      ->group(group);
}

// The file's columns that are called like the model's inputs.
Log read_inputs(const ModelRecord& record, const Options& o) {
  if (record.model.inputs() == 0) throw UsageError("--u: the model has no inputs");
  ReadOptions read;
  read.time = o.log.read.time;
  read.q = o.log.read.u.empty() ? record.channels.inputs : o.log.read.u;
  read.joint_types = {JointType::plain};
  read.gap = 0;
  Log log = read_log({o.inputs}, read).log;
  if (log.n() != record.model.inputs())
    throw InputError(o.inputs + ": " + std::to_string(log.n()) + " inputs, the model has " +
                     std::to_string(record.model.inputs()));
  return log;
}

// Where each run starts, or where enough of it has been seen.
Starts states_of(const Model& model, const Log& log, const Options& o, ThreadPool& pool) {
  const bool estimated = o.start == StartKind::estimated;
  Starts starts = run_starts(log, estimated ? o.window : 0);
  for (const Trajectory& run : log.runs) {
    if (!estimated && run.qd.size() != run.q.size())
      throw InputError("run '" + run.name + "' has no velocities to start from (--qd names them)");
    if (estimated && first_start(run, o.window) < 0)
      throw InputError("run '" + run.name + "' has " + std::to_string(run.size()) +
                       " samples, too few to estimate a state and go on from there");
  }
  if (estimated)
    estimate_states(model, log, o.window, starts, pool);
  else
    take_logged_states(log, starts);
  return starts;
}

std::vector<RolloutStart> make_starts(const ModelRecord& record, const Options& o,
                                      ThreadPool& pool) {
  if (o.from.empty() && o.log.files.empty()) throw UsageError("give a start: --from or --data");
  if (!o.from.empty()) {
    RolloutStart start = start_from(record.model, o.from, o.horizon, o.step);
    if (!o.inputs.empty()) take_inputs(read_inputs(record, o), o.horizon, start);
    return {start};
  }
  ReadResult input = read_log_for(record, o.log);
  if (!o.json)
    for (const auto& note : input.notes) print_note(note);
  return starts_of(record.model, input.log, states_of(record.model, input.log, o, pool), o.horizon);
}

}  // namespace

void add_rollout(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("rollout", "Simulates a model");
  add_options(*command, *options);
  command->footer(
      "The output has q, qd, qdd and the inputs, and standard deviations where the model file "
      "holds\n"
      "an ensemble or the covariance of its parameters.\n\n"
      "Examples:\n"
      "  mechfit rollout model.safetensors --from 0.5,0 --horizon 10 -o motion.csv\n"
      "  mechfit rollout model.safetensors --data test.csv --horizon 2 -o motion.csv");
  command->callback([options, &exit_code] {
    const Options& o = *options;
    refuse_overwrite(o.output, o.force);
    const ModelRecord record = load_model(o.model);
    const int cores = static_cast<int>(std::thread::hardware_concurrency());
    ThreadPool pool(o.threads > 0 ? o.threads : std::max(1, cores));
    const auto starts = make_starts(record, o, pool);
    const RolloutResult result = roll_out(record, starts, o.integrator, o.substeps, pool);
    refuse_overwrite(o.output, o.force);
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
