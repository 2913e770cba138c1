#include <numeric>

#include "mechfit/base/error.h"
#include "mechfit/fit/smoothed/objectives.h"
#include "mechfit/fit/smoothed/torque_block.h"

// mean_j w_j e_j^2 over samples, with the torques e that inverse dynamics misses (torque_block.h):
// the loss of Deep Lagrangian Networks (Lutter, Ritter, Peters 2019).
namespace mechfit {
namespace {

std::vector<int> all_samples(const Samples& samples) {
  MECHFIT_CHECK(!samples.v.empty(), "this method needs velocities and accelerations");
  std::vector<int> items(samples.size);
  std::iota(items.begin(), items.end(), 0);
  return items;
}

class TorqueObjective final : public Objective {
 public:
  TorqueObjective(const Model& model, const Samples& samples, const ObjectiveOptions& options,
                  ThreadPool& pool)
      : Objective(model, samples, all_samples(samples), kBlock, pool),
        weights_(options.weights),
        zero_(make_panel(1)) {
    for (int i = 0; i < pool.size(); ++i)
      workers_.push_back(std::make_unique<TorqueBlock>(model, samples));
  }

 private:
  double block(const Model& model, const int* items, int count, double scale, bool gradient,
               int i) override {
    const int n = samples().n;
    TorqueBlock& w = *workers_[i];
    w.evaluate(model, samples(), items, count);
    double loss = 0.0;
    for (int j = 0; j < n; ++j)
      loss = add_squares(weights_[j] * (scale / n), count, zero_.data(), &w.e[j * kBlock], loss);
    if (gradient) w.pullback(model, w.e.data(), {.theta = true});
    return loss;
  }

  void clear_gradient(const Model& model, int i) override {
    model.clear_gradient(workers_[i]->model);
  }
  void add_gradient(const Model& model, int i, std::span<double> gradient, bool add) override {
    model.add_gradient(workers_[i]->model, gradient, add);
  }

  std::vector<double> weights_;
  AlignedVector zero_;
  std::vector<std::unique_ptr<TorqueBlock>> workers_;
};

}  // namespace

std::unique_ptr<Objective> make_torque_objective(const Model& model, const Samples& samples,
                                                 const ObjectiveOptions& options,
                                                 ThreadPool& pool) {
  return std::make_unique<TorqueObjective>(model, samples, options, pool);
}

}  // namespace mechfit
