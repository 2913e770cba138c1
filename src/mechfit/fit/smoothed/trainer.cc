#include "mechfit/fit/smoothed/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"

namespace mechfit {
namespace {

// Errors below: 100 epochs of the DEL objective on the logs N, P, C of joint/joint_problem.h.
//
// Then a step is below the rounding of theta. 30 and 120: same errors.
constexpr int kMaxHalvings = 60;
// The line of the barrier as a share of the smallest eigenvalue at the start, so that the start is
// feasible: the paper's value. 0.3: -22, -5, +14 %; 0.9: -22, -8, +2 %.
constexpr double kAlphaShare = 0.99;
// A barrier that starts at zero must not divide by it. 3e-4 and 3e-3: same errors.
constexpr double kLeastBarrier = 1e-3;
// After which the learning rate is half: the paper's value. 167 and 1500: within 7 %.
constexpr double kRateEpochs = 500.0;

bool all_finite(std::span<const double> x) {
  // NaN and infinities survive a sum of zeros times them; several sums, so that none waits
  constexpr std::size_t kSums = 8;
  double sums[kSums] = {};
  std::size_t i = 0;
  for (; i + kSums <= x.size(); i += kSums)
    for (std::size_t k = 0; k < kSums; ++k) sums[k] += 0.0 * x[i + k];
  for (; i < x.size(); ++i) sums[0] += 0.0 * x[i];
  return std::all_of(sums, sums + kSums, [](double sum) { return sum == 0.0; });
}

}  // namespace

Trainer::Trainer(const Model& start, const Samples& train, const Samples& validation,
                 TrainOptions options, ThreadPool& pool)
    : model_(start.with_precision(options.precision)),
      options_(std::move(options)),
      objective_(make_objective(model_, train, options_.objective, pool)) {
  MECHFIT_CHECK(options_.learning_rate > 0 && options_.batch > 0 && options_.epochs >= 0);
  ObjectiveOptions selection = options_.objective;
  if (options_.selection == Selection::acceleration) {
    selection.method = FitMethod::acceleration;
    selection.weights = options_.selection_weights;
  }
  validation_ = make_objective(model_, validation, selection, pool);

  const auto size = static_cast<std::size_t>(model_.parameter_count());
  MECHFIT_CHECK(options_.parameter_scales.empty() || options_.parameter_scales.size() == size);
  gradient_.resize(size);
  barrier_gradient_.assign(size, 0.0);
  step_.resize(size);
  next_.resize(size);
  order_.resize(objective_->items());
  std::iota(order_.begin(), order_.end(), 0);

  state_.theta.assign(model_.parameters().begin(), model_.parameters().end());
  state_.best = state_.theta;
  state_.adam = Adam(size);
  state_.random = Random(options_.seed, 1).state();
  state_.history.records.reserve(options_.epochs);

  if (options_.objective.method == FitMethod::del) {
    barrier_ = std::make_unique<Barrier>(model_, train.q, train.n, pool, options_.barrier_scales);
    state_.alpha = kAlphaShare * barrier_->smallest_eigenvalue(model_);
    MECHFIT_CHECK(state_.alpha > 0, "M is not positive definite at the start");
    barrier_->set_alpha(state_.alpha);
    const double size_del = objective_->all(model_);
    const double size_barrier = (*barrier_)(model_, 1.0, {});
    state_.mu = options_.barrier_weight.value_or(options_.barrier_share * size_del /
                                                 std::fmax(std::fabs(size_barrier), kLeastBarrier));
    if (!evaluate({}, true))
      throw InputError(
          fmt::format("the barrier's weight {} is too large (option 'barrier_weight')", state_.mu));
  }
}

Trainer::~Trainer() = default;

void Trainer::draw_barrier_points() {
  Random random(options_.seed, 2 + static_cast<std::uint64_t>(state_.epoch));
  std::vector<int> points(kBarrierPoints);
  for (int& point : points)
    point = static_cast<int>(random.below(static_cast<std::uint64_t>(barrier_->points())));
  barrier_->choose(points);
}

// Of the current parameters: the objective over a batch, unless that is empty, and the barrier
// where it is asked for and there is one, with their gradients, in one go so that threads wait
// less. False where the barrier is not finite.
bool Trainer::evaluate(std::span<const int> batch, bool barrier) {
  barrier = barrier && barrier_;
  ChunkSums* objective_sums = batch.empty() ? nullptr : &objective_->prepare(model_, batch, true);
  ChunkSums* barrier_sums = barrier ? &barrier_->prepare(model_, state_.mu, true) : nullptr;
  ChunkSums::run({objective_sums, barrier_sums});
  if (objective_sums) loss_ = objective_->finish(gradient_);
  if (!barrier) return true;
  barrier_value_ = barrier_->finish(barrier_gradient_);
  return std::isfinite(barrier_value_) && all_finite(barrier_gradient_);
}

bool Trainer::step(std::span<const int> batch, std::span<const int> next, double rate,
                   FitRecord& record) {
  double loss = loss_;
  if (barrier_) {
    loss += state_.mu * barrier_value_;
    for (std::size_t i = 0; i < gradient_.size(); ++i) gradient_[i] += barrier_gradient_[i];
  }
  if (!std::isfinite(loss) || !all_finite(gradient_)) {
    ++record.rejected;
    evaluate(next, false);
    return false;
  }
  record.objective += loss * static_cast<double>(batch.size());
  const auto& scales = options_.parameter_scales;
  for (std::size_t i = 0; i < scales.size(); ++i) gradient_[i] *= scales[i];
  state_.adam.step(gradient_, rate, step_);
  for (std::size_t i = 0; i < scales.size(); ++i) step_[i] *= scales[i];
  for (int halvings = 0;; ++halvings) {
    for (std::size_t i = 0; i < next_.size(); ++i) next_[i] = state_.theta[i] + step_[i];
    bool accepted = all_finite(next_);
    if (accepted) {
      try {
        model_.set_parameters(next_);
      } catch (const InputError&) {  // a constant left its range
        accepted = false;
      }
    }
    if (accepted && evaluate(next, true)) break;
    ++record.halvings;
    if (halvings == kMaxHalvings) {
      model_.set_parameters(state_.theta);
      evaluate(next, true);
      return true;
    }
    for (double& s : step_) s *= 0.5;
  }
  state_.theta.swap(next_);
  return true;
}

bool Trainer::done() const {
  if (state_.epoch >= options_.epochs) return true;
  return options_.patience > 0 && state_.epoch - state_.history.selected >= options_.patience &&
         state_.epoch > 0;
}

double Trainer::learning_rate() const {
  if (!options_.to_the_end)
    return options_.learning_rate * kRateEpochs / (kRateEpochs + state_.epoch);
  return options_.learning_rate * 0.5 *
         (1 + std::cos(0.5 * kTurn * state_.epoch / options_.epochs));
}

// Adds the record of the current parameters to the history.
void Trainer::keep(const FitRecord& record) {
  FitHistory& history = state_.history;
  const bool last = options_.to_the_end && std::isfinite(record.validation);
  if (last || history.improves(record.validation)) state_.best = state_.theta;
  history.add(record);
  if (!last) return;
  history.selected = record.step;
  history.best = record.validation;
}

const FitRecord& Trainer::epoch() {
  MECHFIT_CHECK(!done());
  const double rate = learning_rate();
  FitRecord record{state_.epoch + 1, 0.0, 0.0, rate, 0, 0};
  Random random(0);
  random.set_state(state_.random);
  std::iota(order_.begin(), order_.end(), 0);
  random.shuffle(order_);
  state_.random = random.state();

  const std::vector<double> start = state_.theta;
  const bool sampled = barrier_ && barrier_->points() > kBarrierPoints;
  if (sampled) draw_barrier_points();
  std::span<const int> rest = order_;
  auto take = [&] {
    const auto batch = rest.first(std::min(rest.size(), static_cast<std::size_t>(options_.batch)));
    rest = rest.subspan(batch.size());
    return batch;
  };
  std::span<const int> batch = take();
  evaluate(batch, sampled);
  int counted = 0;
  while (!batch.empty()) {
    const std::span<const int> next = take();
    if (step(batch, next, rate, record)) counted += static_cast<int>(batch.size());
    batch = next;
  }
  record.objective = counted > 0 ? record.objective / counted : kInfinity;
  if (sampled) {
    barrier_->choose({});
    if (!std::isfinite((*barrier_)(model_, 1.0, {}))) {
      // A point outside the sample left the feasible set: back to where the whole set was inside.
      ++record.halvings;
      state_.theta = start;
      model_.set_parameters(start);
    }
  }
  ++state_.epoch;
  record.validation = validation_->all(model_);
  keep(record);
  return state_.history.records.back();
}

Model Trainer::best() const {
  Model model = model_.with_precision(Precision::float64);
  model.set_parameters(state_.best);
  return model;
}

void Trainer::restore(TrainState state) {
  const std::size_t size = state_.theta.size();
  for (const auto* x : {&state.theta, &state.best, &state.adam.mean, &state.adam.square})
    if (x->size() != size) throw InputError("the checkpoint is of another model");
  state_ = std::move(state);
  model_.set_parameters(state_.theta);
  if (barrier_) {
    barrier_->set_alpha(state_.alpha);
    evaluate({}, true);
  }
}

}  // namespace mechfit
