#include "mechfit/integrate/variational.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/mechanics/lanes.h"

namespace mechfit {
namespace {

// Newton has converged when |g| is below kTolerance of its terms: some hundred times their
// rounding, so that energy is kept to the last digits. Where rounding stops it earlier, below
// kRounding is good enough. On simulated pendulums and a cart-pole 1e-10 and 1e-15, 1e-6 and 1e-12
// gave the same rollouts to five digits.
constexpr double kTolerance = 1e-13;
constexpr double kRounding = 1e-9;
// These limits are met only where the equation has no root near the motion: 50 to 1000 evaluations,
// steps halved down to 0.1 or 1e-6 gave the same rollouts.
constexpr int kEvaluations = 200;
constexpr double kSmallestStep = 1e-3;
// Share of the fall that a step promises which it has to bring (Armijo); 0 and 1e-2 gave the same.
constexpr double kLeastFall = 1e-4;

// Gaussian elimination with partial pivoting on matrix [n][n+1], right-hand side in the last
// column, which becomes the solution. False when a pivot is zero or not finite.
bool eliminate(int n, double* matrix) {
  const int columns = n + 1;
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(matrix[i * columns + k]) > std::abs(matrix[pivot * columns + k])) pivot = i;
    const double size = std::abs(matrix[pivot * columns + k]);
    if (!(size > 0) || !std::isfinite(size)) return false;
    if (pivot != k)
      std::swap_ranges(matrix + k * columns, matrix + (k + 1) * columns, matrix + pivot * columns);
    for (int i = k + 1; i < n; ++i) {
      const double factor = matrix[i * columns + k] / matrix[k * columns + k];
      for (int j = k + 1; j < columns; ++j)
        matrix[i * columns + j] -= factor * matrix[k * columns + j];
    }
  }
  for (int i = n - 1; i >= 0; --i) {
    double& x = matrix[i * columns + n];
    for (int j = i + 1; j < n; ++j) x -= matrix[i * columns + j] * matrix[j * columns + n];
    x /= matrix[i * columns + i];
    if (!std::isfinite(x)) return false;
  }
  return true;
}

// sum over the joints of (G^-1 x)^2, lane by lane
std::array<double, kBlock> squared_norm(int n, const AlignedVector& factor, const double* x,
                                        AlignedVector& scratch) {
  std::array<double, kBlock> sum{};
  solve_lower(n, factor.data(), x, scratch.data());
  for (int i = 0; i < n; ++i)
    for (int lane = 0; lane < kBlock; ++lane)
      sum[lane] += scratch[i * kBlock + lane] * scratch[i * kBlock + lane];
  return sum;
}

// The equation of one step in all lanes.
struct Equation {
  const Model& model;
  const double *q, *momentum, *u, *h;
  VariationalWorkspace& w;

  // p, f and g at w.block.v
  void evaluate() {
    DelWorkspace& b = w.block;
    const int n = model.joints();
    for (int i = 0; i < n * kBlock; ++i) b.q[i] = q[i] + 0.5 * h[i % kBlock] * b.v[i];
    model.forces({b.q.data(), b.v.data(), u ? u : b.u.data()}, b.p.data(), b.f.data(), b.model);
    for (int i = 0; i < n * kBlock; ++i)
      w.g[i] = b.p[i] - 0.5 * h[i % kBlock] * b.f[i] - momentum[i];
  }

  // dg_i/dv_j from the covectors a = e_i, b = -(h/2) e_i:  dg/dv = dg/dvm + (h/2) dg/dqm
  void differentiate() {
    DelWorkspace& b = w.block;
    const int n = model.joints();
    Covectors covectors;
    covectors.a = b.a.data();
    covectors.b = b.b.data();
    Adjoints adjoints;
    adjoints.q = b.q_bar.data();
    adjoints.v = b.v_bar.data();
    std::fill(b.a.begin(), b.a.end(), 0.0);
    std::fill(b.b.begin(), b.b.end(), 0.0);
    for (int i = 0; i < n; ++i) {
      for (int lane = 0; lane < kBlock; ++lane) {
        b.a[i * kBlock + lane] = 1;
        b.b[i * kBlock + lane] = -0.5 * h[lane];
      }
      model.pullback(covectors, adjoints, b.model);
      for (int j = 0; j < n * kBlock; ++j)
        w.jacobian[i * n * kBlock + j] = b.v_bar[j] + 0.5 * h[j % kBlock] * b.q_bar[j];
      std::fill_n(&b.a[i * kBlock], kBlock, 0.0);
      std::fill_n(&b.b[i * kBlock], kBlock, 0.0);
    }
  }

  // (dg/dv) direction = -g
  bool solve_direction(int lane) {
    const int n = model.joints();
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j)
        w.matrix[i * (n + 1) + j] = w.jacobian[(i * n + j) * kBlock + lane];
      w.matrix[i * (n + 1) + n] = -w.g[i * kBlock + lane];
    }
    if (!eliminate(n, w.matrix.data())) return false;
    for (int i = 0; i < n; ++i) w.direction[i * kBlock + lane] = w.matrix[i * (n + 1) + n];
    return true;
  }
};

// Where the Newton iteration of a lane stands.
struct Search {
  double merit = kInfinity;  // g' M^-1 g at the accepted v
  double scale = 0;          // the same for the terms of g
  double step = 0;           // of the trial; 0: trial is a guess
  bool second_try = false;
};

