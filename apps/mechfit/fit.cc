#include "mechfit/fit/fit.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "choice.h"
#include "commands.h"
#include "common_options.h"
#include "config.h"
#include "fit_run.h"
#include "input_options.h"
#include "log_options.h"
#include "numbers.h"

namespace mechfit {
namespace {

void add_file_options(CLI::App& command, FitCommand& o) {
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
  command.add_option("--config", o.config_file, "File of flags to read (TOML), as in epochs = 200")
      ->type_name("FILE");
  add_threads(command, o.threads);
  command.add_flag("--resume", o.resume, "Go on from the checkpoint in the run folder");
  add_overwrite(command, o.overwrite, "the model and the run folder's files");
  add_json(command, o.json);
}

void add_model_options(CLI::App& command, FitCommand& o) {
  FitOptions& fit = o.fit;
  const std::string group = "The model";
  command
      .add_option(
          "--family", fit.family,
          "smm (networks), trig (trigonometric polynomials), arm (rigid bodies), a built-in "
          "system, or auto: whichever of the first three explains the held-out runs better")
      ->type_name("auto|smm|trig|arm|SYSTEM")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--force", fit.force,
                  "Forces besides potential and inputs" + by_default(fit.force))
      ->transform(choice<ForceKind>())
      ->type_name(choices<ForceKind>())
      ->group(group);
  command
      .add_option("--friction", fit.friction,
                  "Terms of friction, joined by '+': viscous, coulomb, offset (a constant load), "
                  "asymmetric (by direction), stribeck (sticking), position (harmonics of the "
                  "joint); auto: viscous+coulomb")
      ->type_name("auto|none|TERMS")
      ->capture_default_str()
      ->group(group);
  command.add_option("--fix", o.fix, "Known constants of a built-in system, as in g=9.81,m1=1")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE")
      ->group(group);
  command
      .add_option("--degree", fit.degree,
                  "Degree of the harmonics of trig (default: 1 or 2, chosen on the held-out runs)")
      ->check(CLI::Range(1, 8))
      ->type_name("N")
      ->group(group);
  command
      .add_option("--hidden", fit.hidden,
                  "Widths of the hidden layers of networks (default: 16,16, or 32,32,32 on "
                  "smoothed data)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(1, 65536))
      ->type_name("WIDTHS")
      ->group(group);
  command
      .add_option("--ensemble", fit.ensemble,
                  "Number of networks to fit: their mean predicts, their spread says how surely")
      ->check(CLI::Range(1, 1000))
      ->type_name("K")
      ->capture_default_str()
      ->group(group);
}

void add_machine_options(CLI::App& command, FitCommand& o) {
  FitOptions& fit = o.fit;
  const std::string group = "The machine";
  command
      .add_option("--robot", o.robot,
                  "Description of the machine, for family arm: URDF, a MuJoCo model (MJCF), or a "
                  "table of modified Denavit-Hartenberg parameters in TOML (docs/arms.md)")
      ->type_name("FILE")
      ->group(group);
  command
      .add_option("--robot-joints", o.robot_joints,
                  "Joints of the description that the log has, in its order (default: those of the "
                  "same names, else all of them)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAMES")
      ->group(group);
  command
      .add_option(
          "--contacts", fit.contacts,
          "What the machine may hit, where its velocities jump at one place: stops of joints, or "
          "floor: floors and walls for the points of a machine that moves in a plane; auto looks "
          "for both and keeps them only where held-out runs become more likely" +
              by_default(fit.contacts))
      ->transform(choice<ContactOption>())
      ->type_name(choices<ContactOption>())
      ->group(group);
  command.add_option("--input-joints", fit.input_joints, "Joint that each input pushes")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAMES")
      ->group(group);
  command
      .add_flag("--learn-inputs", fit.learn_inputs, "Learn how inputs act on the joints (matrix B)")
      ->group(group);
  command
      .add_flag("--learn-gains", fit.learn_gains,
                "Learn what each input is worth in units of the first (motor currents)")
      ->group(group);
}

void add_method_options(CLI::App& command, FitOptions& fit) {
  const std::string group = "The fit";
  command
      .add_option(
          "--method", fit.method,
          "joint: motion and model together; the others fit smoothed data" + by_default(fit.method))
      ->transform(choice<FitMethod>())
      ->type_name(choices<FitMethod>())
      ->group(group);
  command
      .add_option("--step", fit.step,
                  "Seconds between the nodes of the motions that joint estimation finds (default: "
                  "chosen; a log finer than its motion is thinned, one too coarse for the midpoint "
                  "rule gets unobserved nodes between its samples)")
      ->check(seconds())
      ->type_name("T")
      ->group(group);
  command
      .add_option("--epochs", fit.epochs,
                  "Passes over the data at most (default: 500 on smoothed data; by joint "
                  "estimation 80, and for networks 1200, or 1150 where they begin with smoothed "
                  "motions, then up to 40 more where precise data gain by it)")
      ->check(CLI::Range(1, 100000000))
      ->type_name("N")
      ->group(group);
  command
      .add_option("--learning-rate", fit.learning_rate, "Initial step size of Adam (default: 0.01)")
      ->check(learning_rate())
      ->type_name("RATE")
      ->group(group);
  command
      .add_flag("--quick", fit.quick,
                "No cross-validation: one part of the log is held out, not each of four in turn. "
                "Faster, but the choice of the family hangs on fewer runs")
      ->group(group);
  command
      .add_flag("--keep-all", fit.keep_all,
                "Keep outliers, stale ends of runs, held values and observations that the model "
                "contradicts, which are taken out otherwise")
      ->group(group);
  command
      .add_option("--seed", fit.seed,
                  "Seed of the networks' start, of shuffling and of the choice of held-out runs")
      ->check(seed())
      ->type_name("N")
      ->capture_default_str()
      ->group(group);
}

// Of the methods that do not estimate the motion themselves.
void add_smoothed_options(CLI::App& command, FitCommand& o) {
  FitOptions& fit = o.fit;
  const std::string group = "Methods on smoothed data";
  command.add_option("--batch", fit.batch, "Samples per step")
      ->check(CLI::Range(1, 100000000))
      ->type_name("N")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--smoother", fit.smoother,
                  "Method that finds velocities and accelerations" + by_default(fit.smoother))
      ->transform(choice<SmoothMethod>())
      ->type_name(choices<SmoothMethod>())
      ->group(group);
  command
      .add_flag("--smoothed", fit.smoothed, "The log has q, qd and qdd to train on: do not smooth")
      ->group(group);
  command
      .add_option("--selection", fit.selection,
                  "Error on validation runs that chooses the epoch" + by_default(fit.selection))
      ->transform(choice<Selection>())
      ->type_name(choices<Selection>())
      ->group(group);
  command
      .add_option("--patience", fit.patience,
                  "Stop after that many epochs without improvement; 0: never")
      ->check(CLI::Range(0, 100000000))
      ->type_name("N")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--barrier-weight", o.barrier_weight,
                  "Weight mu of the DEL objective's barrier (default: both terms of equal size)")
      ->check(positive())
      ->type_name("MU")
      ->group(group);
  command
      .add_option("--integrator", fit.integrator,
                  "Integrator of next-state regression" + by_default(fit.integrator))
      ->transform(choice<Integrator>())
      ->type_name(name_of(Integrator::midpoint) + "|" + name_of(Integrator::rk4))
      ->group(group);
  command
      .add_option("--precision", fit.precision,
                  "Numbers in which networks compute while they are trained; steps in float32 take "
                  "little more than half the time" +
                      by_default(fit.precision))
      ->transform(choice<Precision>())
      ->type_name(choices<Precision>())
      ->group(group);
}

}  // namespace

