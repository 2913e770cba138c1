#include "mechfit/integrate/variational_point.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

// As in variational.cc: |g| relative to its terms where the step is done, and where rounding may
// stop it.
constexpr double kTolerance = 1e-13, kRounding = 1e-9;
// Steps of 10 ms take five evaluations, of 0.1 s eight; where twelve moves are not enough Newton's
// method is cheaper.
constexpr int kMostMoves = 12;

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// A [n][n] = G G' in place of its lower triangle; false when it is not positive definite.
bool factor(int n, double* A) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = A[i * n + j];
      for (int k = 0; k < j; ++k) sum -= A[i * n + k] * A[j * n + k];
      if (i == j && !(sum > 0)) return false;
      A[i * n + j] = i == j ? std::sqrt(sum) : sum / A[j * n + j];
    }
  return true;
}

// G y = x and G' x = y, in place.
void solve_lower(int n, const double* G, double* x) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) x[i] -= G[i * n + j] * x[j];
    x[i] /= G[i * n + i];
  }
}
void solve_upper(int n, const double* G, double* x) {
  for (int i = n - 1; i >= 0; --i) {
    for (int j = i + 1; j < n; ++j) x[i] -= G[j * n + i] * x[j];
    x[i] /= G[i * n + i];
  }
}

}  // namespace

VariationalPoint::VariationalPoint(const Model& model)
    : model_(model),
      n_(model.joints()),
      w_(model),
      u_(make_panel(model.inputs())),
      h_(make_panel(1)) {
  if (const Smm* smm = model.as<Smm>()) smm_.emplace(*smm);
  for (auto* x : {&qm_, &p_, &f_, &g_, &rate_, &scratch_, &trial_, &node_}) x->resize(n_);
  for (auto* panel : {&q_, &momentum_, &v_, &q_next_, &momentum_next_}) *panel = make_panel(n_);
  mass_.resize(static_cast<std::size_t>(n_) * n_);
  for (auto* x : {&moves_, &impulses_}) x->resize(static_cast<std::size_t>(kMostMoves + 1) * n_);
}

bool VariationalPoint::evaluate(In q, In momentum, In u, double h, In v) {
  for (int i = 0; i < n_; ++i) qm_[i] = q[i] + 0.5 * h * v[i];
  if (smm_) {
    smm_->forces(qm_, v, u, f_, rate_);
    smm_->mass_product(v, p_);
  } else {
    DelWorkspace& b = w_.block;
    for (int i = 0; i < n_; ++i) {
      std::fill_n(&b.q[i * kBlock], kBlock, qm_[i]);
      std::fill_n(&b.v[i * kBlock], kBlock, v[i]);
    }
    for (int i = 0; i < model_.inputs(); ++i)
      std::fill_n(&u_[i * kBlock], kBlock, u.empty() ? 0.0 : u[i]);
    model_.forces({b.q.data(), b.v.data(), u_.data()}, b.p.data(), b.f.data(), b.model);
    for (int i = 0; i < n_; ++i) {
      p_[i] = b.p[i * kBlock];
      f_[i] = b.f[i * kBlock];
    }
  }
  bool finite = true;
  for (int i = 0; i < n_; ++i) {
    g_[i] = p_[i] - 0.5 * h * f_[i] - momentum[i];
    finite = finite && std::isfinite(g_[i]);
  }
  return finite;
}

bool VariationalPoint::take_metric() {
  if (smm_) {
    for (int i = 0; i < n_; ++i) {
      std::fill(scratch_.begin(), scratch_.end(), 0.0);
      scratch_[i] = 1;
      smm_->mass_product(scratch_, Out(mass_).subspan(i * n_, n_));
    }
    return factor(n_, mass_.data());
  }
  model_.factor(w_.factor.data(), w_.block.model);
  for (int i = 0; i < n_ * n_; ++i) mass_[i] = w_.factor[i * kBlock];
  for (int i = 0; i < n_; ++i)
    if (!(mass_[i * n_ + i] > 0)) return false;
  return true;
}

double VariationalPoint::squared_norm(In x) {
  std::copy(x.begin(), x.end(), scratch_.begin());
  solve_lower(n_, mass_.data(), scratch_.data());
  return dot(scratch_, scratch_);
}

