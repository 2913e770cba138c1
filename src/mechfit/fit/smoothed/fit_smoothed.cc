#include "mechfit/fit/smoothed/fit_smoothed.h"

#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/fit/smoothed/trainer.h"
#include "mechfit/fit/state.h"
#include "mechfit/mechanics/families/smm/smm.h"

namespace mechfit {
namespace {

constexpr int kEpochs = 500;  // the paper's
// The largest of the paper's three. After 100 epochs of the DEL objective on the logs N, P, C of
// joint/joint_problem.h the errors are with 0.003 -8, -9, +206 %, with 0.03 +5, +17, -5 %.
constexpr double kLearningRate = 0.01;

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

TrainOptions train_options(const FitData& data, const Start& start, const FitOptions& options) {
  TrainOptions training;
  training.objective.method = options.method;
  training.objective.integrator = options.integrator;
  training.learning_rate = options.learning_rate > 0 ? options.learning_rate : kLearningRate;
  training.epochs = options.epochs > 0 ? options.epochs : kEpochs;
  training.batch = options.batch;
  training.seed = options.seed;
  training.selection = options.selection;
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

}  // namespace

void fit_smoothed(const FitData& data, const Start& start, const FitOptions& options,
                  ThreadPool& pool, const FitHooks& hooks, FitResult& result) {
  const Samples train = make_samples(data.train_smoothed->log, *data.train);
  const Samples held_out = make_samples(*data.validation_smoothed, *data.validation);
  const TrainOptions training = train_options(data, start, options);
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