void add_fit(CLI::App& app, int& exit_code, const std::vector<std::string>& words) {
  auto options = std::make_shared<FitCommand>();
  CLI::App* command = app.add_subcommand("fit", "Learns a model from a log of motion");
  add_log_options(*command, options->log);
  add_file_options(*command, *options);
  add_model_options(*command, *options);
  add_machine_options(*command, *options);
  add_method_options(*command, options->fit);
  add_input_options(*command, options->fit.input_hold, options->fit.input_delay,
                    options->fit.input_lag);
  add_smoothed_options(*command, *options);
  command->footer(
      "Ends with a table of errors on runs the fit has not seen. Ctrl-C saves; --resume goes "
      "on. Joint estimation spreads over machines: mpirun -n 8 mechfit fit ... (with a build with\n"
      "-DMECHFIT_WITH_MPI=ON), one thread in each process unless --threads says otherwise.\n\n"
      "Example:\n"
      "  mechfit fit log.csv --time t_s --q th1_rad,th2_rad --joints periodic -o "
      "model.safetensors");
  command->callback([options, command, &exit_code, &words] {
    options->config = config_text(*command, words, {"resume", "overwrite", "json", "threads"});
    options->says_threads = command->count("--threads") > 0;
    exit_code = run_fit(*options);
  });
}

}  // namespace mechfit
