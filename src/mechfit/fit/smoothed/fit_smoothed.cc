#include "mechfit/fit/smoothed/fit_smoothed.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"
#include "mechfit/evaluate/torque_error.h"
#include "mechfit/fit/smoothed/torque_fit.h"
#include "mechfit/fit/smoothed/trainer.h"
#include "mechfit/fit/start_by_torque.h"
#include "mechfit/fit/state.h"
#include "mechfit/mechanics/families/smm/smm.h"

namespace mechfit {
namespace {

constexpr int kEpochs = 500;  // the paper's
// The largest of the paper's three. After 100 epochs of the DEL objective on the logs N, P, C of
// joint/joint_problem.h the errors are with 0.003 -8, -9, +206 %, with 0.03 +5, +17, -5 %.
constexpr double kLearningRate = 0.01;

// Steps of torque regression: networks of real arms were best after 2,000 to 4,000, more learn the
// training runs by heart; and their step size. The last step is taken. What is held out of one run
// is often where the others do not go: it stopped a real arm's network after 2 of 95 epochs.
constexpr double kTorqueSteps = 4000, kTorqueRate = 0.003;

// How first-order steps move the parameters: in units of their own, held ones not at all. Empty
// where all units are one.
std::vector<double> parameter_scales(const Start& start) {
  std::vector<double> scales;
  bool any = !start.held.empty();
  for (const ParameterInfo& info : start.model.parameters_info()) {
    scales.push_back(info.step);
    any = any || info.step != 1.0;
  }
  for (int k : start.held) scales[k] = 0.0;
  return any ? scales : std::vector<double>();
}

int torque_epochs(const FitData& data, int batch) {
  double samples = 0;
  for (const Trajectory& run : data.train_smoothed->log.runs) samples += run.size();
  return static_cast<int>(std::clamp(std::round(kTorqueSteps * batch / samples), 20.0, 500.0));
}

TrainOptions train_options(const FitData& data, const Start& start, const FitOptions& options) {
  TrainOptions training;
  training.objective.method = options.method;
  training.objective.integrator = options.integrator;
  const bool torque = options.method == FitMethod::torque;
  const double rate = torque ? kTorqueRate : kLearningRate;
  training.learning_rate = options.learning_rate > 0 ? options.learning_rate : rate;
  training.epochs = options.epochs > 0 ? options.epochs
                    : torque           ? torque_epochs(data, options.batch)
                                       : kEpochs;
  training.batch = options.batch;
  training.seed = options.seed;
  training.selection = torque ? Selection::objective : options.selection;
  // A network beside a structure that is held may have nothing to learn: held-out errors tell.
  training.to_the_end = torque && options.patience == 0 && start.held.empty();
  training.patience = options.patience;
  training.barrier_weight = options.barrier_weight;
  training.precision = options.precision;
  training.parameter_scales = parameter_scales(start);
  if (!options.scale) return training;
  const double energy = start.model.scales() ? start.model.scales()->energy : 1.0;
  const ObjectiveKind& kind = objective_kind(options.method);
  kind.weigh(data.size, energy, training.objective);
  training.selection_weights = inverse_squares(data.size.a);
  if (kind.needs_barrier)
    for (double v : data.size.v) training.barrier_scales.push_back(v / std::sqrt(energy));
  return training;
}

// Torques are in units of what the inputs push at each joint.
void check_driven(const Model& model, const Channels& channels, const Samples& train,
                  ThreadPool& pool) {
  const std::vector<bool> driven = driven_joints(model);
  for (std::size_t j = 0; j < driven.size(); ++j)
    if (!driven[j])
      throw InputError("method torque needs an input on every joint, joint '" + channels.joints[j] +
                       "' has none (option 'input_joints')");
  if (model.scale_is_free())
    throw InputError(
        "method torque needs inputs of known unit; options 'learn_inputs' and 'method' "
        "torque exclude each other ('learn_gains' may help)");
  const std::vector<double> size = torque_sizes(model, train, pool);
  for (std::size_t j = 0; j < size.size(); ++j)
    if (!(size[j] > 0))
      throw InputError("method torque: the input of joint '" + channels.joints[j] +
                       "' never changes");
}

void fit_few_by_torque(const Start& start, const Samples& train, const Samples& held_out,
                       ThreadPool& pool, const FitHooks& hooks, FitResult& result) {
  double best = kInfinity;
  const auto progress = [&](const FitRecord& record, int steps) {
    best = std::min(best, record.validation);
    return !hooks.progress || hooks.progress({record, steps, Criterion::error, best, start.name});
  };
  TorqueFit fit = fit_start_by_torque(start, {}, train, held_out, pool, progress);
  result.status = fit.status;
  result.model = std::move(fit.model);
  result.history = std::move(fit.history);
  result.covariance = std::move(fit.covariance);
  result.standard_errors = std::move(fit.standard_errors);
  result.notes.insert(result.notes.end(), fit.notes.begin(), fit.notes.end());
  result.state = std::make_shared<const FitState>(FitState{TrainState()});
}

}  // namespace

void fit_smoothed(const FitData& data, const Start& start, const FitOptions& options,
                  ThreadPool& pool, const FitHooks& hooks, FitResult& result) {
  const Samples train = make_samples(data.train_smoothed->log, *data.train);
  const Samples held_out = make_samples(*data.validation_smoothed, *data.validation);
  if (options.method == FitMethod::torque) {
    check_driven(start.model, data.channels, train, pool);
    if (start.model.kind() != ParameterKind::weights)
      return fit_few_by_torque(start, train, held_out, pool, hooks, result);
  }
  TrainOptions training = train_options(data, start, options);
  if (options.method == FitMethod::torque && options.scale)
    training.objective.weights = inverse_squares(torque_sizes(start.model, train, pool));
  if (options.precision == Precision::float32)
    result.notes.push_back("networks computed in float32 while they were trained");

  Trainer trainer(start.model, train, held_out, training, pool);
  if (hooks.resume) {
    const auto* state = std::get_if<TrainState>(&hooks.resume->progress);
    if (!state) throw InputError("the checkpoint is of another method");
    trainer.restore(*state);
  }
  const FitHistory& history = trainer.state().history;
  while (!trainer.done() && result.status == FitStatus::finished) {
    const FitRecord& record = trainer.epoch();
    if (hooks.checkpoint) hooks.checkpoint({trainer.state()}, history);
    if (hooks.progress &&
        !hooks.progress({record, training.epochs, history.criterion, history.best, ""}) &&
        !trainer.done())
      result.status = FitStatus::interrupted;
  }
  int rejected = 0;
  for (const auto& record : history.records) rejected += record.rejected;
  if (rejected > 0)
    result.notes.push_back(std::to_string(rejected) +
                           " steps were rejected because their loss or gradient was not finite");
  result.history = history;
  result.state = std::make_shared<const FitState>(FitState{trainer.state()});
  if (!std::isfinite(history.best)) {
    result.status = FitStatus::unexplained;
  } else if (const auto model = trainer.best().with_fixed_inputs()) {
    result.model = *model;
  } else {
    result.status = FitStatus::reversed_inputs;
  }
}

}  // namespace mechfit
