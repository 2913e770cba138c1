#include "mechfit/fit/fit.h"

#include <cmath>
#include <cstdio>
#include <limits>

#include "mechfit/base/error.h"
#include "mechfit/fit/fit_jointly.h"
#include "mechfit/fit/start_model.h"
#include "mechfit/log/split.h"

namespace mechfit {
namespace {

constexpr int kEpochs = 500;

// Errors count in units of what the data show, joint by joint.
void weigh(const Magnitudes& size, const Model& model, TrainOptions& options) {
  const int n = static_cast<int>(size.v.size());
  auto inverse_squares = [](const std::vector<double>& x) {
    std::vector<double> w;
    for (double value : x) w.push_back(1.0 / (value * value));
    return w;
  };
  options.selection_weights = inverse_squares(size.a);
  switch (options.objective.method) {
    case Method::acceleration:
    case Method::gauge_free:
      options.objective.weights = inverse_squares(size.a);
      break;
    case Method::next_state:
      options.objective.weights = inverse_squares(size.q);
      options.objective.velocity_weights = inverse_squares(size.v);
      break;
    case Method::del: {
      // r / h is a force: in units of the model's force scale, or of the power it has at the
      // joint's speed
      const Smm* smm = model.as<Smm>();
      const double energy = smm ? smm->config().scales.energy : 1.0;
      options.objective.weights.clear();
      for (int i = 0; i < n; ++i) {
        options.objective.weights.push_back(std::pow(size.v[i] * size.time / energy, 2));
        options.barrier_scales.push_back(size.v[i] / std::sqrt(energy));
      }
      break;
    }
  }
}

Method objective_of(FitMethod method) {
  switch (method) {
    case FitMethod::acceleration:
      return Method::acceleration;
    case FitMethod::next_state:
      return Method::next_state;
    case FitMethod::gauge_free:
      return Method::gauge_free;
    default:
      return Method::del;
  }
}

Log smoothed(const Log& log, const FitOptions& options, ThreadPool& pool) {
  if (options.smoothed) {
    for (const auto& run : log.runs)
      if (run.qd.size() != run.q.size() || run.qdd.size() != run.q.size())
        throw InputError("run '" + run.name +
                         "' has no velocities and accelerations (columns qd, qdd)");
    return log;
  }
  SmoothOptions smoothing;
  smoothing.method = options.smoother;
  return smooth(log, smoothing, pool).log;
}

std::uint64_t hash(std::uint64_t h, const void* data, std::size_t size) {  // FNV-1a
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < size; ++i) h = (h ^ bytes[i]) * 0x100000001b3u;
  return h;
}

}  // namespace

std::string fingerprint(const Log& observed, const std::optional<Log>& validation) {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const Log* log : {&observed, validation ? &*validation : nullptr}) {
    if (!log) continue;
    for (const auto& run : log->runs)
      for (const auto* x : {&run.t, &run.q, &run.u})
        h = hash(h, x->data(), x->size() * sizeof(double));
  }
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(h));
  return text;
}

FitResult fit(const Log& observed, const std::optional<Log>& validation, const FitOptions& options,
              ThreadPool& pool, const FitHooks& hooks) {
  std::vector<std::string> notes;
  Split split;
  if (validation) {
    if (validation->n() != observed.n() || validation->m() != observed.m())
      throw InputError("the validation log has other joints or inputs than the log");
    split.train = observed;
    split.validation = *validation;
  } else {
    split = split_runs(observed, options.seed);
    notes.push_back(split.note);
  }
  if (options.smoothed && options.method == FitMethod::joint)
    throw InputError(
        "joint estimation smooths by itself; already smoothed data are for the other methods "
        "(--method)");
  if (options.precision == Precision::float32 &&
      (options.method == FitMethod::joint || (options.family != "auto" && options.family != "smm")))
    throw InputError(
        "--precision float32 is for networks (--family smm) on smoothed data (--method del, "
        "acceleration, next-state or gauge-free)");
  const Log train_smoothed = smoothed(split.train, options, pool);
  const Samples train_samples = make_samples(train_smoothed);
  if (options.method == FitMethod::joint && !train_samples.triples.empty())
    return fit_jointly(std::move(split), train_smoothed, observed.channels, options, pool, hooks,
                       std::move(notes));
  const Samples held_out_samples = make_samples(smoothed(split.validation, options, pool));
  if (train_samples.triples.empty() || held_out_samples.triples.empty())
    throw InputError("every part of the log needs a run of at least three samples");

  const Magnitudes size = magnitudes(train_samples);
  FitOptions own = options;
  if (own.family == "auto") own.family = "smm";
  if (own.family == "trig")
    throw InputError("family trig is fitted by joint estimation only (--method joint)");
  if (own.ensemble > 1)
    throw InputError("an ensemble is fitted by joint estimation only (--method joint)");
  Model start = start_model(observed.channels, size, own);
  TrainOptions training;
  training.objective.method = objective_of(options.method);
  training.objective.integrator = options.integrator;
  training.learning_rate = options.learning_rate > 0 ? options.learning_rate : 0.01;
  training.epochs = options.epochs > 0 ? options.epochs : kEpochs;
  training.batch = options.batch;
  training.seed = options.seed;
  training.selection = options.selection;
  training.patience = options.patience;
  training.barrier_weight = options.barrier_weight;
  training.precision = options.precision;
  training.parameter_scales = parameter_scales(start, own);
  if (options.scale) weigh(size, start, training);

  if (options.precision == Precision::float32)
    notes.push_back("networks computed in float32 while they were trained");

  Trainer trainer(start, train_samples, held_out_samples, training, pool);
  if (hooks.resume) trainer.restore(*hooks.resume);
  bool finished = true;
  while (!trainer.done()) {
    const EpochRecord& record = trainer.epoch();
    if (hooks.checkpoint) hooks.checkpoint(trainer.state());
    if (hooks.progress &&
        !hooks.progress({record, training.epochs, trainer.state().best_validation, ""})) {
      finished = trainer.done();
      break;
    }
  }
  int rejected = 0;
  for (const auto& record : trainer.state().history) rejected += record.rejected;
  if (rejected > 0)
    notes.push_back(std::to_string(rejected) +
                    " steps were rejected because their loss or gradient was not finite");
  if (!std::isfinite(trainer.state().best_validation))
    throw InputError(
        "no epoch gave a finite error on the held-out runs: try a smaller learning rate");
  return {with_fixed_inputs(trainer.best()),
          observed.channels,
          std::move(split.train),
          std::move(split.validation),
          trainer.state(),
          finished,
          std::move(notes),
          {},
          {},
          {}};
}

}  // namespace mechfit