// Newton's method in all lanes, one evaluation of the equation at a time.
class Newton {
 public:
  Newton(const Equation& equation, LaneMask active, std::array<StepStatus, kBlock>& status)
      : equation_(equation),
        w_(equation.w),
        n_(equation.model.joints()),
        size_(n_ * kBlock),
        active_(active),
        status_(status) {
    for (int lane = 0; lane < kBlock; ++lane)
      if (active >> lane & 1) status[lane] = StepStatus::iteration_limit;
  }

  void run(const double* guess) {
    std::copy(guess, guess + size_, w_.block.v.data());
    for (int evaluation = 0; active_ && evaluation < kEvaluations; ++evaluation) {
      equation_.evaluate();
      if (evaluation == 0) take_metric();
      if (const LaneMask improved = judge_trials()) choose_directions(improved);
    }
  }

 private:
  void finish(int lane, StepStatus how) {
    status_[lane] = how;
    active_ &= ~(LaneMask{1} << lane);
  }
  void try_step(int lane, double step) {
    search_[lane].step = step;
    for (int i = lane; i < size_; i += kBlock) w_.block.v[i] = w_.v[i] + step * w_.direction[i];
  }
  void start_again(int lane) {
    if (search_[lane].second_try) return finish(lane, StepStatus::no_root);
    search_[lane] = Search();
    search_[lane].second_try = true;
    for (int i = lane; i < size_; i += kBlock) w_.block.v[i] = w_.second_guess[i];
  }

  // M at the guess, by which g is measured, and another guess: v = M^-1 (P + (h/2) f)
  void take_metric() {
    DelWorkspace& b = w_.block;
    equation_.model.factor(w_.factor.data(), b.model);
    for (int lane = 0; lane < kBlock; ++lane)
      if ((active_ >> lane & 1) && !(w_.factor[(n_ * n_ - 1) * kBlock + lane] > 0))
        finish(lane, StepStatus::mass_not_positive);
    for (int i = 0; i < size_; ++i)
      w_.scaled[i] = equation_.momentum[i] + 0.5 * equation_.h[i % kBlock] * b.f[i];
    solve(n_, w_.factor.data(), w_.scaled.data(), w_.second_guess.data());
  }

  // Accepts trials that are better, halves the step of others. Returns the lanes that go on from an
  // accepted one.
  LaneMask judge_trials() {
    DelWorkspace& b = w_.block;
    const double* h = equation_.h;
    const auto merit = squared_norm(n_, w_.factor, w_.g.data(), w_.scaled);
    const auto p_scale = squared_norm(n_, w_.factor, b.p.data(), w_.scaled);
    const auto f_scale = squared_norm(n_, w_.factor, b.f.data(), w_.scaled);
    LaneMask improved = 0;
    for (int lane = 0; lane < kBlock; ++lane) {
      if (!(active_ >> lane & 1)) continue;
      Search& s = search_[lane];
      if (merit[lane] <= (1 - kLeastFall * s.step) * s.merit) {  // false for NaN
        s.merit = merit[lane];
        s.scale = p_scale[lane] + 0.25 * h[lane] * h[lane] * f_scale[lane];
        for (int i = lane; i < size_; i += kBlock) {
          w_.v[i] = b.v[i];
          w_.p[i] = b.p[i];
          w_.f[i] = b.f[i];
        }
        if (s.merit <= kTolerance * kTolerance * s.scale)
          finish(lane, StepStatus::ok);
        else
          improved |= LaneMask{1} << lane;
      } else if (s.merit <= kRounding * kRounding * s.scale) {
        finish(lane, StepStatus::ok);
      } else if (s.step > kSmallestStep) {
        try_step(lane, 0.5 * s.step);
      } else {
        start_again(lane);
      }
    }
    return improved;
  }

  void choose_directions(LaneMask lanes) {
    equation_.differentiate();
    for (int lane = 0; lane < kBlock; ++lane) {
      if (!(lanes >> lane & 1)) continue;
      if (equation_.solve_direction(lane))
        try_step(lane, 1);
      else
        start_again(lane);
    }
  }

  Equation equation_;
  VariationalWorkspace& w_;
  int n_, size_;
  LaneMask active_;
  std::array<StepStatus, kBlock>& status_;
  std::array<Search, kBlock> search_;
};

}  // namespace

VariationalWorkspace::VariationalWorkspace(const Model& model)
    : block(model), matrix(static_cast<std::size_t>(model.joints()) * (model.joints() + 1)) {
  const int n = model.joints();
  for (auto* panel : {&v, &p, &f, &g, &direction, &scaled, &second_guess}) *panel = make_panel(n);
  for (auto* panel : {&factor, &jacobian}) *panel = make_panel(n * n);
}

void variational_step(const Model& model, const double* q, const double* momentum, const double* u,
                      const double* h, LaneMask active, double* v, double* q_next,
                      double* momentum_next, std::array<StepStatus, kBlock>& status,
                      VariationalWorkspace& w) {
  Newton({model, q, momentum, u, h, w}, active, status).run(v);
  for (int i = 0; i < model.joints() * kBlock; ++i) {
    const int lane = i % kBlock;
    if (!(active >> lane & 1) || status[lane] != StepStatus::ok) continue;
    v[i] = w.v[i];
    q_next[i] = q[i] + h[lane] * w.v[i];
    momentum_next[i] = w.p[i] + 0.5 * h[lane] * w.f[i];
  }
}

}  // namespace mechfit
