#include <limits>
#include <numeric>

#include "mechfit/base/error.h"
#include "mechfit/fit/smoothed/objectives.h"
#include "mechfit/mechanics/euler_lagrange.h"

// mean_j w_j (a_j - a_j(data))^2 over samples.
namespace mechfit {
namespace {

std::vector<int> points_of(const Samples& samples) {
  MECHFIT_CHECK(!samples.v.empty(), "this method needs velocities and accelerations");
  if (!samples.points.empty()) return samples.points;
  std::vector<int> items(samples.size);
  std::iota(items.begin(), items.end(), 0);
  return items;
}

class AccelerationObjective final : public Objective {
 public:
  AccelerationObjective(const Model& model, const Samples& samples, const ObjectiveOptions& options,
                        ThreadPool& pool)
      : Objective(model, samples, points_of(samples), kBlock, pool), weights_(options.weights) {
    for (int i = 0; i < pool.size(); ++i) {
      auto w = std::make_unique<Worker>(model);
      for (auto* panel : {&w->q, &w->v, &w->a, &w->target}) *panel = make_panel(samples.n);
      w->u = make_panel(samples.m);
      workers_.push_back(std::move(w));
    }
  }

 private:
  struct Worker {  // scratch memory of one thread
    explicit Worker(const Model& model) : acceleration(model) {}
    AccelerationWorkspace acceleration;
    AlignedVector q, v, u, a, target;
  };

  double block(const Model& model, const int* items, int count, double scale, bool gradient,
               int i) override {
    const Samples& s = samples();
    Worker& w = *workers_[i];
    gather(s.q.data(), s.n, items, count, 0, kBlock, w.q.data());
    gather(s.v.data(), s.n, items, count, 0, kBlock, w.v.data());
    if (s.m > 0) gather(s.u_point.data(), s.m, items, count, 0, kBlock, w.u.data());
    gather(s.a.data(), s.n, items, count, 0, kBlock, w.target.data());
    const Points x{w.q.data(), w.v.data(), s.m > 0 ? w.u.data() : nullptr};
    const LaneMask positive = acceleration(model, x, w.a.data(), w.acceleration);
    const LaneMask wanted = (LaneMask{1} << count) - 1;
    if ((positive & wanted) != wanted) return std::numeric_limits<double>::infinity();
    double loss = 0.0;
    for (int j = 0; j < s.n; ++j)
      loss = add_squares(weights_[j] * (scale / s.n), count, &w.target[j * kBlock],
                         &w.a[j * kBlock], loss);
    if (!gradient) return loss;
    Adjoints adjoints;
    adjoints.theta = true;
    acceleration_pullback(model, w.a.data(), adjoints, w.acceleration);
    return loss;
  }

  void clear_gradient(const Model& model, int i) override {
    model.clear_gradient(workers_[i]->acceleration.model);
  }
  void add_gradient(const Model& model, int i, std::span<double> gradient, bool add) override {
    model.add_gradient(workers_[i]->acceleration.model, gradient, add);
  }

  std::vector<double> weights_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace

std::unique_ptr<Objective> make_acceleration_objective(const Model& model, const Samples& samples,
                                                       const ObjectiveOptions& options,
                                                       ThreadPool& pool) {
  return std::make_unique<AccelerationObjective>(model, samples, options, pool);
}

}  // namespace mechfit
