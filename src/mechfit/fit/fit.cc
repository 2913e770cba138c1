#include "mechfit/fit/fit.h"

#include <fmt/format.h>

#include "mechfit/base/error.h"
#include "mechfit/fit/choose.h"
#include "mechfit/fit/contradicted.h"
#include "mechfit/fit/smoothed/fit_smoothed.h"
#include "mechfit/fit/state.h"
#include "mechfit/fit/torque_choice.h"
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
  if (options.learn_inputs && options.learn_gains)
    throw InputError("options 'learn_inputs' and 'learn_gains' exclude each other");
  if (options.friction != "auto") parse_friction_terms(options.friction, "option 'friction'");
  const bool networks =
      options.family == "auto" || find_family(options.family).kind == ParameterKind::weights;
  if (options.precision == Precision::float32 && (joint || !networks))
    throw InputError(
        "option 'precision' float32 is for networks (option 'family' smm) on smoothed data (option "
        "'method' del, acceleration, next-state, gauge-free or torque)");
}

std::string grid_in_words(const FitData& data) {
  const double h = median_step(*data.sampled.train);
  return fmt::format(
      "motions are estimated on steps of {:.3g} s, {:.0f} for each of the samples, whose own step "
      "is "
      "too long for them (option 'step' says otherwise)",
      data.grid, h / data.grid);
}

// Times that motions may be put on finer steps, and that observations may lose their weight or have
// it back.
constexpr int kMostGrids = 3, kMostWeighings = 4;

// Takes the weight from observations that the fit contradicts; true where it has to begin again.
bool weigh_again(const Choice& choice, const FitOptions& options, ThreadPool& pool, FitData& data) {
  const JointResult* judge = choice.judge();
  if (!judge || options.keep_all || data.weighed == kMostWeighings) return false;
  Contradicted found = find_contradicted(*judge, data, pool);
  if (same_weights(data.contradicted, found)) return false;
  set_contradicted(std::move(found), options, pool, data);
  return true;
}

// Families from simple to rich, each fitted with the motion; see Choice for which one is kept. Once
// one with few parameters is known, it tells whether the steps are fine enough, and the first one
// which observations it contradicts; if need be, all begins again on finer steps, or without these.
// Logs that were thinned are left alone: the rule's error on what is left is a thousandth of the
// accelerations (thin.h), less than what models of real machines miss.
void fit_jointly(FitData& data, const FitOptions& options, ThreadPool& pool, const FitHooks& hooks,
                 FitResult& result) {
  std::shared_ptr<FitState> state;
  int grids = 0;
  for (;;) {
    const std::vector<Candidate> list = candidates(data, options);
    Choice choice(data, options, list.size() > 1, pool, hooks, state);
    bool fine = options.step > 0 || data.stride > 1 || grids == kMostGrids;
    bool again = false, judged = false;
    FitStatus status = FitStatus::finished;
    for (const Candidate& candidate : list) {
      if (status == FitStatus::interrupted && choice.any()) break;
      status = choice.consider(candidate);
      if (const auto step = fine ? std::nullopt : choice.finer_step()) {
        refine_motions(*step, pool, data);
        ++grids;
        again = true;
        break;
      }
      fine = fine || choice.any();
      if (judged || !choice.judge()) continue;
      judged = true;
      if ((again = weigh_again(choice, options, pool, data))) break;
    }
    // A richer family may explain what the first one did not.
    if (!again && list.size() > 1) again = weigh_again(choice, options, pool, data);
    if (!again) {
      if (data.grid > 0 && options.step == 0) result.notes.push_back(grid_in_words(data));
      for (std::string& line : contradicted_in_words(data)) result.notes.push_back(std::move(line));
      return choice.finish(result);
    }
    state = choice.state();
  }
}

// Driven machines of many joints are fitted by their torques: trig has too many functions there,
// and networks that are fitted by accelerations find a heavy M.
constexpr int kManyJoints = 5;

// The options with what the log decides: the method of driven machines, the terms of friction.
FitOptions settled(const Log& observed, const FitOptions& options) {
  FitOptions own = options;
  const bool driven = drives_all(observed, options);
  if (options.method == FitMethod::joint && driven && observed.n() >= kManyJoints &&
      options.ensemble == 1 && options.scale)
    own.method = FitMethod::torque;
  return own;
}

bool chooses_friction(const FitData& data, const FitOptions& options) {
  const bool torque = options.method == FitMethod::joint || options.method == FitMethod::torque;
  return torque && options.friction == "auto" && options.force == ForceKind::friction &&
         options.scale && drives_all(*data.train, options);
}

}  // namespace

FitResult fit(const Log& observed, const std::optional<Log>& validation, const FitOptions& given,
              ThreadPool& pool, const FitHooks& hooks) {
  check_options(given);
  FitOptions options = settled(observed, given);
  FitData data = prepare_fit(observed, validation, options, pool);
  if (chooses_friction(data, options)) {
    const FrictionChoice choice = choose_friction(data, options, pool, hooks);
    options.friction = choice.terms;
    if (!choice.note.empty()) data.notes.push_back(choice.note);
  }
  const std::vector<Candidate> list = candidates(data, options);
  FitResult result(list[0].start.model);
  result.channels = data.channels;
  result.notes = data.notes;
  result.method = options.method;
  if (options.method == FitMethod::joint) {
    fit_jointly(data, options, pool, hooks, result);
    if (drives_all(*data.train, options) && options.ensemble == 1)
      compare_by_torque(data, list, pool, hooks, result);
  } else if (options.method == FitMethod::torque) {
    if (given.method == FitMethod::joint)
      result.notes.push_back(
          "every joint has an input, so models are fitted to torques (option 'method' torque)");
    fit_by_torque(data, list, options, pool, hooks, result);
  } else {
    fit_smoothed(data, list[0].start, options, pool, hooks, result);
  }
  result.train = *data.train;
  result.validation = *data.validation;
  result.knowledge = knowledge_of(data.train_smoothed->log);
  if (options.method != FitMethod::joint && !options.smoothed)
    result.knowledge.labels = root_mean_squares(data.train_smoothed->log, &Trajectory::qdd_sd);
  result.knowledge.grid = data.grid;
  // Scores smooth with white noise on the jerk.
  if (!options.smoothed && options.smoother == SmoothMethod::white_jerk)
    result.validation_smoothed = data.validation_smoothed;
  return result;
}

}  // namespace mechfit
