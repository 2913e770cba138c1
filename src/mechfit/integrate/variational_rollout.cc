#include <array>
#include <cmath>
#include <utility>

#include "mechfit/integrate/variational.h"
#include "mechfit/mechanics/lanes.h"

namespace mechfit {
namespace {

// A block of trajectories in position-momentum form.
class Stepper {
 public:
  Stepper(const Model& model, const RolloutRequest& request, int first, Rollout& out)
      : model_(model),
        request_(request),
        x_(model, request, first, out),
        w_(model),
        n_(model.joints()),
        size_(n_ * kBlock),
        mass_(make_panel(n_ * n_)),
        h_last_(make_panel(1)) {
    for (auto* panel : {&momentum_, &q_next_, &momentum_next_, &vm_, &vm_next_, &rate_})
      *panel = make_panel(n_);
  }

  void run() {
    if (request_.q1.empty()) start_from_velocity();
    for (int step = 0; step < request_.steps && x_.alive; ++step) {
      for (int inner = 0; inner < request_.substeps; ++inner) {
        x_.start_step(step, inner);
        if (request_.midpoints && request_.substeps % 2 == 0 && inner == request_.substeps / 2) {
          x_.q_mid = x_.q;
          node_velocity(x_.v_mid, step);
        }
        if (step == 0 && inner == 0 && !request_.q1.empty())
          take_given_step();
        else
          take_step(step);
        if (request_.midpoints && request_.substeps % 2 == 1 && inner == request_.substeps / 2)
          for (int i = 0; i < size_; ++i) {
            x_.q_mid[i] = 0.5 * (x_.q[i] + q_next_[i]);
            x_.v_mid[i] = vm_[i];
          }
        std::swap(x_.q, q_next_);
        std::swap(momentum_, momentum_next_);
      }
      node_velocity(x_.v, step);
      x_.record(step + 1);
    }
  }

 private:
  // P = M(q0) v0
  void start_from_velocity() {
    DelWorkspace& b = w_.block;
    model_.forces({x_.q.data(), x_.v.data(), b.u.data()}, momentum_.data(), b.f.data(), b.model);
    vm_ = x_.v;
    x_.record(0);
  }

  // The step from q0 to the given q1; its P- is the momentum at q0.
  void take_given_step() {
    DelWorkspace& b = w_.block;
    for (int lane = 0; lane < kBlock; ++lane)
      for (int i = 0; i < n_; ++i)
        q_next_[i * kBlock + lane] = request_.q1[x_.index(lane) * n_ + i];
    for (int i = 0; i < size_; ++i) {
      b.q[i] = 0.5 * (x_.q[i] + q_next_[i]);
      vm_[i] = (q_next_[i] - x_.q[i]) / x_.h[i % kBlock];
    }
    model_.forces({b.q.data(), vm_.data(), x_.u.data()}, b.p.data(), b.f.data(), b.model);
    for (int i = 0; i < size_; ++i) {
      momentum_[i] = b.p[i] - 0.5 * x_.h[i % kBlock] * b.f[i];
      momentum_next_[i] = b.p[i] + 0.5 * x_.h[i % kBlock] * b.f[i];
    }
    h_last_ = x_.h;
    node_velocity(x_.v, 0);
    x_.record(0);
  }

  // Warm start: the velocity of the next midpoint is extrapolated from those before.
  void take_step(int step) {
    for (int i = 0; i < size_; ++i) {
      const int lane = i % kBlock;
      vm_next_[i] = vm_[i] + 0.5 * (h_last_[lane] + x_.h[lane]) * rate_[i];
    }
    variational_step(model_, x_.q.data(), momentum_.data(), x_.u.data(), x_.h.data(), x_.alive,
                     vm_next_.data(), q_next_.data(), momentum_next_.data(), status_, w_);
    for (int lane = 0; lane < kBlock; ++lane) {
      if (x_.living(lane)) settle(lane, step);
      if (x_.living(lane)) {
        for (int i = lane; i < size_; i += kBlock) {
          rate_[i] = (vm_next_[i] - vm_[i]) / (0.5 * (h_last_[lane] + x_.h[lane]));
          vm_[i] = vm_next_[i];
        }
      } else {  // frozen
        for (int i = lane; i < size_; i += kBlock) {
          q_next_[i] = x_.q[i];
          momentum_next_[i] = momentum_[i];
        }
      }
    }
    h_last_ = x_.h;
  }

  void settle(int lane, int step) {
    if (status_[lane] != StepStatus::ok) return x_.fail(lane, status_[lane], step);
    for (int i = lane; i < size_; i += kBlock)
      if (!std::isfinite(q_next_[i]) || !std::isfinite(momentum_next_[i]))
        return x_.fail(lane, StepStatus::not_finite, step);
  }

  // v = M(q)^-1 P at the present samples
  void node_velocity(AlignedVector& v, int step) {
    model_.mass(x_.q.data(), mass_.data(), w_.block.model);
    model_.factor(mass_.data(), w_.block.model);
    for (int lane = 0; lane < kBlock; ++lane)
      if (x_.living(lane) && !(mass_[(n_ * n_ - 1) * kBlock + lane] > 0))
        x_.fail(lane, StepStatus::mass_not_positive, step);
    solve(n_, mass_.data(), momentum_.data(), v.data());
  }

  const Model& model_;
  const RolloutRequest& request_;
  RolloutBlock x_;
  VariationalWorkspace w_;
  int n_, size_;
  AlignedVector mass_;                      // [n*n][kBlock]
  AlignedVector h_last_;                    // [1][kBlock]
  AlignedVector momentum_, momentum_next_;  // [n][kBlock]
  AlignedVector q_next_, vm_, vm_next_, rate_;
  std::array<StepStatus, kBlock> status_{};
};

}  // namespace

Rollout variational_rollout(const Model& model, const RolloutRequest& request, ThreadPool& pool) {
  check_request(model, request);
  Rollout out(request, model.joints());
  const int blocks = (request.trajectories + kBlock - 1) / kBlock;
  pool.run(blocks, [&](int task, int) { Stepper(model, request, task * kBlock, out).run(); });
  return out;
}

}  // namespace mechfit
