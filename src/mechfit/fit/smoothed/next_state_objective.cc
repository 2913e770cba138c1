#include <limits>

#include "mechfit/base/error.h"
#include "mechfit/fit/smoothed/objectives.h"
#include "mechfit/integrate/runge_kutta.h"

// mean of w_j (q_j - q_j(data))^2 and v_w_j (v_j - v_j(data))^2 after one step, over pairs.
namespace mechfit {
namespace {

class NextStateObjective final : public Objective {
 public:
  NextStateObjective(const Model& model, const Samples& samples, const ObjectiveOptions& options,
                     ThreadPool& pool)
      : Objective(model, samples, samples.pairs, kBlock, pool),
        weights_(options.weights),
        velocity_weights_(options.velocity_weights) {
    MECHFIT_CHECK(!samples.v.empty(), "this method needs velocities and accelerations");
    for (int i = 0; i < pool.size(); ++i) {
      auto w = std::make_unique<Worker>(model, options.integrator);
      for (auto* panel : {&w->q, &w->v, &w->q_next, &w->v_next, &w->q_target, &w->v_target})
        *panel = make_panel(samples.n);
      w->u = make_panel(samples.m);
      w->h = make_panel(1);
      workers_.push_back(std::move(w));
    }
  }

 private:
  struct Worker {  // scratch memory of one thread
    Worker(const Model& model, Integrator integrator) : step(model, integrator) {}
    RungeKuttaWorkspace step;
    AlignedVector q, v, u, h, q_next, v_next, q_target, v_target;
  };

  double block(const Model& model, const int* items, int count, double scale, bool gradient,
               int i) override {
    const Samples& s = samples();
    Worker& w = *workers_[i];
    gather(s.q.data(), s.n, items, count, 0, kBlock, w.q.data());
    gather(s.v.data(), s.n, items, count, 0, kBlock, w.v.data());
    if (s.m > 0) gather(s.u_step.data(), s.m, items, count, 0, kBlock, w.u.data());
    gather(s.h.data(), 1, items, count, 0, kBlock, w.h.data());
    gather(s.q.data(), s.n, items, count, 1, kBlock, w.q_target.data());
    gather(s.v.data(), s.n, items, count, 1, kBlock, w.v_target.data());
    const Points x{w.q.data(), w.v.data(), s.m > 0 ? w.u.data() : nullptr};
    const LaneMask positive =
        runge_kutta_step(model, x, w.h.data(), w.q_next.data(), w.v_next.data(), w.step);
    const LaneMask wanted = (LaneMask{1} << count) - 1;
    if ((positive & wanted) != wanted) return std::numeric_limits<double>::infinity();
    double loss = 0.0;
    const double share = scale / (2 * s.n);
    for (int j = 0; j < s.n; ++j) {
      loss = add_squares(weights_[j] * share, count, &w.q_target[j * kBlock], &w.q_next[j * kBlock],
                         loss);
      loss = add_squares(velocity_weights_[j] * share, count, &w.v_target[j * kBlock],
                         &w.v_next[j * kBlock], loss);
    }
    if (!gradient) return loss;
    Adjoints adjoints;
    adjoints.theta = true;
    runge_kutta_pullback(model, w.q_next.data(), w.v_next.data(), adjoints, w.step);
    return loss;
  }

  void clear_gradient(const Model& model, int i) override {
    mechfit::clear_gradient(model, workers_[i]->step);
  }
  void add_gradient(const Model& model, int i, std::span<double> gradient, bool add) override {
    mechfit::add_gradient(model, workers_[i]->step, gradient, add);
  }

  std::vector<double> weights_, velocity_weights_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace

std::unique_ptr<Objective> make_next_state_objective(const Model& model, const Samples& samples,
                                                     const ObjectiveOptions& options,
                                                     ThreadPool& pool) {
  return std::make_unique<NextStateObjective>(model, samples, options, pool);
}

}  // namespace mechfit
