#include "fit_run.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <thread>

#include "commands.h"
#include "mechfit/base/error.h"
#include "mechfit/evaluate/ensemble.h"
#include "mechfit/evaluate/scores.h"
#include "mechfit/files/files.h"
#include "mechfit/fit/checkpoint.h"
#include "mechfit/mechanics/model_file.h"
#include "report_documents.h"
#include "scores_print.h"
#include "terminal.h"

namespace mechfit {
namespace {

volatile std::sig_atomic_t interrupted = 0;

// SIGINT and SIGTERM end the epoch while this lives.
class SignalGuard {
 public:
  SignalGuard() {
    interrupted = 0;
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted = 1; };
    sigaction(SIGINT, &action, &old_int_);
    sigaction(SIGTERM, &action, &old_term_);
  }
  ~SignalGuard() {
    sigaction(SIGINT, &old_int_, nullptr);
    sigaction(SIGTERM, &old_term_, nullptr);
  }
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

 private:
  struct sigaction old_int_ {
  }, old_term_{};
};

std::map<std::string, double> parse_constants(const std::vector<std::string>& words) {
  std::map<std::string, double> constants;
  for (const auto& word : words) {
    const auto equals = word.find('=');
    double value = 0.0;
    const char* end = word.data() + word.size();
    if (equals == std::string::npos ||
        std::from_chars(word.data() + equals + 1, end, value).ptr != end)
      throw UsageError("--fix: '" + word + "', expected NAME=VALUE as in g=9.81");
    constants[word.substr(0, equals)] = value;
  }
  return constants;
}

// What decides the result: a checkpoint of other settings must not be continued.
std::string owner(const FitOptions& o, const std::string& data) {
  std::string text = fmt::format(
      "{} family={} method={} rate={} epochs={} batch={} seed={} hidden={} force={} inputs={} "
      "learn={} degree={} ensemble={} step={} "
      "smoother={} smoothed={} selection={} patience={} barrier={} integrator={} precision={} "
      "scale={}",
      data, o.family, static_cast<int>(o.method), o.learning_rate, o.epochs, o.batch, o.seed,
      fmt::join(o.hidden, ","), static_cast<int>(o.force), fmt::join(o.input_joints, ","),
      o.learn_inputs, o.degree, o.ensemble, o.step, static_cast<int>(o.smoother), o.smoothed,
      static_cast<int>(o.selection), o.patience, o.barrier_weight.value_or(0.0),
      static_cast<int>(o.integrator), static_cast<int>(o.precision), o.scale);
  for (const auto& [name, value] : o.fix) text += fmt::format(" {}={}", name, value);
  return text;
}

std::string epochs_csv(const std::vector<EpochRecord>& history) {
  std::string text = "epoch,loss,validation,learning_rate,halvings,rejected\n";
  for (const auto& r : history)
    text += fmt::format("{},{},{},{},{},{}\n", r.epoch, r.loss, r.validation, r.learning_rate,
                        r.halvings, r.rejected);
  return text;
}

const char* method_name(FitMethod method) {
  switch (method) {
    case FitMethod::joint:
      return "joint";
    case FitMethod::acceleration:
      return "acceleration";
    case FitMethod::next_state:
      return "next-state";
    case FitMethod::gauge_free:
      return "gauge-free";
    case FitMethod::del:
      break;
  }
  return "del";
}

}  // namespace

int run_fit(const FitCommand& command) {
  FitOptions options = command.fit;
  options.fix = parse_constants(command.fix);
  options.barrier_weight = command.barrier_weight;
  const std::string checkpoint = command.run + "/checkpoint.safetensors";
  const bool may_overwrite = command.overwrite || command.resume;
  refuse_overwrite(command.output, may_overwrite);
  refuse_overwrite(checkpoint, may_overwrite);

  const ReadResult input = read_log(command.log.files, command.log.read);
  std::optional<Log> validation;
  std::vector<std::string> notes = input.notes;
  if (!command.validation.empty()) {
    ReadResult held_out = read_log(command.validation, command.log.read);
    validation = std::move(held_out.log);
    notes.insert(notes.end(), held_out.notes.begin(), held_out.notes.end());
  }
  if (!command.json)
    for (const auto& note : notes) print_note(note);
  const std::string belongs = owner(options, fingerprint(input.log, validation));

  std::error_code failed;
  std::filesystem::create_directories(command.run, failed);
  if (failed) throw InputError(command.run + ": cannot make this folder: " + failed.message());
  TrainState state;
  FitHooks hooks;
  if (command.resume) {
    state = load_checkpoint(checkpoint, belongs);
    hooks.resume = &state;
  }
  write_file_atomically(command.run + "/config.toml", command.config);

  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  ThreadPool pool(command.threads > 0 ? command.threads : std::max(1, cores));
  const SignalGuard guard;
  using Clock = std::chrono::steady_clock;
  auto saved = Clock::now();
  auto save = [&](const TrainState& s) {
    save_checkpoint(checkpoint, s, belongs);
    write_file_atomically(command.run + "/epochs.csv", epochs_csv(s.history));
    saved = Clock::now();
  };
  hooks.checkpoint = [&](const TrainState& s) {
    if (interrupted || Clock::now() - saved > std::chrono::seconds(2)) save(s);
  };
  FitResult result = [&] {
    Progress progress("fitting");
    hooks.progress = [&](const FitProgress& p) {
      progress.update(
          static_cast<double>(p.record.epoch) / p.epochs,
          fmt::format("{}{}step {} loss {} validation {} best {}", p.what,
                      p.what.empty() ? "" : ", ", p.record.epoch, short_number(p.record.loss),
                      short_number(p.record.validation), short_number(p.best_validation)));
      return !interrupted;
    };
    return fit(input.log, validation, options, pool, hooks);
  }();
  save(result.state);

  ModelRecord record{result.model, result.channels, {}, result.members, result.covariance};
  const Scores scores = evaluate(ensemble_of(record), result.validation, {}, pool);
  record.metadata = {{"method", method_name(options.method)},
                     {"seed", std::to_string(options.seed)},
                     {"data", fingerprint(input.log, validation)},
                     {"epoch", std::to_string(result.state.best_epoch)},
                     {"scores", scores_json(scores)}};
  save_model(command.output, record, true);
  write_fit_page(command.run, result, scores, command.config, pool);
  if (!result.finished) {
    print_note(
        fmt::format("interrupted after epoch {}; the best model so far is in {}; go on with the "
                    "same command and --resume",
                    result.state.epoch, command.output));
    return 1;
  }
  if (command.json) {
    fmt::print("{{\"model\": {}, \"epochs\": {}, \"selected_epoch\": {}, \"scores\": {}}}\n",
               json_string(command.output), result.state.epoch, result.state.best_epoch,
               scores_json(scores));
  } else {
    for (const auto& note : result.notes) print_note(note);
    print_scores(result.channels, scores);
    fmt::print("\nmodel {}, report {}/report.html\n", command.output, command.run);
  }
  return 0;
}

}  // namespace mechfit
