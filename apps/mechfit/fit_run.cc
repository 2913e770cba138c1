#include "fit_run.h"

#include <fmt/format.h>

#include <chrono>

#include "commands.h"
#include "interrupt.h"
#include "mechfit/base/error.h"
#include "mechfit/evaluate/ensemble.h"
#include "mechfit/evaluate/scores.h"
#include "mechfit/files/files.h"
#include "mechfit/files/json_fields.h"
#include "mechfit/files/number.h"
#include "mechfit/files/outputs.h"
#include "mechfit/fit/checkpoint.h"
#include "mechfit/fit/fit_record.h"
#include "mechfit/fit/state.h"
#include "mechfit/log/fingerprint.h"
#include "mechfit/mechanics/families/arm/robot_file.h"
#include "mechfit/mechanics/model_file.h"
#include "mechfit/report/report.h"
#include "scores_print.h"
#include "spread.h"
#include "terminal.h"

namespace mechfit {
namespace {

std::map<std::string, double> parse_constants(const std::vector<std::string>& words) {
  std::map<std::string, double> constants;
  for (const auto& word : words) {
    const auto equals = word.find('=');
    double value = 0.0;
    if (equals == std::string::npos ||
        parse_number(std::string_view(word).substr(equals + 1), value) != NumberStatus::ok)
      throw UsageError("--fix: '" + word + "', expected NAME=VALUE as in g=9.81");
    if (!constants.emplace(word.substr(0, equals), value).second)
      throw UsageError("--fix: " + word.substr(0, equals) + " is named twice");
  }
  return constants;
}

std::string epochs_csv(const FitHistory& history) {
  std::string text =
      fmt::format("epoch,objective,{},learning_rate,halvings,rejected\n",
                  history.criterion == Criterion::error ? "validation_error" : "log_likelihood");
  for (const auto& r : history.records)
    text += fmt::format("{},{},{},{},{},{}\n", r.step, r.objective, r.validation, r.learning_rate,
                        r.halvings, r.rejected);
  return text;
}

// What the command reads: the log, perhaps runs to validate on, and what to tell about them.
struct Input {
  Log log;
  std::optional<Log> validation;
  std::vector<std::string> notes;
};

Input read_input(const FitCommand& command) {
  ReadResult log = read_log(command.log.files, command.log.read);
  Input input{std::move(log.log), {}, std::move(log.notes)};
  if (command.validation.empty()) return input;
  ReadResult held_out = read_log(command.validation, command.log.read);
  input.validation = std::move(held_out.log);
  input.notes.insert(input.notes.end(), held_out.notes.begin(), held_out.notes.end());
  return input;
}

// What can be known before the fit of what it will write.
void expect_outputs(const FitCommand& command, const std::string& checkpoint) {
  std::vector<std::string> inputs = expand_globs(command.log.files);
  inputs.insert(inputs.end(), command.validation.begin(), command.validation.end());
  expect_distinct(inputs);
  if (!command.robot.empty()) inputs.push_back(command.robot);
  const bool may_overwrite = command.overwrite || command.resume;
  expect_output(command.output, may_overwrite, inputs);
  make_folders(command.run);
  expect_output(checkpoint, may_overwrite, inputs);
  remove_leftovers(command.run);
}

// Bytes of model, checkpoint and report, about: the checkpoint has up to six motions per run, the
// report curves of some, the rest is small.
double disk_space(const Log& log) {
  double numbers = 0;
  for (const auto& run : log.runs) numbers += static_cast<double>(run.q.size());
  return 5e6 + 8 * sizeof(double) * numbers;
}

// Saves the state of a fit in its run folder every now and then.
class Saver {
 public:
  Saver(std::string folder, std::string owner, InterruptGuard& guard)
      : folder_(std::move(folder)), owner_(std::move(owner)), guard_(guard), saved_(Clock::now()) {}

  void save(const FitState& state, const FitHistory& history) {
    save_checkpoint(folder_ + kCheckpoint, state, owner_);
    write_file_atomically(folder_ + "/epochs.csv", epochs_csv(history));
    saved_ = Clock::now();
    guard_.will_say(how_to_go_on());
  }
  std::string how_to_go_on() const {
    return "interrupted; go on from the checkpoint in " + folder_ +
           " with the same command and --resume";
  }
  void offer(const FitState& state, const FitHistory& history) {
    if (interrupted() || Clock::now() - saved_ > kEvery) save(state, history);
  }

  static constexpr const char* kCheckpoint = "/checkpoint.safetensors";

 private:
  using Clock = std::chrono::steady_clock;
  // Little is lost by a crash, and writing takes a small part of the time.
  static constexpr std::chrono::seconds kEvery{2};