// Broyden's good method in coordinates in which M is the identity: with s the moves so far, the
// next one is
//   z = -M^-1 g,  z += s_{j+1} (s_j'M z) / (s_j'M s_j) for all j before the last,  then for the
//   last s = z / (1 - s_j'M z / s_j'M s_j)
// M z and M s are carried along, so that nothing is multiplied by M.
bool VariationalPoint::broyden(In q, In momentum, In u, double h, Out v) {
  const auto move = [&](int k) { return Out(moves_).subspan(k * n_, n_); };
  const auto impulse = [&](int k) { return Out(impulses_).subspan(k * n_, n_); };
  double last = 0;
  for (int k = 0; k <= kMostMoves; ++k) {
    if (!evaluate(q, momentum, u, h, v) || (k == 0 && !take_metric())) return false;
    const double merit = squared_norm(g_);
    const double scale = squared_norm(p_) + 0.25 * h * h * squared_norm(f_);
    if (merit <= kTolerance * kTolerance * scale) return true;
    if (k > 0 && !(merit < 0.25 * last)) return merit <= kRounding * kRounding * scale;
    if (k == kMostMoves) return false;
    last = merit;
    const Out z = move(k), mz = impulse(k);
    for (int i = 0; i < n_; ++i) z[i] = mz[i] = -g_[i];
    solve_lower(n_, mass_.data(), z.data());
    solve_upper(n_, mass_.data(), z.data());
    for (int j = 0; j < k; ++j) {
      const double share = dot(impulse(j), z) / dot(impulse(j), move(j));
      if (j + 1 < k) {
        for (int i = 0; i < n_; ++i) {
          z[i] += share * move(j + 1)[i];
          mz[i] += share * impulse(j + 1)[i];
        }
      } else {
        for (int i = 0; i < n_; ++i) {
          z[i] /= 1 - share;
          mz[i] /= 1 - share;
        }
      }
    }
    for (int i = 0; i < n_; ++i) v[i] += z[i];
  }
  return false;
}

bool VariationalPoint::node_velocity(In q, In momentum, In u) {
  std::fill(node_.begin(), node_.end(), 0.0);
  if (!evaluate(q, momentum, u, 0.0, node_) || !take_metric()) return false;
  std::copy(momentum.begin(), momentum.end(), node_.begin());
  solve_lower(n_, mass_.data(), node_.data());
  solve_upper(n_, mass_.data(), node_.data());
  return true;
}

bool VariationalPoint::velocity(In q, In momentum, Out v) {
  if (!node_velocity(q, momentum, {})) return false;
  std::copy(node_.begin(), node_.end(), v.begin());
  return true;
}

StepStatus VariationalPoint::newton(In q, In momentum, In u, double h, In guess) {
  for (int i = 0; i < n_; ++i) {
    std::fill_n(&q_[i * kBlock], kBlock, q[i]);
    std::fill_n(&momentum_[i * kBlock], kBlock, momentum[i]);
    std::fill_n(&v_[i * kBlock], kBlock, guess[i]);
  }
  for (int i = 0; i < model_.inputs(); ++i)
    std::fill_n(&u_[i * kBlock], kBlock, u.empty() ? 0.0 : u[i]);
  std::fill_n(h_.data(), kBlock, h);
  std::array<StepStatus, kBlock> status;
  variational_step(model_, q_.data(), momentum_.data(), u_.data(), h_.data(), LaneMask{1},
                   v_.data(), q_next_.data(), momentum_next_.data(), status, w_);
  for (int i = 0; i < n_; ++i) {
    trial_[i] = v_[i * kBlock];
    p_[i] = w_.p[i * kBlock];
    f_[i] = w_.f[i * kBlock];
  }
  return status[0];
}

StepStatus VariationalPoint::step(In q, In momentum, In u, double h, Out v, Out q_next,
                                  Out momentum_next) {
  const auto n = static_cast<std::size_t>(n_);
  MECHFIT_CHECK(q.size() == n && momentum.size() == n && v.size() == n && q_next.size() == n &&
                momentum_next.size() == n && h > 0);
  MECHFIT_CHECK(u.empty() || u.size() == static_cast<std::size_t>(model_.inputs()));
  std::copy(v.begin(), v.end(), trial_.begin());
  if (!broyden(q, momentum, u, h, trial_)) {
    StepStatus status = newton(q, momentum, u, h, v);
    if (status != StepStatus::ok && node_velocity(q, momentum, u))
      status = newton(q, momentum, u, h, node_);
    if (status != StepStatus::ok) return status;
  }
  for (int i = 0; i < n_; ++i) {
    v[i] = trial_[i];
    q_next[i] = q[i] + h * v[i];
    momentum_next[i] = p_[i] + 0.5 * h * f_[i];
  }
  return StepStatus::ok;
}

}  // namespace mechfit
