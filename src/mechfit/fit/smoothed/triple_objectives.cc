#include <numeric>

#include "mechfit/base/error.h"
#include "mechfit/fit/smoothed/objectives.h"
#include "mechfit/mechanics/discrete_error.h"

// Objectives on triples of samples, by the discrete Euler-Lagrange residual r:
//   del          sum_j w_j (r_j / h)^2
//   gauge free   mean_j w_j e_j^2,  e = Mbar^-1 r / h
namespace mechfit {
namespace {

class TripleObjective : public Objective {
 public:
  TripleObjective(const Model& model, const Samples& samples, const ObjectiveOptions& options,
                  ThreadPool& pool)
      : Objective(model, samples, samples.triples, kTriples, pool), weights_(options.weights) {
    const int n = samples.n, m = samples.m;
    for (int i = 0; i < pool.size(); ++i) {
      auto w = std::make_unique<Worker>(model);
      for (auto* panel : {&w->q1, &w->q2, &w->q3, &w->e, &w->g}) *panel = make_panel(n);
      for (auto* panel : {&w->u1, &w->u2}) *panel = make_panel(m);
      for (auto* panel : {&w->h1, &w->h2}) *panel = make_panel(1);
      workers_.push_back(std::move(w));
    }
  }

 protected:
  struct Worker {  // scratch memory of one thread
    explicit Worker(const Model& model) : del(model) {}
    DelErrorWorkspace del;
    AlignedVector q1, q2, q3, u1, u2, h1, h2, e, g;
  };
  Worker& worker(int i) { return *workers_[i]; }

  Triples load(const int* items, int count, Worker& w) const {
    const int n = samples().n, m = samples().m;
    for (int lane = 0; lane < kTriples; ++lane) {  // the three rows of a triple follow each other
      const int item = items[lane < count ? lane : 0];
      const double* q = samples().q.data() + static_cast<std::ptrdiff_t>(item) * n;
      for (int i = 0; i < n; ++i) {
        w.q1[i * kTriples + lane] = q[i];
        w.q2[i * kTriples + lane] = q[n + i];
        w.q3[i * kTriples + lane] = q[2 * n + i];
      }
      w.h1[lane] = samples().h[item];
      w.h2[lane] = samples().h[item + 1];
    }
    if (m > 0) {
      gather(samples().u_step.data(), m, items, count, 0, kTriples, w.u1.data());
      gather(samples().u_step.data(), m, items, count, 1, kTriples, w.u2.data());
    }
    return {w.q1.data(),
            w.q2.data(),
            w.q3.data(),
            w.h1.data(),
            w.h2.data(),
            m > 0 ? w.u1.data() : nullptr,
            m > 0 ? w.u2.data() : nullptr};
  }

  // scale / parts sum_j w_j (e_j unit)^2 over the lanes, unit 0 in those that do not count; leaves
  // its gradient to e in w.g.
  double squares(const double* unit, double scale, int parts, Worker& w) const {
    double losses[kTriples] = {};
    for (int i = 0; i < samples().n; ++i) {
      const double weight = weights_[i] * scale / parts;
      const double* residual = &w.e[i * kTriples];
      double* g = &w.g[i * kTriples];
      for (int lane = 0; lane < kTriples; ++lane) {
        const double e = residual[lane] * unit[lane];
        losses[lane] += weight * e * e;
        g[lane] = 2.0 * weight * e * unit[lane];
      }
    }
    return std::accumulate(losses, losses + kTriples, 0.0);
  }

  void clear_gradient(const Model& model, int i) override {
    model.clear_gradient(worker(i).del.del.model);
  }
  void add_gradient(const Model& model, int i, std::span<double> gradient, bool add) override {
    model.add_gradient(worker(i).del.del.model, gradient, add);
  }

 private:
  std::vector<double> weights_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

class DelObjective final : public TripleObjective {
 public:
  using TripleObjective::TripleObjective;

 private:
  double block(const Model& model, const int* items, int count, double scale, bool gradient,
               int i) override {
    Worker& w = worker(i);
    del_residual(model, load(items, count, w), w.e.data(), w.del.del);
    double unit[kTriples] = {};
    for (int lane = 0; lane < count; ++lane) unit[lane] = 2.0 / (w.h1[lane] + w.h2[lane]);
    const double loss = squares(unit, scale, 1, w);
    TripleAdjoints adjoints;
    adjoints.theta = true;
    if (gradient) del_pullback(model, w.g.data(), adjoints, w.del.del);
    return loss;
  }
};

class GaugeFreeObjective final : public TripleObjective {
 public:
  using TripleObjective::TripleObjective;

 private:
  double block(const Model& model, const int* items, int count, double scale, bool gradient,
               int i) override {
    Worker& w = worker(i);
    del_error(model, load(items, count, w), w.e.data(), w.del);
    double unit[kTriples] = {};
    for (int lane = 0; lane < count; ++lane) unit[lane] = 1.0;
    const double loss = squares(unit, scale, samples().n, w);
    TripleAdjoints adjoints;
    adjoints.theta = true;
    if (gradient) del_error_pullback(model, w.g.data(), adjoints, w.del);
    return loss;
  }
};

}  // namespace

std::unique_ptr<Objective> make_del_objective(const Model& model, const Samples& samples,
                                              const ObjectiveOptions& options, ThreadPool& pool) {
  return std::make_unique<DelObjective>(model, samples, options, pool);
}

std::unique_ptr<Objective> make_gauge_free_objective(const Model& model, const Samples& samples,
                                                     const ObjectiveOptions& options,
                                                     ThreadPool& pool) {
  return std::make_unique<GaugeFreeObjective>(model, samples, options, pool);
}

}  // namespace mechfit
