#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "mechfit/fit/smoothed/barrier.h"
#include "mechfit/fit/smoothed/objectives.h"
#include "mechfit/fit/smoothed/train_state.h"

namespace mechfit {

struct TrainOptions {
  ObjectiveOptions objective;
  double learning_rate = 1e-3;  // xi_0; epoch k uses 500 xi_0 / (500 + k)
  int epochs = 500;
  int batch = 256;
  std::uint64_t seed = 0;
  Selection selection = Selection::acceleration;
  std::vector<double> selection_weights;  // of the joints' acceleration errors [n], empty: ones
  std::vector<double> parameter_scales;   // theta moves in units of these, 0 holds it; empty: ones
  // The learning rate falls to zero with the last epoch, whose parameters are kept whatever
  // validation says.
  bool to_the_end = false;
  int patience = 0;  // epochs without improvement before an early stop; 0: never
  std::optional<double>
      barrier_weight;  // mu of the DEL objective; unset: both terms of equal size at the start
  std::vector<double> barrier_scales;        // S of the barrier [n], empty: ones
  double barrier_share = 1.0;                // that equality times this
  Precision precision = Precision::float64;  // of networks while they are trained
};

// Minimises an objective with Adam on shuffled batches and keeps the parameters that do best on
// validation. The DEL objective is trained with the barrier over the training configurations: mean
// rho - mu mean log det(M - alpha I).
class Trainer {
 public:
  // Barrier points at every step; a larger training set is sampled anew every epoch and checked as
  // a whole after it.
  static constexpr int kBarrierPoints = 4096;

  // The samples must outlive the trainer.
  Trainer(const Model& start, const Samples& train, const Samples& validation, TrainOptions options,
          ThreadPool& pool);
  ~Trainer();

  bool done() const;
  const FitRecord& epoch();  // trains one

  Model best() const;                              // the selected model
  const Model& current() const { return model_; }  // in the options' precision
  const TrainState& state() const { return state_; }
  // Of a trainer with the same start, samples and options; InputError when it cannot be.
  void restore(TrainState state);

 private:
  void draw_barrier_points();
  // A step with the gradient that evaluate() left, then evaluate() for the batch after it.
  bool step(std::span<const int> batch, std::span<const int> next, double rate, FitRecord& record);
  bool evaluate(std::span<const int> batch, bool barrier);
  double learning_rate() const;
  void keep(const FitRecord& record);

  Model model_;
  TrainOptions options_;
  std::unique_ptr<Objective> objective_;
  std::unique_ptr<Barrier> barrier_;
  std::unique_ptr<Objective> validation_;
  TrainState state_;
  std::vector<int> order_;
  std::vector<double> gradient_, barrier_gradient_, step_, next_;
  double loss_ = 0.0, barrier_value_ = 0.0;
};

}  // namespace mechfit
