#include "mechfit/integrate/runge_kutta.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"
#include "mechfit/integrate/step_control.h"

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
class Roller {
 public:
  Roller(const Model& model, const RolloutRequest& request, Integrator scheme, int first,
         Rollout& out)
      : model_(model),
        request_(request),
        x_(model, request, first, out),
        w_(model, scheme),
        inner_(model, request, scheme),
        n_(model.joints()) {
    for (auto* panel : {&q_next_, &v_next_, &q_, &v_, &bend_}) *panel = make_panel(n_);
    for (auto* panel : {&half_, &length_}) *panel = make_panel(1);
  }

  void run() {
    x_.record(0);
    for (int step = 0; step < request_.steps && x_.alive; ++step) {
      if (request_.control.tolerance > 0)
        take_controlled_step(step);
      else
        take_step(step);
      x_.kick(step);
      x_.record(step + 1);
    }
  }

 private:
  void take_step(int step) {
    for (int inner = 0; inner < request_.substeps; ++inner) {
      x_.start_step(step, inner);
      const int middle = request_.substeps / 2;
      LaneMask positive = kAllLanes;
      if (request_.midpoints && inner == middle)
        positive = keep_middle(kAllLanes, request_.substeps % 2 == 1);
      positive &= advance();
      for (int lane = 0; lane < kBlock; ++lane)
        if (x_.living(lane) && !settle(lane, positive)) x_.fail(lane, status_[lane], step);
    }
  }

  // A recorded step in as many inner ones as each lane needs (step_control.h).
  void take_controlled_step(int step) {
    q_ = x_.q;
    v_ = x_.v;
    for (int lane = 0; lane < kBlock; ++lane) {
      x_.start_part(lane, step, 0, 1);
      length_[lane] = x_.h[lane];
      inner_.begin(lane, length_[lane]);
      inner_.saw_speed(lane, x_.v.data());
    }
    for (LaneMask open = x_.alive; open;) {
      LaneMask going = open;
      for (int i = 0; i < n_ * kBlock; ++i)
        if (open >> (i % kBlock) & 1) {
          x_.q[i] = q_[i];
          x_.v[i] = v_[i];
        }
      for (int inner = 0; going; ++inner) going = take_inner_step(step, inner, going);
      for (int lane = 0; lane < kBlock; ++lane) {
        if (!(open >> lane & 1)) continue;
        const bool done = status_[lane] == StepStatus::ok;
        if ((!done || !inner_.good(lane)) && inner_.begin_again(lane, length_[lane])) continue;
        open &= ~(LaneMask{1} << lane);
        if (!done) x_.fail(lane, status_[lane], step);
      }
    }
  }

  // Inner step number `inner` of the lanes `going`; returns those that have another one to go.
  LaneMask take_inner_step(int step, int inner, LaneMask going) {
    LaneMask even = 0, odd = 0, positive = kAllLanes;
    for (int lane = 0; lane < kBlock; ++lane) {
      if (!(going >> lane & 1)) continue;
      const int parts = inner_.parts(lane);
      x_.start_part(lane, step, inner, parts);
      if (inner == parts / 2) (parts % 2 == 1 ? odd : even) |= LaneMask{1} << lane;
    }
    if (request_.midpoints && even) positive &= keep_middle(even, false);
    if (request_.midpoints && odd) positive &= keep_middle(odd, true) | ~odd;
    positive &= advance();
    // h^2 v'' = 2 h (a2 - a1) by the first two stages
    for (int i = 0; i < n_ * kBlock; ++i)
      bend_[i] =
          2 * x_.h[i % kBlock] * (w_.stages[1].acceleration.a[i] - w_.stages[0].acceleration.a[i]);
    for (int lane = 0; lane < kBlock; ++lane) {
      const LaneMask bit = LaneMask{1} << lane;
      if (!(going & bit)) continue;
      if (settle(lane, positive)) {
        inner_.saw_bend(lane, inner_.relative(lane, v_next_.data(), bend_.data()));
        if (inner + 1 == inner_.parts(lane)) going &= ~bit;
      } else {
        inner_.failed(lane);
        going &= ~bit;
      }
    }
    return going;
  }

  LaneMask advance() {
    return runge_kutta_step(model_, {x_.q.data(), x_.v.data(), x_.u.data()}, x_.h.data(),
                            q_next_.data(), v_next_.data(), w_);
  }

  // The state now, or half a step on, as the middle of the recorded step.
  LaneMask keep_middle(LaneMask lanes, bool half_a_step) {
    LaneMask positive = kAllLanes;
    if (half_a_step) {
      for (int lane = 0; lane < kBlock; ++lane) half_[lane] = 0.5 * x_.h[lane];
      positive = runge_kutta_step(model_, {x_.q.data(), x_.v.data(), x_.u.data()}, half_.data(),
                                  q_next_.data(), v_next_.data(), w_);
    }
    const AlignedVector &q = half_a_step ? q_next_ : x_.q, &v = half_a_step ? v_next_ : x_.v;
    for (int i = 0; i < n_ * kBlock; ++i)
      if (lanes >> (i % kBlock) & 1) {
        x_.q_mid[i] = q[i];
        x_.v_mid[i] = v[i];
      }
    return positive;
  }

  // Takes the step of a lane over, if it is one.
  bool settle(int lane, LaneMask positive) {
    bool finite = true;
    for (int i = lane; i < n_ * kBlock; i += kBlock)
      finite = finite && std::isfinite(q_next_[i]) && std::isfinite(v_next_[i]);
    status_[lane] = !(positive >> lane & 1) ? StepStatus::mass_not_positive
                    : finite                ? StepStatus::ok
                                            : StepStatus::not_finite;
    if (status_[lane] != StepStatus::ok) return false;
    for (int i = lane; i < n_ * kBlock; i += kBlock) {
      x_.q[i] = q_next_[i];
      x_.v[i] = v_next_[i];
    }
    return true;
  }

  const Model& model_;
  const RolloutRequest& request_;
  RolloutBlock x_;
  RungeKuttaWorkspace w_;
  InnerSteps inner_;
  int n_;
  AlignedVector q_next_, v_next_, bend_;  // [n][kBlock]
  AlignedVector q_, v_;                   // at the start of the recorded step [n][kBlock]
  AlignedVector half_, length_;           // half an inner step, the recorded one [kBlock]
  std::array<StepStatus, kBlock> status_{};
};

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
  pool.run(blocks,
           [&](int task, int) { Roller(model, request, scheme, task * kBlock, out).run(); });
  return out;
}

}  // namespace mechfit
