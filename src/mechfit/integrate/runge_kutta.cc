#include "mechfit/integrate/runge_kutta.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"

namespace mechfit {
namespace {

struct Coefficients {
  double c, b;
};

std::vector<Coefficients> tableau(Integrator scheme) {
  MECHFIT_CHECK(scheme != Integrator::variational, "not a Runge-Kutta method");
  if (scheme == Integrator::midpoint) return {{0, 0}, {0.5, 1}};
  return {{0, 1.0 / 6}, {0.5, 1.0 / 3}, {0.5, 1.0 / 3}, {1, 1.0 / 6}};
}

// y = x + scale * h * k
void axpy(int n, double scale, const double* h, const double* k, const double* x, double* y) {
  for (int i = 0; i < n; ++i)
    for (int lane = 0; lane < kBlock; ++lane)
      y[i * kBlock + lane] = x[i * kBlock + lane] + scale * h[lane] * k[i * kBlock + lane];
}

void add(const AlignedVector& x, AlignedVector& sum) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += x[i];
}

// All steps of the block of trajectories that starts at `first`.
void roll(const Model& model, const RolloutRequest& request, Integrator scheme, int first,
          Rollout& out) {
  const int n = model.joints(), middle = request.substeps / 2;
  RolloutBlock x(model, request, first, out);
  RungeKuttaWorkspace w(model, scheme);
  AlignedVector q_next = make_panel(n), v_next = make_panel(n), half = make_panel(1);
  x.record(0);
  for (int step = 0; step < request.steps && x.alive; ++step) {
    const Points now{x.q.data(), x.v.data(), x.u.data()};
    LaneMask positive = kAllLanes;
    for (int inner = 0; inner < request.substeps; ++inner) {
      x.start_step(step, inner);
      if (request.midpoints && inner == middle) {
        x.q_mid = x.q;
        x.v_mid = x.v;
        if (request.substeps % 2 == 1) {
          for (int lane = 0; lane < kBlock; ++lane) half[lane] = 0.5 * x.h[lane];
          positive &= runge_kutta_step(model, now, half.data(), x.q_mid.data(), x.v_mid.data(), w);
        }
      }
      positive &= runge_kutta_step(model, now, x.h.data(), q_next.data(), v_next.data(), w);
      for (int lane = 0; lane < kBlock; ++lane) {
        if (!x.living(lane)) continue;
        const bool mass = positive >> lane & 1;
        bool finite = true;
        for (int i = lane; i < n * kBlock; i += kBlock)
          finite = finite && std::isfinite(q_next[i]) && std::isfinite(v_next[i]);
        if (!mass || !finite) {
          x.fail(lane, mass ? StepStatus::not_finite : StepStatus::mass_not_positive, step);
          continue;
        }
        for (int i = lane; i < n * kBlock; i += kBlock) {
          x.q[i] = q_next[i];
          x.v[i] = v_next[i];
        }
      }
    }
    x.kick(step);
    x.record(step + 1);
  }
}

}  // namespace

RungeKuttaWorkspace::RungeKuttaWorkspace(const Model& model, Integrator scheme) : h(make_panel(1)) {
  const int n = model.joints(), m = model.inputs();
  for (const auto& [c, b] : tableau(scheme))
    stages.push_back(
        {c, b, AccelerationWorkspace(model), make_panel(n), make_panel(n), make_panel(n)});
  for (auto* panel : {&kq_bar, &kv_bar, &q_bar, &v_bar, &q_sum, &v_sum, &q_next_bar, &v_next_bar})
    *panel = make_panel(n);
  for (auto* panel : {&u_bar, &u_sum}) *panel = make_panel(m);
  merged.resize(static_cast<std::size_t>(model.merged_size()));
}