  std::string folder_, owner_;
  InterruptGuard& guard_;
  Clock::time_point saved_;
};

FitResult fit_with_progress(const Input& input, const FitOptions& options, ThreadPool& pool,
                            FitHooks hooks, Processes& processes) {
  std::optional<Progress> progress;
  if (processes.rank() == 0) progress.emplace("fitting");
  hooks.progress = [&](const FitProgress& p) {
    if (progress)
      progress->update(
          static_cast<double>(p.record.step) / p.steps,
          fmt::format("{}{}step {} objective {} {} {} best {}", p.what, p.what.empty() ? "" : ", ",
                      p.record.step, short_number(p.record.objective),
                      p.criterion == Criterion::error ? "error" : "log-likelihood",
                      short_number(p.record.validation), short_number(p.best)));
    return !processes.any(interrupted());
  };
  if (processes.size() > 1) hooks.team = &processes;
  return fit(input.log, input.validation, options, pool, hooks);
}

std::string how_to_go_on(const FitCommand& command, const FitResult& result) {
  return fmt::format(
      "interrupted after epoch {}; the best model so far is in {}; go on with the same command and "
      "--resume",
      result.history.records.size(), command.output);
}

int tell(const FitCommand& command, const FitResult& result, const Scores& scores) {
  const std::size_t steps = result.history.records.size();
  if (result.status == FitStatus::interrupted) {
    print_note(how_to_go_on(command, result));
    return 1;
  }
  if (command.json) {
    const std::string inputs =
        result.model.inputs() > 0 ? "\"input_timing\": " + format_timing(result.timing) + ", " : "";
    fmt::print("{{\"model\": {}, \"epochs\": {}, \"selected_epoch\": {}, {}\"scores\": {}}}\n",
               to_text(command.output), steps, result.history.selected, inputs,
               scores_json(scores));
  } else {
    for (const auto& note : result.notes) print_note(note);
    print_scores(result.channels, scores);
    fmt::print("\nmodel {}, report {}/report.html\n", command.output, command.run);
  }
  return 0;
}

// The description with the log's joints in their order; null where none is given.
std::shared_ptr<const ArmDescription> match_robot(const FitCommand& command, Input& input) {
  if (command.robot.empty()) {
    if (command.robot_joints.empty()) return nullptr;
    throw UsageError("--robot-joints names joints of a description: give --robot too");
  }
  MatchedRobot matched = match_joints(read_robot(command.robot), input.log.channels.joints,
                                      command.robot_joints, command.robot);
  input.notes.insert(input.notes.end(), matched.notes.begin(), matched.notes.end());
  return std::make_shared<const ArmDescription>(std::move(matched.robot));
}

// All but the first process fit and keep quiet.
int run(const FitCommand& command, Processes& processes) {
  const bool leads = processes.rank() == 0;
  if (processes.size() > 1 && command.fit.method != FitMethod::joint)
    throw UsageError("several processes share joint estimation only: --method " +
                     name_of(command.fit.method) + " takes one");
  FitOptions options = command.fit;
  options.fix = parse_constants(command.fix);
  options.barrier_weight = command.barrier_weight;
  const std::string checkpoint = command.run + Saver::kCheckpoint;
  if (leads) expect_outputs(command, checkpoint);

  Input input = read_input(command);
  options.robot = match_robot(command, input);
  if (leads && !command.json)
    for (const auto& note : input.notes) print_note(note);
  const std::string data = fingerprint(input.log, input.validation);
  const std::string owner = data + " " + settings_text(options);
  if (leads) {
    expect_space(command.run, disk_space(input.log));
    expect_space(command.output, disk_space(input.log));
  }
  FitState state;
  FitHooks hooks;
  if (command.resume) {
    state = load_checkpoint(checkpoint, owner);
    hooks.resume = &state;
  }
  if (leads) write_file_atomically(command.run + "/config.toml", command.config);

  ThreadPool pool(processes.size() > 1 && !command.says_threads ? 1 : command.threads);
  InterruptGuard guard;
  Saver saver(command.run, owner, guard);
  guard.will_say(command.resume ? saver.how_to_go_on()
                                : "interrupted before the first checkpoint; nothing was kept");
  hooks.warnings = [&](const std::vector<Warning>& warnings) {
    if (command.json || !leads) return;
    for (const Warning& warning : warnings) print_warning(warning.text);
  };
  if (leads) hooks.checkpoint = [&](const FitState& s, const FitHistory& h) { saver.offer(s, h); };
  const FitResult result = fit_with_progress(input, options, pool, hooks, processes);
  if (!leads) return 0;
  saver.save(*result.state, result.history);
  if (!found_model(result.status)) throw InputError(explain(result.status));

  ModelRecord record = fit_record(result, options);
  if (result.status == FitStatus::interrupted) {  // there may be no time for scores
    save_model(command.output, record, true);
    guard.will_say(how_to_go_on(command, result));
  }
  const EvaluationData held_out = held_out_data(result, pool);
  const Scores scores = score_fit(record, held_out, result, pool);
  add_scores(scores, data, record);
  save_model(command.output, record, true);
  write_fit_report(command.run, result, held_out, scores,
                   {{"Flags, as a config file", command.config}}, pool);
  return tell(command, result, scores);
}

}  // namespace

int run_fit(const FitCommand& command) {
  Processes processes;
  int code = 0;
  processes.guard([&] { code = run(command, processes); });
  return code;
}

}  // namespace mechfit
