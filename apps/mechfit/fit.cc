#include "mechfit/fit/fit.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <thread>

#include "choice.h"
#include "commands.h"
#include "config.h"
#include "fit_run.h"
#include "log_options.h"

namespace mechfit {
namespace {

void add_fit_options(CLI::App& command, FitCommand& o) {
  FitOptions& fit = o.fit;
  command.add_option("-o,--output", o.output, "The model file")
      ->type_name("FILE")
      ->capture_default_str();
  command.add_option("--run", o.run, "Folder for settings, learning curve and checkpoint")
      ->type_name("DIR")
      ->capture_default_str();
  command
      .add_option("--validation", o.validation, "Runs to validate on, instead of a part of the log")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("FILES");
  command
      .add_option("--family", fit.family,
                  "smm (networks), trig (trigonometric polynomials), a built-in system, or auto: "
                  "trig or smm, whichever explains the held-out runs better")
      ->type_name("auto|smm|trig|SYSTEM")
      ->capture_default_str();
  command
      .add_option("--method", fit.method,
                  "joint (default): motion and model together; the others fit smoothed data")
      ->transform(choice<FitMethod>({{"joint", FitMethod::joint},
                                     {"del", FitMethod::del},
                                     {"acceleration", FitMethod::acceleration},
                                     {"next-state", FitMethod::next_state},
                                     {"gauge-free", FitMethod::gauge_free}}))
      ->type_name("joint|del|acceleration|next-state|gauge-free");
  command
      .add_option("--force", fit.force, "Forces besides potential and inputs (default: friction)")
      ->transform(choice<ForceKind>({{"none", ForceKind::none},
                                     {"network", ForceKind::network},
                                     {"friction", ForceKind::friction},
                                     {"friction+network", ForceKind::friction_network}}))
      ->type_name("none|network|friction|friction+network");
  command.add_option("--fix", o.fix, "Known constants of a built-in system, as in g=9.81,m1=1")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  command.add_option("--input-joints", fit.input_joints, "The joint that each input pushes")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAMES");
  command.add_flag("--learn-inputs", fit.learn_inputs,
                   "Learn how inputs act on the joints (matrix B)");
  command
      .add_option("--degree", fit.degree,
                  "Of the harmonics of trig (default: 1 or 2, chosen on the held-out runs)")
      ->check(CLI::Range(1, 8))
      ->type_name("N");
  command
      .add_option("--ensemble", fit.ensemble,
                  "Networks to fit: their mean predicts, their spread says how surely")
      ->check(CLI::Range(1, 1000))
      ->type_name("K")
      ->capture_default_str();
  command
      .add_option("--step", fit.step,
                  "Seconds between the samples that joint estimation uses (default: chosen, a log "
                  "finer than its motion is thinned)")
      ->check(CLI::PositiveNumber)
      ->type_name("T");
  command
      .add_option("--hidden", fit.hidden,
                  "Widths of the hidden layers (default: 16,16, or 32,32,32 on smoothed data)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(1, 65536))
      ->type_name("WIDTHS");
  command
      .add_option("--learning-rate", fit.learning_rate, "Initial step size of Adam (default: 0.01)")
      ->check(CLI::PositiveNumber)
      ->type_name("RATE");
  command
      .add_option(
          "--epochs", fit.epochs,
          "Passes over the data at most (default: 1000 of networks by joint estimation, up to "
          "7000 while precise data gain by more; 500 on smoothed data)")
      ->check(CLI::Range(1, 100000000))
      ->type_name("N");
  command.add_option("--batch", fit.batch, "Samples per step, on smoothed data")
      ->check(CLI::Range(1, 100000000))
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--seed", fit.seed, "Start of the networks, shuffling, runs held out")
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option(
          "--smoother", fit.smoother,
          "How velocities and accelerations are found for smoothed data (default: white-jerk)")
      ->transform(choice<SmoothMethod>(
          {{"white-jerk", SmoothMethod::white_jerk}, {"paper", SmoothMethod::paper}}))
      ->type_name("white-jerk|paper");
  command.add_flag("--smoothed", fit.smoothed,
                   "The log has q, qd and qdd to train on: do not smooth");
  command
      .add_option("--selection", fit.selection,
                  "What chooses the epoch on smoothed validation runs (default: acceleration)")
      ->transform(choice<Selection>(
          {{"acceleration", Selection::acceleration}, {"objective", Selection::objective}}))
      ->type_name("acceleration|objective");
  command
      .add_option("--patience", fit.patience,
                  "Stop after that many epochs without improvement, on smoothed data; 0: never")
      ->check(CLI::Range(0, 100000000))
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--barrier-weight", o.barrier_weight,
                  "mu of the DEL objective (default: both terms of equal size)")
      ->check(CLI::PositiveNumber)
      ->type_name("MU");
  command
      .add_option("--integrator", fit.integrator, "Of next-state regression (default: midpoint)")
      ->transform(
          choice<RungeKutta>({{"midpoint", RungeKutta::midpoint}, {"rk4", RungeKutta::rk4}}))
      ->type_name("midpoint|rk4");
  command
      .add_option("--precision", fit.precision,
                  "In what numbers networks on smoothed data compute while they are trained: "
                  "float64 (default), or float32, whose steps take little more than half the time")
      ->transform(
          choice<Precision>({{"float64", Precision::float64}, {"float32", Precision::float32}}))
      ->type_name("float64|float32");
  command.add_option("--threads", o.threads, "Threads to use (default: all)")
      ->check(CLI::Range(1, 4096))
      ->type_name("N");
  command.add_flag("--resume", o.resume, "Go on from the checkpoint in the run folder");
  command.add_flag("--overwrite", o.overwrite, "Overwrite the model and the run folder's files");
  command.add_flag("--json", o.json, "Print JSON");
}

}  // namespace

void add_fit(CLI::App& app, int& exit_code, const std::vector<std::string>& words) {
  auto options = std::make_shared<FitCommand>();
  CLI::App* command = app.add_subcommand("fit", "Learns a model from a log of motion");
  add_log_options(*command, options->log);
  add_fit_options(*command, *options);
  command
      ->add_option("--config", options->config_file,
                   "Read flags from a TOML file, as in epochs = 200")
      ->type_name("FILE");
  command->footer(
      "Ends with a table of errors on runs the fit has not seen. Ctrl-C saves; --resume goes "
      "on.\n\n"
      "Example:\n"
      "  mechfit fit log.csv --time t_s --q th1_rad,th2_rad --joints periodic -o "
      "model.safetensors");
  command->callback([options, command, &exit_code, &words] {
    options->config = config_text(*command, words, {"resume", "overwrite", "json", "threads"});
    exit_code = run_fit(*options);
  });
}

}  // namespace mechfit
