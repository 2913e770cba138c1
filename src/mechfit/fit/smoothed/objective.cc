#include "mechfit/fit/smoothed/objective.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

// panel [width][lanes] from rows index + shift of an array [.][width]; lanes from `count` on repeat
// the first.
void gather(const double* array, int width, const int* index, int count, int shift, int lanes,
            double* panel) {
  for (int lane = 0; lane < lanes; ++lane) {
    const double* row = array + (index[lane < count ? lane : 0] + shift) * width;
    for (int i = 0; i < width; ++i) panel[i * lanes + lane] = row[i];
  }
}

}  // namespace

// Scratch memory of one thread; only what the method needs is made.
struct Objective::Worker {
  std::unique_ptr<DelErrorWorkspace> del;
  std::unique_ptr<AccelerationWorkspace> acceleration;
  std::unique_ptr<RungeKuttaWorkspace> step;
  AlignedVector q1, q2, q3, u1, u2, h1, h2, e, g;  // triples
  AlignedVector q, v, u, h, q_next, v_next, target, target_v;
  int index[kBlock];
};

Objective::Objective(const Model& model, const Samples& samples, ObjectiveOptions options,
                     ThreadPool& pool)
    : samples_(samples), options_(std::move(options)), sums_(pool, model.merged_size()) {
  const int n = samples.n, m = samples.m;
  MECHFIT_CHECK(model.joints() == n && model.inputs() == m);
  if (options_.weights.empty()) options_.weights.assign(n, 1.0);
  if (options_.velocity_weights.empty()) options_.velocity_weights.assign(n, 1.0);
  MECHFIT_CHECK(static_cast<int>(options_.weights.size()) == n);
  const bool on_triples = options_.method == Method::del || options_.method == Method::gauge_free;
  MECHFIT_CHECK(on_triples || !samples.v.empty(), "this method needs velocities and accelerations");
  if (options_.method == Method::acceleration) {
    all_.resize(samples.size);
    std::iota(all_.begin(), all_.end(), 0);
  }
  items_ = options_.method == Method::acceleration ? &all_
           : on_triples                            ? &samples.triples
                                                   : &samples.pairs;
  MECHFIT_CHECK(!items_->empty(), "no items to fit");
  for (int i = 0; i < pool.size(); ++i) {
    auto worker = std::make_unique<Worker>();
    if (on_triples) {
      worker->del = std::make_unique<DelErrorWorkspace>(model);
      for (auto* panel : {&worker->q1, &worker->q2, &worker->q3, &worker->e, &worker->g})
        *panel = make_panel(n);
      for (auto* panel : {&worker->u1, &worker->u2}) *panel = make_panel(m);
      for (auto* panel : {&worker->h1, &worker->h2}) *panel = make_panel(1);
    } else {
      if (options_.method == Method::acceleration)
        worker->acceleration = std::make_unique<AccelerationWorkspace>(model);
      else
        worker->step = std::make_unique<RungeKuttaWorkspace>(model, options_.integrator);
      for (auto* panel : {&worker->q, &worker->v, &worker->q_next, &worker->v_next, &worker->target,
                          &worker->target_v})
        *panel = make_panel(n);
      worker->u = make_panel(m);
      worker->h = make_panel(1);
    }
    workers_.push_back(std::move(worker));
  }
}

Objective::~Objective() = default;

int Objective::items_per_block() const { return workers_[0]->del ? kTriples : kBlock; }

double Objective::operator()(const Model& model, std::span<const int> items,
                             std::span<double> gradient) {
  ChunkSums::run({&prepare(model, items, !gradient.empty())});
  return finish(gradient);
}

ChunkSums& Objective::prepare(const Model& model, std::span<const int> items, bool gradient) {
  MECHFIT_CHECK(!items.empty());
  model_ = &model;
  chosen_ = items;
  const int lanes = items_per_block();
  const int blocks = (static_cast<int>(items.size()) + lanes - 1) / lanes;
  sums_.prepare([this](auto... x) { return sum(x...); }, blocks, kBlocksPerChunk, gradient);
  return sums_;
}

double Objective::finish(std::span<double> gradient) {
  if (!gradient.empty()) model_->expand_gradient(sums_.gradient(), gradient);
  return sums_.value();
}

double Objective::all(const Model& model) {
  if (all_.empty()) {
    all_.resize(items_->size());
    std::iota(all_.begin(), all_.end(), 0);
  }
  return (*this)(model, all_, {});
}

double Objective::sum(int begin, int end, int worker, std::span<double> gradient, bool add) {
  Worker& w = *workers_[worker];
  const Model& model = *model_;
  const bool wants_gradient = !gradient.empty();
  auto* workspace = w.del ? &w.del->del.model : w.acceleration ? &w.acceleration->model : nullptr;
  if (wants_gradient && workspace) model.clear_gradient(*workspace);
  if (wants_gradient && w.step) clear_gradient(model, *w.step);
  const int lanes = items_per_block(), size = static_cast<int>(chosen_.size());
  const double scale = 1.0 / size;
  double loss = 0.0;
  for (int first = begin * lanes; first < std::min(end * lanes, size); first += lanes) {
    const int count = std::min(lanes, size - first);
    for (int lane = 0; lane < count; ++lane) w.index[lane] = (*items_)[chosen_[first + lane]];
    loss += w.del ? del_block(model, w.index, count, scale, wants_gradient, w)
                  : point_block(model, w.index, count, scale, wants_gradient, w);
  }
  if (wants_gradient && workspace) model.add_gradient(*workspace, gradient, add);
  if (wants_gradient && w.step) add_gradient(model, *w.step, gradient, add);
  return loss;
}