LaneMask runge_kutta_step(const Model& model, const Points& x, const double* h, double* q_next,
                          double* v_next, RungeKuttaWorkspace& w) {
  const int n = model.joints();
  const std::size_t size = static_cast<std::size_t>(n) * kBlock;
  std::copy(h, h + kBlock, w.h.data());
  std::copy(x.q, x.q + size, w.q_sum.data());
  std::copy(x.v, x.v + size, w.v_sum.data());
  w.positive = kAllLanes;
  for (std::size_t i = 0; i < w.stages.size(); ++i) {
    auto& stage = w.stages[i];
    // Lanes without a positive definite M go on with a = 0: they stay finite and count as lost.
    const double* kq = i ? w.stages[i - 1].v.data() : x.v;
    const double* kv = i ? w.stages[i - 1].acceleration.a.data() : x.v;
    axpy(n, stage.c, h, kq, x.q, stage.q.data());
    axpy(n, stage.c, h, kv, x.v, stage.v.data());
    w.positive &= acceleration(model, {stage.q.data(), stage.v.data(), x.u}, stage.a.data(),
                               stage.acceleration);
    axpy(n, stage.b, h, stage.v.data(), w.q_sum.data(), w.q_sum.data());
    axpy(n, stage.b, h, stage.acceleration.a.data(), w.v_sum.data(), w.v_sum.data());
  }
  for (int i = 0; i < n; ++i)
    for (int lane = 0; lane < kBlock; ++lane) {
      const bool good = w.positive >> lane & 1;
      q_next[i * kBlock + lane] = good ? w.q_sum[i * kBlock + lane] : kNan;
      v_next[i * kBlock + lane] = good ? w.v_sum[i * kBlock + lane] : kNan;
    }
  return w.positive;
}

void runge_kutta_pullback(const Model& model, const double* q_next_bar, const double* v_next_bar,
                          const Adjoints& adjoints, RungeKuttaWorkspace& w) {
  const std::size_t size = w.q_bar.size();
  for (std::size_t i = 0; i < size; ++i) {
    const bool good = w.positive >> (i % kBlock) & 1;
    w.q_next_bar[i] = good ? q_next_bar[i] : 0;
    w.v_next_bar[i] = good ? v_next_bar[i] : 0;
  }
  w.q_sum = w.q_next_bar;
  w.v_sum = w.v_next_bar;
  std::fill(w.u_sum.begin(), w.u_sum.end(), 0.0);
  std::fill(w.q_bar.begin(), w.q_bar.end(), 0.0);
  std::fill(w.v_bar.begin(), w.v_bar.end(), 0.0);
  double c_next = 0;
  for (std::size_t k = w.stages.size(); k-- > 0;) {
    auto& stage = w.stages[k];
    // k_i enters x_next with h b_i and the state of the next stage with h c_{i+1}.
    for (std::size_t i = 0; i < size; ++i) {
      const double h = w.h[i % kBlock];
      w.kq_bar[i] = h * (stage.b * w.q_next_bar[i] + c_next * w.q_bar[i]);
      w.kv_bar[i] = h * (stage.b * w.v_next_bar[i] + c_next * w.v_bar[i]);
    }
    Adjoints inner;
    inner.theta = adjoints.theta;
    if (adjoints.u) inner.u = w.u_bar.data();
    if (k > 0 || adjoints.q) inner.q = w.q_bar.data();
    if (k > 0 || adjoints.v) inner.v = w.v_bar.data();
    acceleration_pullback(model, w.kv_bar.data(), inner, stage.acceleration);
    add(w.kq_bar, w.v_bar);  // k_i = (v_i, a_i)
    add(w.q_bar, w.q_sum);
    add(w.v_bar, w.v_sum);
    if (adjoints.u) add(w.u_bar, w.u_sum);
    c_next = stage.c;
  }
  if (adjoints.q) std::copy(w.q_sum.begin(), w.q_sum.end(), adjoints.q);
  if (adjoints.v) std::copy(w.v_sum.begin(), w.v_sum.end(), adjoints.v);
  if (adjoints.u) std::copy(w.u_sum.begin(), w.u_sum.end(), adjoints.u);
}

void clear_gradient(const Model& model, RungeKuttaWorkspace& w) {
  for (auto& stage : w.stages) model.clear_gradient(stage.acceleration.model);
}

void add_gradient(const Model& model, RungeKuttaWorkspace& w, std::span<double> merged, bool add) {
  const std::span<double> sum = add ? std::span<double>(w.merged) : merged;
  for (auto& stage : w.stages)
    model.add_gradient(stage.acceleration.model, sum, &stage != &w.stages.front());
  for (std::size_t i = 0; add && i < sum.size(); ++i) merged[i] += sum[i];
}

Rollout runge_kutta_rollout(const Model& model, const RolloutRequest& request, Integrator scheme,
                            ThreadPool& pool) {
  check_request(model, request);
  MECHFIT_CHECK(request.q1.empty(), "a Runge-Kutta method starts from (q0, v0)");
  Rollout out(request, model.joints());
  const int blocks = (request.trajectories + kBlock - 1) / kBlock;
  pool.run(blocks, [&](int task, int) { roll(model, request, scheme, task * kBlock, out); });
  return out;
}

}  // namespace mechfit
