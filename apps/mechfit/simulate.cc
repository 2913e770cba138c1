#include "mechfit/integrate/simulate.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cmath>
#include <optional>

#include "choice.h"
#include "commands.h"
#include "common_options.h"
#include "contact_options.h"
#include "mechfit/base/error.h"
#include "mechfit/base/memory.h"
#include "mechfit/files/files.h"
#include "mechfit/files/number.h"
#include "mechfit/files/outputs.h"
#include "mechfit/files/read_log.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "numbers.h"
#include "simulate_print.h"

namespace mechfit {

enum class Preset { points, points_damped, rods, rods_damped };
template <>
inline constexpr auto kNames<Preset> = names<Preset>({{Preset::points, "paper-points"},
                                                      {Preset::points_damped,
                                                       "paper-points-damped"},
                                                      {Preset::rods, "paper-rods"},
                                                      {Preset::rods_damped, "paper-rods-damped"}});

namespace {

// What the user said; what is empty comes from the preset or from SimulateOptions.
struct Flags {
  std::string system, output, truth, midpoints;
  std::optional<Preset> preset;
  std::vector<std::string> constants;  // NAME=VALUE
  std::optional<int> links, runs, steps, substeps;
  std::optional<double> step, amplitude;
  std::vector<std::string> q0, v0, noise;
  std::optional<Integrator> integrator;
  std::optional<InputSignal> input;
  std::string frequency;
  ContactFlags contacts;
  std::uint64_t seed = 0;
  int threads = default_threads();
  bool list = false, overwrite = false, json = false;
};

// Beyond this an angle or a noise makes no sense, and sums of squares overflow some way above.
constexpr double kLargest = 1e9;

double to_number(const std::string& text, const std::string& flag) {
  double value = 0;
  if (parse_number(text, value) != NumberStatus::ok)
    throw UsageError(flag + ": " + in_quotes(text) + " is not a number");
  if (std::fabs(value) > kLargest)
    throw UsageError(flag + ": " + in_quotes(text) + " is absurd, expected at most 1e9");
  return value;
}

// `0.5`, or `-1:1`
Interval to_interval(const std::string& text, const std::string& flag) {
  const auto colon = text.find(':');
  if (colon == std::string::npos) {
    const double value = to_number(text, flag);
    return {value, value};
  }
  const Interval interval{to_number(text.substr(0, colon), flag),
                          to_number(text.substr(colon + 1), flag)};
  if (interval.low > interval.high)
    throw UsageError(flag + ": " + in_quotes(text) + " is empty, expected LOW:HIGH");
  return interval;
}

// One value for all joints, or one for each.
template <class Value, class Convert>
void fill_joints(const std::vector<std::string>& texts, int n, const std::string& flag,
                 std::vector<Value>& values, Convert convert) {
  if (texts.empty()) return;
  if (texts.size() != 1 && texts.size() != static_cast<std::size_t>(n))
    throw UsageError(flag + ": " + std::to_string(texts.size()) + " values, expected 1 or " +
                     std::to_string(n));
  values.clear();
  for (int i = 0; i < n; ++i) values.push_back(convert(texts[texts.size() == 1 ? 0 : i], flag));
}

void set_constants(const std::vector<std::string>& constants, AnalyticSystem& system) {
  for (const auto& text : constants) {
    const auto equal = text.find('=');
    if (equal == std::string::npos)
      throw UsageError("--set: " + in_quotes(text) + ", expected NAME=VALUE");
    system.set_constant(text.substr(0, equal), to_number(text.substr(equal + 1), "--set"));
  }
}

AnalyticSystem choose_system(const Flags& flags, SimulateOptions& options) {
  if (!flags.preset) {
    if (flags.system.empty())
      throw UsageError("which system? name one of mechfit simulate --list, or a --preset");
    AnalyticSystem system = make_system(flags.system, flags.links.value_or(kDefaultJoints));
    set_constants(flags.constants, system);
    options.q0 = default_start(system);
    options.v0.assign(system.joints(), {0, 0});
    return system;
  }
  if (!flags.system.empty()) throw UsageError("a preset names its system itself");
  if (flags.links) throw UsageError("--links is not for presets");
  if (!flags.contacts.stops.empty() || flags.contacts.settings.floor)
    throw UsageError("--stops and --floor: the presets have no contacts");
  if (!flags.v0.empty()) throw UsageError("--v0: the presets start at rest");
  if (flags.integrator.value_or(Integrator::variational) != Integrator::variational)
    throw UsageError("--integrator: the presets are made with the variational one");
  PaperProtocol paper =
      paper_protocol(*flags.preset >= Preset::rods, *flags.preset == Preset::points_damped ||
                                                        *flags.preset == Preset::rods_damped);
  set_constants(flags.constants, paper.system);
  options = paper.options;
  return paper.system;
}

// The system and how to simulate it.
AnalyticSystem settle(const Flags& flags, SimulateOptions& options) try {
  AnalyticSystem system = choose_system(flags, options);
  const int n = system.joints();
  if (flags.runs) options.runs = *flags.runs;
  if (flags.steps) options.steps = *flags.steps;
  if (flags.substeps) options.substeps = *flags.substeps;
  if (flags.step) options.h = *flags.step;
  if (flags.integrator) options.integrator = *flags.integrator;
  fill_joints(flags.q0, n, "--q0", options.q0, to_interval);
  fill_joints(flags.v0, n, "--v0", options.v0, to_interval);
  fill_joints(flags.noise, n, "--noise", options.noise, to_number);
  for (const double noise : options.noise)
    if (noise < 0) throw UsageError("--noise: a standard deviation is not negative");
  if (flags.input) options.input.signal = *flags.input;
  if (options.input.signal != InputSignal::none && system.inputs() == 0)
    throw UsageError("--input: " + system.name() + " has no inputs");
  if (options.input.signal == InputSignal::none && (flags.amplitude || !flags.frequency.empty()))
    throw UsageError("--amplitude and --frequency need --input chirp or --input sines");
  if (flags.amplitude) options.input.amplitude = *flags.amplitude;
  if (!flags.frequency.empty()) {
    const Interval interval = to_interval(flags.frequency, "--frequency");
    options.input.lowest_frequency = interval.low;
    options.input.highest_frequency = interval.high;
  }
  options.contacts = make_contacts(flags.contacts, system);
  options.seed = flags.seed;
  return system;
} catch (const InputError& e) {  // unknown system or constant, or one out of its range
  throw UsageError(e.what());
}

void run(const Flags& flags) {
  if (flags.list) return flags.json ? print_systems_json() : print_systems();
  SimulateOptions options;
  const AnalyticSystem system = settle(flags, options);
  if (flags.output.empty()) throw UsageError("--output is required (see mechfit simulate --help)");
  const std::vector<std::string> files{flags.output, flags.truth, flags.midpoints};
  std::vector<std::string> others;
  for (const auto& file : files) {
    if (file.empty()) continue;
    expect_output(file, flags.overwrite);
    others.push_back(file);
  }
  expect_distinct(others);
  // q, qd, qdd of the samples and of the midpoints, the observations, and the text of a file.
  require_memory(10.0 * sizeof(double) * system.joints() * options.runs * options.steps,
                 "so many runs and steps");
  ThreadPool pool(flags.threads);
  const Simulation result = simulate(Model(system), system_channels(system), options, pool);
  write_log(flags.output, result.observed);
  if (!flags.truth.empty()) write_log(flags.truth, result.truth);
  if (!flags.midpoints.empty()) write_log(flags.midpoints, result.midpoints);
  if (flags.json)
    print_simulation_json(system, options, files, result);
  else
    print_simulation(system, options, files, result);
}

CLI::Option* add_list(CLI::App& command, const char* name, std::vector<std::string>& values,
                      const char* help) {
  return command.add_option(name, values, help)->delimiter(',')->allow_extra_args(false);
}

void add_system_options(CLI::App& command, Flags& flags) {
  command.add_option("system", flags.system, "A system of --list")->type_name("SYSTEM");
  command
      .add_option("--preset", flags.preset,
                  "The paper's double pendulum: 16 runs of 202 samples from rest, noise 0.1; of "
                  "point masses (the published figures) or of rods (the appendix)")
      ->transform(choice<Preset>())
      ->type_name(choices<Preset>());
  add_list(command, "--set", flags.constants, "Constants of the system")
      ->type_name("NAME=VALUE,...");
  command.add_option("--links", flags.links, "Number of links of a chain")
      ->check(CLI::Range(1, 64))
      ->type_name("N");
  command.add_flag("--list", flags.list, "Print the systems and their constants, nothing else");
}

void add_motion_options(CLI::App& command, Flags& flags) {
  command.add_option("--runs", flags.runs, "Number of runs (default: 16)")
      ->check(CLI::Range(1, 1000000))
      ->type_name("N");
  command.add_option("--steps", flags.steps, "Number of steps of each run (default: 200)")
      ->check(CLI::Range(2, 100000000))
      ->type_name("N");
  command.add_option("--step", flags.step, "Length of a step (default: 0.05)")
      ->check(seconds())
      ->type_name("SECONDS");
  command.add_option("--substeps", flags.substeps, "Inner steps per step (default: 1)")
      ->check(CLI::Range(1, 1000000))
      ->type_name("N");
  command
      .add_option("--integrator", flags.integrator,
                  "Integrator" + by_default(SimulateOptions().integrator))
      ->transform(choice<Integrator>())
      ->type_name(choices<Integrator>());
  add_list(command, "--q0", flags.q0,
           "Start, uniform between LOW:HIGH or fixed; one for all joints or one for each "
           "(default: angles within a quarter turn of hanging)")
      ->type_name("LOW:HIGH,...");
  add_list(command, "--v0", flags.v0, "Start velocity, likewise (default: 0)")
      ->type_name("LOW:HIGH,...");
  command
      .add_option("--input", flags.input,
                  "Inputs; sines have random frequencies" + by_default(InputOptions().signal))
      ->transform(choice<InputSignal>())
      ->type_name(choices<InputSignal>());
  command.add_option("--amplitude", flags.amplitude, "Amplitude of the inputs (default: 1)")
      ->check(positive())
      ->type_name("A");
  command
      .add_option("--frequency", flags.frequency, "Frequencies of the inputs (default: 0.1:2 Hz)")
      ->type_name("LOW:HIGH");
  add_list(command, "--noise", flags.noise,
           "Standard deviation of the noise on q, one for all joints or one for each")
      ->type_name("SD,...");
  command.add_option("--seed", flags.seed, "Same seed, same files (default: 0)")
      ->check(seed())
      ->type_name("N");
}

void add_file_options(CLI::App& command, Flags& flags) {
  command.add_option("-o,--output", flags.output, "The observations, .csv or .npz")
      ->type_name("FILE");
  command.add_option("--truth", flags.truth, "q, qd, qdd without noise at the same times")
      ->type_name("FILE");
  command.add_option("--midpoints", flags.midpoints, "The same in the middle of the steps")
      ->type_name("FILE");
  add_threads(command, flags.threads);
  add_overwrite(command, flags.overwrite, "the outputs");
  add_json(command, flags.json);
}

}  // namespace

void add_simulate(CLI::App& app, int&) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand("simulate", "Makes the log of a built-in machine");
  add_system_options(*command, *flags);
  add_motion_options(*command, *flags);
  add_contact_options(*command, flags->contacts);
  add_file_options(*command, *flags);
  command->footer(
      "Examples:\n"
      "  mechfit simulate --preset paper-points --noise 0.05 -o log.csv --truth truth.csv\n"
      "  mechfit simulate furuta -o log.csv --step 0.01 --steps 1000 --input sines "
      "--amplitude 0.01\n"
      "  mechfit simulate pendulum -o log.csv --step 0.01 --stops q1=-0.5:0.8 --restitution 0.6\n"
      "  mechfit simulate ball -o log.csv --step 0.01 --q0 0,1 --floor 0 --friction 0.2");
  command->callback([flags] { run(*flags); });
}

}  // namespace mechfit
