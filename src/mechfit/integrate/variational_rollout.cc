#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "mechfit/integrate/step_control.h"
#include "mechfit/integrate/variational.h"
#include "mechfit/integrate/variational_point.h"
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
        h_last_(make_panel(1)),
        inner_(model, request, Integrator::variational) {
    for (auto* panel :
         {&momentum_, &q_next_, &momentum_next_, &vm_, &vm_next_, &rate_, &guess_, &bend_})
      *panel = make_panel(n_);
    if (request.control.tolerance > 0) acceleration_.emplace(model);
    point_.emplace(model);
    if (!point_->quick()) point_.reset();
    for (auto* x : {&at_.q, &at_.momentum, &at_.v, &at_.q_next, &at_.momentum_next}) x->resize(n_);
    at_.u.resize(model.inputs());
  }

  void run() {
    if (request_.q1.empty()) start_from_velocity();
    for (int step = 0; step < request_.steps && x_.alive; ++step) {
      if (request_.control.tolerance > 0) {
        take_controlled_step(step);
        node_velocity(x_.v, step);
        x_.record(step + 1);
        continue;
      }
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
    if (request_.control.tolerance == 0) return;
    for (int lane = 0; lane < kBlock && request_.steps > 0; ++lane) x_.start_part(lane, 0, 0, 1);
    (void)acceleration(model_, {x_.q.data(), x_.v.data(), x_.u.data()}, rate_.data(),
                       *acceleration_);
    for (double& a : rate_)
      if (!std::isfinite(a)) a = 0;  // the first step will say what is wrong
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

  // From vm_next_, a guess, to the end of a step. Whatever the other lanes do a trajectory takes
  // the same way, so that it has the same bits alone and among others.
  void solve_step(LaneMask lanes) {
    if (!point_) {
      variational_step(model_, x_.q.data(), momentum_.data(), x_.u.data(), x_.h.data(), lanes,
                       vm_next_.data(), q_next_.data(), momentum_next_.data(), status_, w_);
      return;
    }
    for (int lane = 0; lane < kBlock; ++lane) {
      if (!(lanes >> lane & 1)) continue;
      load(lane);
      for (int i = 0; i < n_; ++i) at_.v[i] = vm_next_[i * kBlock + lane];
      status_[lane] = point_->step(at_.q, at_.momentum, at_.u, x_.h[lane], at_.v, at_.q_next,
                                   at_.momentum_next);
      if (status_[lane] != StepStatus::ok) continue;
      for (int i = 0; i < n_; ++i) {
        vm_next_[i * kBlock + lane] = at_.v[i];
        q_next_[i * kBlock + lane] = at_.q_next[i];
        momentum_next_[i * kBlock + lane] = at_.momentum_next[i];
      }
    }
  }
  // A lane's state.
  void load(int lane) {
    for (int i = 0; i < n_; ++i) {
      at_.q[i] = x_.q[i * kBlock + lane];
      at_.momentum[i] = momentum_[i * kBlock + lane];
    }
    for (int i = 0; i < model_.inputs(); ++i) at_.u[i] = x_.u[i * kBlock + lane];
  }

  // Warm start: the velocity of the next midpoint is extrapolated from those before.
  void take_step(int step) {
    for (int i = 0; i < size_; ++i) {
      const int lane = i % kBlock;
      vm_next_[i] = vm_[i] + 0.5 * (h_last_[lane] + x_.h[lane]) * rate_[i];
    }
    solve_step(x_.alive);
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

  // A recorded step in as many inner ones as each lane needs (step_control.h).
  void take_controlled_step(int step) {
    begin_.q = x_.q;  // no braces: the arrays keep their memory
    begin_.momentum = momentum_;
    begin_.vm = vm_;
    begin_.rate = rate_;
    begin_.h_last = h_last_;
    for (int lane = 0; lane < kBlock; ++lane) {
      x_.start_part(lane, step, 0, 1);
      begin_.length[lane] = x_.h[lane];
      inner_.begin(lane, begin_.length[lane]);
      inner_.saw_speed(lane, x_.v.data());
    }
    for (LaneMask open = x_.alive; open;) {
      int most = 0;
      for (int lane = 0; lane < kBlock; ++lane) {
        if (!(open >> lane & 1)) continue;
        most = std::max(most, inner_.parts(lane));
        for (int i = lane; i < size_; i += kBlock) {
          x_.q[i] = begin_.q[i];
          momentum_[i] = begin_.momentum[i];
          vm_[i] = begin_.vm[i];
          rate_[i] = begin_.rate[i];
        }
        h_last_[lane] = begin_.h_last[lane];
      }
      LaneMask going = open;
      for (int inner = 0; inner < most; ++inner) {
        for (int lane = 0; lane < kBlock; ++lane)
          if (inner >= inner_.parts(lane)) going &= ~(LaneMask{1} << lane);
        going &= take_inner_step(step, inner, going);
      }
      for (int lane = 0; lane < kBlock; ++lane) {
        const LaneMask bit = LaneMask{1} << lane;
        if (!(open & bit)) continue;
        const bool done = status_[lane] == StepStatus::ok;
        if ((done && inner_.good(lane)) || !inner_.begin_again(lane, begin_.length[lane])) {
          open &= ~bit;
          if (!done) x_.fail(lane, status_[lane], step);
        }
      }
    }
    for (int lane = 0; lane < kBlock; ++lane) {
      inner_.saw_speed(lane, vm_.data());
      rate_at_midpoint_[lane] = inner_.parts(lane) == 1;
    }
  }

  // Inner step number `inner` of the lanes `going`; returns those that it brought further.
  LaneMask take_inner_step(int step, int inner, LaneMask going) {
    for (int lane = 0; lane < kBlock; ++lane) {
      if (!(going >> lane & 1)) continue;
      x_.start_part(lane, step, inner, inner_.parts(lane));
      for (int i = lane; i < size_; i += kBlock)
        guess_[i] = vm_next_[i] = vm_[i] + 0.5 * (h_last_[lane] + x_.h[lane]) * rate_[i];
    }
    if (!going) return going;
    if (request_.midpoints) keep_middle_nodes(inner, going);
    solve_step(going);
    for (int lane = 0; lane < kBlock; ++lane) {
      if (!(going >> lane & 1)) continue;
      bool finite = true;
      for (int i = lane; i < size_; i += kBlock)
        finite = finite && std::isfinite(q_next_[i]) && std::isfinite(momentum_next_[i]);
      if (status_[lane] == StepStatus::ok && !finite) status_[lane] = StepStatus::not_finite;
      if (status_[lane] == StepStatus::ok) continue;
      going &= ~(LaneMask{1} << lane);
      inner_.failed(lane);
    }
    judge(inner, going);
    for (int lane = 0; lane < kBlock; ++lane) {
      if (!(going >> lane & 1)) continue;
      const bool middle = request_.midpoints && 2 * inner + 1 == inner_.parts(lane);
      for (int i = lane; i < size_; i += kBlock) {
        if (middle) {
          x_.q_mid[i] = 0.5 * (x_.q[i] + q_next_[i]);
          x_.v_mid[i] = vm_next_[i];
        }
        // The first rate of a recorded step is that at its first midpoint, whatever the input was
        // before; others are those at the nodes between two midpoints.
        rate_[i] = (vm_next_[i] - (inner == 0 ? x_.v[i] : vm_[i])) /
                   (inner == 0 ? 0.5 * x_.h[lane] : x_.h[lane]);
        vm_[i] = vm_next_[i];
        x_.q[i] = q_next_[i];
        momentum_[i] = momentum_next_[i];
      }
      h_last_[lane] = x_.h[lane];
    }
    return going;
  }

  // h^2 v'' of an inner step: twice what the velocity is away from its extrapolation, over the
  // distances of the points that this rests on. After a jump of the input the extrapolation is
  // wrong at any step; then the acceleration at the node before says what it should have been:
  //   v(h/2) - v(0) - (h/2) a(0) = h^2 v'' / 8, and about twice that by the midpoint rule
  void judge(int inner, LaneMask going) {
    LaneMask doubtful = 0;
    for (int lane = 0; lane < kBlock; ++lane) {
      if (!(going >> lane & 1)) continue;
      const double h = x_.h[lane], ahead = 0.5 * (h + h_last_[lane]);
      const bool from_midpoint = inner == 1 || (inner == 0 && rate_at_midpoint_[lane]);
      const double span = from_midpoint ? ahead : ahead + h_last_[lane];
      for (int i = lane; i < size_; i += kBlock)
        bend_[i] = 2 * h * h * (vm_next_[i] - guess_[i]) / (ahead * span);
      const double bend = inner_.relative(lane, vm_next_.data(), bend_.data());
      if (inner == 0 && !inner_.good(bend))
        doubtful |= LaneMask{1} << lane;
      else
        inner_.saw_bend(lane, bend);
    }
    if (!doubtful) return;
    (void)acceleration(model_, {x_.q.data(), x_.v.data(), x_.u.data()}, bend_.data(),
                       *acceleration_);  // NaN, an infinite bend, where M is not positive definite
    for (int lane = 0; lane < kBlock; ++lane) {
      if (!(doubtful >> lane & 1)) continue;
      for (int i = lane; i < size_; i += kBlock)
        bend_[i] = 4 * (vm_next_[i] - x_.v[i] - 0.5 * x_.h[lane] * bend_[i]);
      inner_.saw_bend(lane, inner_.relative(lane, vm_next_.data(), bend_.data()));
    }
  }

  // Nodes in the middle of a recorded step with an even number of inner ones.
  void keep_middle_nodes(int inner, LaneMask going) {
    LaneMask there = 0;
    for (int lane = 0; lane < kBlock; ++lane)
      if ((going >> lane & 1) && inner > 0 && 2 * inner == inner_.parts(lane))
        there |= LaneMask{1} << lane;
    if (!there) return;
    model_.mass(x_.q.data(), mass_.data(), w_.block.model);
    model_.factor(mass_.data(), w_.block.model);
    solve(n_, mass_.data(), momentum_.data(), bend_.data());
    for (int i = 0; i < size_; ++i)
      if (there >> (i % kBlock) & 1) {
        x_.q_mid[i] = x_.q[i];
        x_.v_mid[i] = bend_[i];
      }
  }

  void settle(int lane, int step) {
    if (status_[lane] != StepStatus::ok) return x_.fail(lane, status_[lane], step);
    for (int i = lane; i < size_; i += kBlock)
      if (!std::isfinite(q_next_[i]) || !std::isfinite(momentum_next_[i]))
        return x_.fail(lane, StepStatus::not_finite, step);
  }

  // v = M(q)^-1 P at the present samples
  void node_velocity(AlignedVector& v, int step) {
    for (int lane = 0; point_ && lane < kBlock; ++lane) {
      if (!x_.living(lane)) continue;
      load(lane);
      if (point_->velocity(at_.q, at_.momentum, at_.v))
        for (int i = 0; i < n_; ++i) v[i * kBlock + lane] = at_.v[i];
      else
        x_.fail(lane, StepStatus::mass_not_positive, step);
    }
    if (point_) return;
    model_.mass(x_.q.data(), mass_.data(), w_.block.model);
    model_.factor(mass_.data(), w_.block.model);
    for (int lane = 0; lane < kBlock; ++lane)
      if (x_.living(lane) && !(mass_[(n_ * n_ - 1) * kBlock + lane] > 0))
        x_.fail(lane, StepStatus::mass_not_positive, step);
    solve(n_, mass_.data(), momentum_.data(), v.data());
  }

  // Where a recorded step began, to begin again; its length.
  struct Begin {
    AlignedVector q, momentum, vm, rate, h_last, length = make_panel(1);
  };

  const Model& model_;
  const RolloutRequest& request_;
  RolloutBlock x_;
  VariationalWorkspace w_;
  int n_, size_;
  AlignedVector mass_;                      // [n*n][kBlock]
  AlignedVector h_last_;                    // [1][kBlock]
  AlignedVector momentum_, momentum_next_;  // [n][kBlock]
  AlignedVector q_next_, vm_, vm_next_, rate_;
  AlignedVector guess_, bend_;  // extrapolated vm_next_; h^2 v'' [n][kBlock]
  Begin begin_;
  InnerSteps inner_;
  std::array<bool, kBlock> rate_at_midpoint_{};        // rate_ belongs to the last midpoint
  std::optional<AccelerationWorkspace> acceleration_;  // where steps are controlled
  std::optional<VariationalPoint> point_;  // of models for which that is quicker than a block
  struct Point {
    std::vector<double> q, momentum, v, u, q_next, momentum_next;
  } at_;
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
