#include "mechfit/fit/fit.h"

#include <fmt/format.h>

#include "mechfit/base/error.h"
#include "mechfit/fit/choose.h"
#include "mechfit/fit/input_search.h"
#include "mechfit/fit/smoothed/fit_smoothed.h"
#include "mechfit/fit/state.h"
#include "mechfit/log/steps.h"

namespace mechfit {
namespace {

void check_time(double seconds, const char* name) {
  if (!(seconds >= 0 && seconds <= kLongestInputTime))
    throw InputError(fmt::format("option '{}' is {}, expected seconds from 0 to {}", name, seconds,
                                 kLongestInputTime));
}

void check_options(const FitOptions& options) {
  check_time(options.input_delay.value_or(0), "input_delay");
  check_time(options.input_lag.value_or(0), "input_lag");
  const bool joint = options.method == FitMethod::joint;
  if (options.smoothed && joint)
    throw InputError(
        "joint estimation smooths by itself; already smoothed data are for the other methods "
        "(option 'method')");
  if (options.ensemble > 1 && !joint)
    throw InputError("an ensemble is fitted by joint estimation only (option 'method' joint)");
  if (options.integrator == Integrator::variational)
    throw InputError("option 'integrator': next-state regression takes " +
                     name_of(Integrator::rk4) + " or " + name_of(Integrator::midpoint));
  const bool networks =
      options.family == "auto" || find_family(options.family).kind == ParameterKind::weights;
  if (options.precision == Precision::float32 && (joint || !networks))
    throw InputError(
        "option 'precision' float32 is for networks (option 'family' smm) on smoothed data (option "
        "'method' del, acceleration, next-state or gauge-free)");
}

std::string grid_in_words(const FitData& data) {
  const double h = median_step(*data.sampled.train);
  return fmt::format(
      "motions are estimated on steps of {:.3g} s, {:.0f} for each of the samples, whose own step "
      "is "
      "too long for them (option 'step' says otherwise)",
      data.grid, h / data.grid);
}

std::string timing_in_words(const InputTiming& timing, const FitOptions& options) {
  const bool found = !options.input_hold || !options.input_delay || !options.input_lag;
  return "inputs are taken as " + describe_timing(timing) +
         (found ? ": so the log is most likely (options 'input_hold', 'input_delay' and "
                  "'input_lag' say otherwise)"
                : "");
}

// Times that motions may be put on finer steps.
constexpr int kMostGrids = 3;

// A fit by joint estimation, which begins again when it shows that steps are too long or that
// inputs act otherwise.
class JointFit {
 public:
  JointFit(FitData& data, const FitOptions& options, ThreadPool& pool, const FitHooks& hooks)
      : data_(data), options_(options), pool_(pool), hooks_(hooks), inputs_(options, data) {}

  // From one beginning to the end; false: it has to begin again, with inputs that act as timing().
  bool run(const std::vector<Candidate>& list, FitResult& result);
  const InputTiming& timing() const { return timing_; }

 private:
  // Considers candidates until one calls for finer steps or another timing.
  void consider(const std::vector<Candidate>& list, Choice& choice);

  FitData& data_;
  const FitOptions& options_;
  ThreadPool& pool_;
  const FitHooks& hooks_;
  InputSearch inputs_;
  std::shared_ptr<FitState> state_;
  int grids_ = 0;  // finer steps so far
  std::optional<double> step_;
  InputTiming timing_;
  bool retimed_ = false;
};

// Families from simple to rich, each fitted with the motion; see Choice for which one is kept. Once
// one with few parameters is known, it tells how inputs act and whether the steps are fine enough.
// Logs that were thinned are left alone: the rule's error on what is left is a thousandth of the
// accelerations (thin.h), less than what models of real machines miss.
void JointFit::consider(const std::vector<Candidate>& list, Choice& choice) {
  bool fine = options_.step > 0 || data_.thinned || grids_ == kMostGrids;
  FitStatus status = FitStatus::finished;
  for (const Candidate& candidate : list) {
    if (status == FitStatus::interrupted && choice.any()) return;
    status = choice.consider(candidate);
    const JointResult* simple = inputs_.open() ? choice.simple_fit() : nullptr;
    if (simple)
      if (const auto other = inputs_.better(*simple, candidate.start.held, data_, pool_)) {
        timing_ = *other;
        retimed_ = true;
        return;
      }
    if (!fine && (step_ = choice.finer_step())) return;
    fine = fine || choice.any();
  }
}

bool JointFit::run(const std::vector<Candidate>& list, FitResult& result) {
  retimed_ = false;
  for (;;) {
    Choice choice(data_, options_, list.size() > 1, pool_, hooks_, state_);
    step_.reset();
    consider(list, choice);
    state_ = choice.state();
    if (retimed_) return false;
    if (step_) {
      ++grids_;
      refine_motions(*step_, pool_, data_);
      inputs_.open_again();
      continue;
    }
    result.timing = inputs_.with_errors(data_.timing);
    if (!result.timing.as_logged())
      result.notes.push_back(timing_in_words(result.timing, options_));
    if (data_.grid > 0 && options_.step == 0) result.notes.push_back(grid_in_words(data_));
    choice.finish(result);
    return true;
  }
}

FitResult start_result(const FitData& data, const std::vector<Candidate>& list,
                       const FitOptions& options) {
  FitResult result(list[0].start.model);
  result.channels = data.channels;
  result.timing = data.timing;
  result.train = *data.train;
  result.validation = *data.validation;
  result.knowledge = knowledge_of(data.train_smoothed->log);
  if (options.method != FitMethod::joint && !options.smoothed)
    result.knowledge.labels = root_mean_squares(data.train_smoothed->log, &Trajectory::qdd_sd);
  result.notes = data.notes;
  return result;
}

}  // namespace

FitResult fit(const Log& observed, const std::optional<Log>& validation, const FitOptions& options,
              ThreadPool& pool, const FitHooks& hooks) {
  check_options(options);
  const InputTiming given{options.input_hold.value_or(InputHold::held),
                          options.input_delay.value_or(0), options.input_lag.value_or(0)};
  FitData data = prepare_fit(observed, validation, options, given, pool);
  std::vector<Candidate> list = candidates(data, options);
  FitResult result = start_result(data, list, options);
  if (options.method == FitMethod::joint) {
    JointFit joint(data, options, pool, hooks);
    while (!joint.run(list, result)) {
      const double grid = data.grid;
      data = prepare_fit(observed, validation, options, joint.timing(), pool);
      if (grid > 0 && data.grid == 0) refine_motions(grid, pool, data);
      list = candidates(data, options);
      result = start_result(data, list, options);
    }
  } else {
    fit_smoothed(data, list[0].start, options, pool, hooks, result);
  }
  result.knowledge.grid = data.grid;
  // Scores smooth with white noise on the jerk.
  if (!options.smoothed && options.smoother == SmoothMethod::white_jerk)
    result.validation_smoothed = data.validation_smoothed;
  return result;
}

}  // namespace mechfit
