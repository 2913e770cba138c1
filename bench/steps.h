#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "bench/bench_models.h"
#include "mechfit/fit/smoothed/adam.h"
#include "mechfit/fit/smoothed/barrier.h"
#include "mechfit/fit/smoothed/objectives.h"

// The steps that benchmarks time and tests watch: 8 runs of 202 samples (the barrier's 1616
// points), batches of 256 items, one thread.
namespace mechfit::bench {

inline constexpr int kBatch = 256;

inline std::vector<int> batch_of(int items) {
  std::vector<int> order(items);
  std::iota(order.begin(), order.end(), 0);
  Random(3).shuffle(order);
  order.resize(kBatch);
  return order;
}

inline Samples paper_sized_motion(int n) { return motion(n, 8, 202); }

// New parameters, then the loss and its gradient on one batch.
class ObjectiveStep {
 public:
  ObjectiveStep(FitMethod method, int n, int width, bool force, int threads = 1,
                Precision precision = Precision::float64)
      : pool_(threads),
        model(network(n, width, force).with_precision(precision)),
        samples(paper_sized_motion(n)),
        objective(make_objective(model, samples, {method, Integrator::midpoint, {}, {}}, pool_)),
        batch(batch_of(objective->items())),
        theta(model.parameters().begin(), model.parameters().end()),
        gradient(theta.size()) {}

  double operator()() {
    model.set_parameters(theta);
    return (*objective)(model, batch, gradient);
  }

 private:
  ThreadPool pool_;

 public:
  Model model;
  Samples samples;
  std::unique_ptr<Objective> objective;
  std::vector<int> batch;
  std::vector<double> theta, gradient;
};

// The barrier over all points with its gradient.
class BarrierPass {
 public:
  static constexpr double kWeight = 0.01;

  BarrierPass(int n, int width, int threads = 1)
      : pool_(threads),
        model(network(n, width, false)),
        samples(paper_sized_motion(n)),
        barrier(model, samples.q, n, pool_),
        gradient(model.parameter_count()) {
    barrier.set_alpha(0.5 * barrier.smallest_eigenvalue(model));
  }

  double operator()() { return barrier(model, kWeight, gradient); }

 private:
  ThreadPool pool_;

 public:
  Model model;
  Samples samples;
  Barrier barrier;
  std::vector<double> gradient;
};

// What a step of a DEL fit does: DEL gradient, barrier, Adam, feasibility. The barrier at the new
// parameters is the feasibility check, and its gradient the next step's.
class FullDelStep {
 public:
  FullDelStep(int n, int width, bool force, int threads = 1,
              Precision precision = Precision::float64)
      : pool_(threads),
        del_(FitMethod::del, n, width, force, threads, precision),
        barrier_(del_.model, del_.samples.q, n, pool_),
        barrier_gradient_(del_.theta.size()),
        step_(del_.theta.size()),
        adam_(del_.theta.size()) {
    barrier_.set_alpha(0.5 * barrier_.smallest_eigenvalue(del_.model));
    barrier_(del_.model, BarrierPass::kWeight, barrier_gradient_);
  }

  double operator()() {
    auto& theta = del_.theta;
    (*del_.objective)(del_.model, del_.batch, del_.gradient);
    for (std::size_t i = 0; i < theta.size(); ++i) del_.gradient[i] += barrier_gradient_[i];
    adam_.step(del_.gradient, 1e-9, step_);
    for (std::size_t i = 0; i < theta.size(); ++i) theta[i] += step_[i];
    del_.model.set_parameters(theta);
    return barrier_(del_.model, BarrierPass::kWeight, barrier_gradient_);
  }

 private:
  ThreadPool pool_;
  ObjectiveStep del_;
  Barrier barrier_;
  std::vector<double> barrier_gradient_, step_;
  Adam adam_;
};

}  // namespace mechfit::bench