double Objective::del_block(const Model& model, const int* items, int count, double scale,
                            bool gradient, Worker& w) const {
  const int n = samples_.n, m = samples_.m;
  for (int lane = 0; lane < kTriples; ++lane) {  // the three rows of a triple follow each other
    const int item = items[lane < count ? lane : 0];
    const double* q = samples_.q.data() + static_cast<std::ptrdiff_t>(item) * n;
    for (int i = 0; i < n; ++i) {
      w.q1[i * kTriples + lane] = q[i];
      w.q2[i * kTriples + lane] = q[n + i];
      w.q3[i * kTriples + lane] = q[2 * n + i];
    }
    w.h1[lane] = samples_.h[item];
    w.h2[lane] = samples_.h[item + 1];
  }
  if (m > 0) {
    gather(samples_.u_step.data(), m, items, count, 0, kTriples, w.u1.data());
    gather(samples_.u_step.data(), m, items, count, 1, kTriples, w.u2.data());
  }
  const Triples x{w.q1.data(),
                  w.q2.data(),
                  w.q3.data(),
                  w.h1.data(),
                  w.h2.data(),
                  m > 0 ? w.u1.data() : nullptr,
                  m > 0 ? w.u2.data() : nullptr};
  const bool gauge_free = options_.method == Method::gauge_free;
  if (gauge_free)
    del_error(model, x, w.e.data(), *w.del);
  else
    del_residual(model, x, w.e.data(), w.del->del);
  double inverse_h[kTriples] = {};  // 0 in lanes that do not count
  for (int lane = 0; lane < count; ++lane)
    inverse_h[lane] = gauge_free ? 1.0 : 2.0 / (w.h1[lane] + w.h2[lane]);
  double losses[kTriples] = {};
  for (int i = 0; i < n; ++i) {
    const double weight = options_.weights[i] * scale / (gauge_free ? n : 1);
    const double* residual = &w.e[i * kTriples];
    double* g = &w.g[i * kTriples];
    for (int lane = 0; lane < kTriples; ++lane) {
      const double e = residual[lane] * inverse_h[lane];
      losses[lane] += weight * e * e;
      g[lane] = 2.0 * weight * e * inverse_h[lane];
    }
  }
  const double loss = std::accumulate(losses, losses + kTriples, 0.0);
  if (!gradient) return loss;
  TripleAdjoints adjoints;
  adjoints.theta = true;
  if (gauge_free)
    del_error_pullback(model, w.g.data(), adjoints, *w.del);
  else
    del_pullback(model, w.g.data(), adjoints, w.del->del);
  return loss;
}

double Objective::point_block(const Model& model, const int* items, int count, double scale,
                              bool gradient, Worker& w) const {
  const int n = samples_.n, m = samples_.m;
  const bool step = w.step != nullptr;
  gather(samples_.q.data(), n, items, count, 0, kBlock, w.q.data());
  gather(samples_.v.data(), n, items, count, 0, kBlock, w.v.data());
  if (m > 0)
    gather((step ? samples_.u_step : samples_.u_point).data(), m, items, count, 0, kBlock,
           w.u.data());
  const Points x{w.q.data(), w.v.data(), m > 0 ? w.u.data() : nullptr};
  LaneMask positive;
  if (step) {
    gather(samples_.h.data(), 1, items, count, 0, kBlock, w.h.data());
    gather(samples_.q.data(), n, items, count, 1, kBlock, w.target.data());
    gather(samples_.v.data(), n, items, count, 1, kBlock, w.target_v.data());
    positive = runge_kutta_step(model, x, w.h.data(), w.q_next.data(), w.v_next.data(), *w.step);
  } else {
    gather(samples_.a.data(), n, items, count, 0, kBlock, w.target.data());
    positive = acceleration(model, x, w.q_next.data(), *w.acceleration);
  }
  const LaneMask wanted = (LaneMask{1} << count) - 1;
  if ((positive & wanted) != wanted) return std::numeric_limits<double>::infinity();
  double loss = 0.0;
  // Turns a prediction into the gradient of its squared error.
  auto compare = [&](double weight, const double* target, double* predicted) {
    for (int lane = 0; lane < kBlock; ++lane) {
      const double e = lane < count ? predicted[lane] - target[lane] : 0.0;
      loss += weight * e * e;
      predicted[lane] = 2.0 * weight * e;
    }
  };
  const double share = scale / (step ? 2 * n : n);
  for (int i = 0; i < n; ++i) {
    compare(options_.weights[i] * share, &w.target[i * kBlock], &w.q_next[i * kBlock]);
    if (step)
      compare(options_.velocity_weights[i] * share, &w.target_v[i * kBlock], &w.v_next[i * kBlock]);
  }
  if (!gradient) return loss;
  Adjoints adjoints;
  adjoints.theta = true;
  if (step)
    runge_kutta_pullback(model, w.q_next.data(), w.v_next.data(), adjoints, *w.step);
  else
    acceleration_pullback(model, w.q_next.data(), adjoints, *w.acceleration);
  return loss;
}

}  // namespace mechfit
