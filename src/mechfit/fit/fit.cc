#include "mechfit/fit/fit.h"

#include <fmt/format.h>

#include "mechfit/base/error.h"
#include "mechfit/fit/arm/arm_fit.h"
#include "mechfit/fit/candidates.h"
#include "mechfit/fit/contact/contact_fit.h"
#include "mechfit/fit/contradicted.h"
#include "mechfit/fit/force_choice.h"
#include "mechfit/fit/joint_fit.h"
#include "mechfit/fit/residual_fit.h"
#include "mechfit/fit/smoothed/fit_smoothed.h"
#include "mechfit/fit/torque_choice.h"
#include "mechfit/mechanics/families/smm/smm.h"

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

bool chooses_friction(const FitData& data, const FitOptions& options) {
  const bool torque = options.method == FitMethod::joint || options.method == FitMethod::torque;
  return torque && options.friction == "auto" && options.force == ForceKind::friction &&
         options.scale && drives_all(*data.train, options);
}

// Networks as rivals of an arm whose geometry nobody told.
void add_networks(const FitData& data, const FitOptions& options, std::vector<Candidate>& list) {
  FitOptions own = options;
  own.family = Smm::kFamily;
  own.robot = nullptr;
  for (Candidate& candidate : candidates(data, own)) list.push_back(std::move(candidate));
}

}  // namespace

FitResult fit(const Log& observed, const std::optional<Log>& validation, const FitOptions& asked,
              ThreadPool& pool, const FitHooks& hooks) {
  check_options(asked);
  if (asked.contacts != ContactOption::none)
    return fit_with_contacts(observed, validation, asked, pool, hooks);
  const std::optional<FitOptions> structure = structure_options(asked);
  const FitOptions given = structure.value_or(asked);
  const std::optional<FitOptions> arm = arm_options(observed.channels, given);
  FitOptions options = arm.value_or(given);
  const InputTiming timing{options.input_hold.value_or(InputHold::held),
                           options.input_delay.value_or(0), options.input_lag.value_or(0)};
  FitData data = prepare_fit(observed, validation, options, timing, pool);
  if (options.method != FitMethod::joint) weigh_smoothed(options, pool, data);
  if (hooks.warnings) hooks.warnings(data.warnings);
  std::vector<std::string> notes = contradicted_in_words(data);
  if (arm) add_geometry(data, options, pool, notes);
  if (chooses_friction(data, options)) {
    const FrictionChoice choice = choose_friction(data, options, pool, hooks);
    options.friction = choice.terms;
    if (!choice.note.empty()) notes.push_back(choice.note);
  }
  if (arm && options.friction == "auto") options.friction = kArmFriction;
  std::vector<Candidate> list = candidates(data, options);
  if (arm && !given.robot && given.family == "auto") add_networks(data, options, list);
  FitResult result(list[0].start.model);
  result.channels = data.channels;
  result.timing = data.timing;
  result.method = options.method;
  result.notes = notes;
  if (options.method == FitMethod::joint) {
    fit_jointly(observed, validation, options, pool, hooks, data, result);
    if (drives_all(*data.train, options) && options.ensemble == 1) {
      compare_by_torque(data, candidates(data, options), pool, hooks, result);
      compare_by_force(data, candidates(data, options), pool, hooks, result);
    }
  } else if (options.method == FitMethod::torque) {
    if (given.method == FitMethod::joint)
      result.notes.push_back(
          "every joint has an input, so models are fitted to torques (option 'method' torque)");
    fit_by_torque(data, list, options, pool, hooks, result);
  } else {
    fit_smoothed(data, list[0].start, options, pool, hooks, result);
  }
  if (structure) add_residual(data, options, pool, hooks, result);
  result.warnings = data.warnings;
  result.notes.insert(result.notes.begin(), data.notes.begin(), data.notes.end());
  result.train = *data.train;
  result.validation = *data.validation;
  result.knowledge = knowledge_of(data.train_smoothed->log);
  if (result.method != FitMethod::joint && !options.smoothed)
    result.knowledge.labels = root_mean_squares(data.train_smoothed->log, &Trajectory::qdd_sd);
  result.knowledge.grid = data.grid;
  // Scores smooth with white noise on the jerk.
  if (!options.smoothed && options.smoother == SmoothMethod::white_jerk)
    result.validation_smoothed = data.validation_smoothed;
  return result;
}

}  // namespace mechfit
