#include "mechfit/fit/fit.h"

#include <fmt/format.h>

#include "mechfit/base/error.h"
#include "mechfit/fit/choose.h"
#include "mechfit/fit/smoothed/fit_smoothed.h"
#include "mechfit/fit/state.h"
#include "mechfit/log/steps.h"

namespace mechfit {
namespace {

void check_options(const FitOptions& options) {
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

// Times that motions may be put on finer steps.
constexpr int kMostGrids = 3;

// Families from simple to rich, each fitted with the motion; see Choice for which one is kept. Once
// one with few parameters is known, it tells whether the steps are fine enough; if not, all begins
// again on finer ones. Logs that were thinned are left alone: the rule's error on what is left is a
// thousandth of the accelerations (thin.h), less than what models of real machines miss.
void fit_jointly(FitData& data, const std::vector<Candidate>& list, const FitOptions& options,
                 ThreadPool& pool, const FitHooks& hooks, FitResult& result) {
  std::shared_ptr<FitState> state;
  for (int grid = 0;; ++grid) {
    Choice choice(data, options, list.size() > 1, pool, hooks, state);
    bool fine = options.step > 0 || data.thinned || grid == kMostGrids;
    std::optional<double> step;
    FitStatus status = FitStatus::finished;
    for (const Candidate& candidate : list) {
      if (status == FitStatus::interrupted && choice.any()) break;
      status = choice.consider(candidate);
      if (!fine && (step = choice.finer_step())) break;
      fine = fine || choice.any();
    }
    if (!step) {
      if (data.grid > 0 && options.step == 0) result.notes.push_back(grid_in_words(data));
      return choice.finish(result);
    }
    state = choice.state();
    refine_motions(*step, pool, data);
  }
}

}  // namespace

FitResult fit(const Log& observed, const std::optional<Log>& validation, const FitOptions& options,
              ThreadPool& pool, const FitHooks& hooks) {
  check_options(options);
  FitData data = prepare_fit(observed, validation, options, pool);
  if (hooks.warnings) hooks.warnings(data.warnings);
  const std::vector<Candidate> list = candidates(data, options);
  FitResult result(list[0].start.model);
  result.channels = data.channels;
  result.train = *data.train;
  result.validation = *data.validation;
  result.knowledge = knowledge_of(data.train_smoothed->log);
  if (options.method != FitMethod::joint && !options.smoothed)
    result.knowledge.labels = root_mean_squares(data.train_smoothed->log, &Trajectory::qdd_sd);
  result.notes = data.notes;
  result.warnings = data.warnings;
  if (options.method == FitMethod::joint)
    fit_jointly(data, list, options, pool, hooks, result);
  else
    fit_smoothed(data, list[0].start, options, pool, hooks, result);
  result.knowledge.grid = data.grid;
  // Scores smooth with white noise on the jerk.
  if (!options.smoothed && options.smoother == SmoothMethod::white_jerk)
    result.validation_smoothed = data.validation_smoothed;
  return result;
}

}  // namespace mechfit
