#include "mechfit/evaluate/energy_balance.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

// The derivative of V along the motion is taken over this share of a step to both sides. From 1e-5
// to 1e-2 the drift is the same to three digits.
constexpr double kProbe = 1e-3;

struct Sum {
  double drift = 0, kinetic = 0;
  long count = 0;
};

class Balance {
 public:
  Balance(const Model& model, const RolloutRequest& request, const Rollout& rollout, int first)
      : model_(model),
        request_(request),
        rollout_(rollout),
        n_(model.joints()),
        m_(model.inputs()),
        first_(first),
        w_(model),
        q_(make_panel(n_)),
        v_(q_),
        moved_(q_),
        u_(make_panel(m_)),
        h_(make_panel(1)),
        before_(h_),
        after_(h_),
        rate_(q_),
        start_(h_),
        work_(h_) {}

  Sum run(std::span<const int> steps) {
    Sum sum;
    const int lanes = std::min(kBlock, rollout_.trajectories - first_);
    int most = 0;
    for (int lane = 0; lane < lanes; ++lane) most = std::max(most, limit(steps, lane));
    for (int k = 0; k <= most; ++k) {
      if (k > 0) add_work(k - 1);
      load(rollout_.q, rollout_.steps + 1, k, q_);
      load(rollout_.v, rollout_.steps + 1, k, v_);
      energy(model_, {q_.data(), v_.data(), nullptr}, after_.data(), w_);
      if (k == 0) start_ = after_;
      for (int lane = 0; lane < lanes; ++lane) {
        if (k > limit(steps, lane)) continue;
        double kinetic = 0;
        for (int i = lane; i < n_ * kBlock; i += kBlock) kinetic += 0.5 * v_[i] * w_.p[i];
        const double drift = after_[lane] - start_[lane] - work_[lane];
        sum.kinetic += kinetic;
        sum.drift += drift * drift;
        ++sum.count;
      }
    }
    return sum;
  }

 private:
  int limit(std::span<const int> steps, int lane) const {
    return std::min(steps[first_ + lane], rollout_.completed[first_ + lane]);
  }

  // What a trajectory did not reach is NaN and stays in its lane.
  void load(const std::vector<double>& from, int samples, int sample, AlignedVector& panel) const {
    for (int lane = 0; lane < kBlock; ++lane) {
      const int t = std::min(first_ + lane, rollout_.trajectories - 1);
      const double* row = &from[(static_cast<std::size_t>(t) * samples + sample) * n_];
      for (int i = 0; i < n_; ++i) panel[i * kBlock + lane] = row[i];
    }
  }

  void load_step(int step) {
    for (int lane = 0; lane < kBlock; ++lane) {
      const int t = std::min(first_ + lane, rollout_.trajectories - 1);
      const std::size_t k = static_cast<std::size_t>(t) * rollout_.steps + step;
      h_[lane] = request_.h[request_.h.size() == 1 ? 0 : k];
      for (int i = 0; i < m_; ++i) u_[i * kBlock + lane] = request_.mean_input(t, step, i, m_);
    }
  }

  void potential_near(double share, AlignedVector& out) {
    for (int i = 0; i < n_ * kBlock; ++i) moved_[i] = q_[i] + share * h_[i % kBlock] * v_[i];
    model_.forces({moved_.data(), v_.data(), u_.data()}, w_.p.data(), w_.f.data(), w_.model);
    model_.potential(out.data(), w_.model);
  }

  // v'F = v'(f - dL/dq) = v'f - 1/2 v' Mdot v + dV/dt
  void add_work(int step) {
    load_step(step);
    load(rollout_.q_mid, rollout_.steps, step, q_);
    load(rollout_.v_mid, rollout_.steps, step, v_);
    potential_near(-kProbe, before_);
    potential_near(kProbe, after_);
    model_.forces({q_.data(), v_.data(), u_.data()}, w_.p.data(), w_.f.data(), w_.model);
    model_.mass_rate(rate_.data(), w_.model);
    for (int lane = 0; lane < kBlock; ++lane) {
      double power = (after_[lane] - before_[lane]) / (2 * kProbe * h_[lane]);
      for (int i = lane; i < n_ * kBlock; i += kBlock) power += v_[i] * (w_.f[i] - 0.5 * rate_[i]);
      work_[lane] += h_[lane] * power;
    }
  }

  const Model& model_;
  const RolloutRequest& request_;
  const Rollout& rollout_;
  int n_, m_, first_;
  AccelerationWorkspace w_;
  AlignedVector q_, v_, moved_, u_, h_;  // [n], [n], [n], [m], [1]  x [kBlock]
  AlignedVector before_, after_, rate_;  // [1], [1], [n]  x [kBlock]
  AlignedVector start_, work_;           // energy at the start, work so far [kBlock]
};

}  // namespace

double energy_drift(const Model& model, const RolloutRequest& request, const Rollout& rollout,
                    std::span<const int> steps, ThreadPool& pool) {
  MECHFIT_CHECK(static_cast<int>(steps.size()) == rollout.trajectories);
  MECHFIT_CHECK(rollout.steps == 0 || !rollout.q_mid.empty(), "a rollout without midpoints");
  const int blocks = (rollout.trajectories + kBlock - 1) / kBlock;
  std::vector<Sum> sums(blocks);
  pool.run(blocks, [&](int block, int) {
    sums[block] = Balance(model, request, rollout, block * kBlock).run(steps);
  });
  Sum total;
  for (const Sum& sum : sums) {
    total.drift += sum.drift;
    total.kinetic += sum.kinetic;
    total.count += sum.count;
  }
  if (total.count == 0 || total.kinetic == 0) return 0;
  const auto count = static_cast<double>(total.count);
  return std::sqrt(total.drift / count) / (total.kinetic / count);
}

}  // namespace mechfit
