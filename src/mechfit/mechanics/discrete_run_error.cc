#include "mechfit/mechanics/discrete_run_error.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/lanes.h"

namespace mechfit {
namespace {

// What r is divided by: the mean of the two steps, or its geometric mean with the reference step.
double divisor(const RunView& x, int k) {
  const double mean = 0.5 * (x.h[k] + x.h[k + 1]);
  return x.reference > 0 ? std::sqrt(mean * x.reference) : mean;
}

bool by_force(const RunView& x, int joint) { return !x.by_force.empty() && x.by_force[joint]; }

// Then errors have no part of M.
bool all_by_force(const RunView& x) {
  return !x.by_force.empty() &&
         std::all_of(x.by_force.begin(), x.by_force.end(), [](char joint) { return joint != 0; });
}

// p, f and, where errors have a part of it, M at every midpoint.
bool evaluate(const Model& model, const RunView& x, DelRunError& w) {
  const int n = model.joints(), steps = static_cast<int>(x.h.size());
  DelWorkspace& block = w.run.block;
  w.run.p.resize(static_cast<std::size_t>(steps) * n);
  w.run.f.resize(w.run.p.size());
  w.mass.resize(w.run.p.size() * n);
  const bool masses = !all_by_force(x);
  for (int first = 0; first < steps; first += kBlock) {
    evaluate_steps(model, x, first, block);
    if (masses) model.factor(w.factor.data(), block.model);
    for (int lane = 0; lane < std::min(kBlock, steps - first); ++lane) {
      const int k = first + lane;
      for (int i = 0; i < n; ++i) {
        w.run.p[k * n + i] = block.p[i * kBlock + lane];
        w.run.f[k * n + i] = block.f[i * kBlock + lane];
        for (int j = 0; masses && j <= i; ++j) {
          double sum = 0;  // M = G G'
          for (int l = 0; l <= j; ++l)
            sum += w.factor[(i * n + l) * kBlock + lane] * w.factor[(j * n + l) * kBlock + lane];
          w.mass[(k * n + i) * n + j] = w.mass[(k * n + j) * n + i] = sum;
          if (!std::isfinite(sum)) return false;
        }
      }
    }
  }
  return true;
}

// Mbar^-1 of a block's residuals, `first` and those after it; false where Mbar is not positive
// definite.
bool invert_means(int n, const RunView& x, int first, DelRunError& w) {
  const int count = std::min(kBlock, static_cast<int>(x.h.size()) - 1 - first);
  double* mean = w.factor.data();
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      double* out = mean + (i * n + j) * kBlock;
      std::fill_n(out, kBlock, i == j ? 1.0 : 0.0);
      if (by_force(x, i) || by_force(x, j)) continue;
      const double* m = &w.mass[(static_cast<std::size_t>(first) * n + i) * n + j];
      for (int lane = 0; lane < count; ++lane, m += n * n) out[lane] = 0.5 * (m[0] + m[n * n]);
    }
  alignas(kAlignment) double log_det[kBlock];
  shifted_inverse(n, mean, w.ones.data(), 0, 1, mean, log_det);
  for (int lane = 0; lane < count; ++lane) {
    if (std::isnan(log_det[lane])) return false;
    double* out = &w.inverse[static_cast<std::size_t>(first + lane) * n * n];
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j)
        out[i * n + j] = out[j * n + i] = mean[(i * n + j) * kBlock + lane];
  }
  return true;
}

// The residual that step `step` arrives at or leaves.
int residual_of(int step, bool arriving) { return arriving ? step : step - 1; }

// What the block's steps contribute to row i of the derivatives of e, of the residuals begin ..
// end-1: with w = Mbar^-1 e_i,
//   w'r / h     covectors of discrete_run.cc, times w / h
//   -w'Mbar e   -1/2 w'M e at each of the two midpoints, for joints whose errors are accelerations
Covectors load_row(int n, const RunView& x, int first, int i, bool arriving, int begin, int end,
                   DelRunError& w) {
  DelWorkspace& block = w.run.block;
  const double sign = arriving ? 1 : -1;
  for (int lane = 0; lane < kBlock; ++lane) {
    const int r = residual_of(first + lane, arriving);
    const bool counts = r >= begin && r < end;
    for (int j = 0; j < n; ++j) {
      const int at = j * kBlock + lane;
      const double column = counts ? w.inverse[(static_cast<std::size_t>(r) * n + i) * n + j] : 0;
      const double lambda = counts ? column / divisor(x, r) : 0;
      block.a[at] = sign * lambda;
      block.b[at] = 0.5 * block.h[lane] * lambda;
      w.left[at] = by_force(x, j) ? 0 : -0.5 * column;
      w.right[at] = counts && !by_force(x, j) ? w.e[static_cast<std::size_t>(r) * n + j] : 0;
    }
  }
  Covectors covectors;
  covectors.a = block.a.data();
  covectors.b = block.b.data();
  covectors.left = w.left.data();
  covectors.right = w.right.data();
  return covectors;
}

void add_configurations_row(const Model& model, const RunView& x, int first, int i, bool arriving,
                            DelRunError& w) {
  const int n = model.joints(), residuals = static_cast<int>(x.h.size()) - 1;
  const Covectors covectors = load_row(n, x, first, i, arriving, 0, residuals, w);
  Adjoints adjoints;
  adjoints.q = w.q_bar.data();
  adjoints.v = w.v_bar.data();
  model.pullback(covectors, adjoints, w.run.block.model);
  for (int lane = 0; lane < kBlock; ++lane) {
    const int r = residual_of(first + lane, arriving);
    if (r < 0 || r >= residuals) continue;
    double* start =
        &w.jacobian[((static_cast<std::size_t>(r) * 3 + (arriving ? 0 : 1)) * n + i) * n];
    double* end = start + n * n;
    for (int j = 0; j < n; ++j) {
      const double gq = 0.5 * w.q_bar[j * kBlock + lane];
      const double gv = w.v_bar[j * kBlock + lane] / w.run.block.h[lane];
      start[j] += gq - gv;
      end[j] += gq + gv;
    }
  }
}

bool finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

}  // namespace

DelRunError::DelRunError(const Model& model)
    : run(model),
      factor(make_panel(model.joints() * model.joints())),
      left(make_panel(2 * model.joints())),
      right(left),
      q_bar(make_panel(model.joints())),
      v_bar(q_bar),
      ones(model.joints(), 1.0) {}

bool del_run_error(const Model& model, const RunView& x, RunDerivatives derivatives,
                   DelRunError& w) {
  const int n = model.joints(), steps = static_cast<int>(x.h.size());
  MECHFIT_CHECK(steps >= 2, "a run needs at least three configurations");
  MECHFIT_CHECK(x.q.size() == static_cast<std::size_t>(steps + 1) * n);
  const std::size_t rows = steps - 1;
  w.e.resize(rows * n);
  w.inverse.resize(rows * n * n);
  if (!evaluate(model, x, w)) return false;
  for (int first = 0; first < steps - 1; first += kBlock)
    if (!invert_means(n, x, first, w)) return false;
  for (int k = 0; k < steps - 1; ++k) {
    const double* inverse = &w.inverse[static_cast<std::size_t>(k) * n * n];
    const double scale = 1 / divisor(x, k);
    for (int i = 0; i < n; ++i) {
      double sum = 0;
      for (int j = 0; j < n; ++j) {
        // r = p1 - p2 + (h1 f1 + h2 f2) / 2
        const int first = k * n + j, second = first + n;
        sum +=
            inverse[i * n + j] * (w.run.p[first] - w.run.p[second] +
                                  0.5 * (x.h[k] * w.run.f[first] + x.h[k + 1] * w.run.f[second]));
      }
      w.e[k * n + i] = scale * sum;
    }
  }
  if (!finite(w.e)) return false;
  if (derivatives == RunDerivatives::none) return true;
  w.jacobian.assign(rows * 3 * n * n, 0.0);
  for (int first = 0; first < steps; first += kBlock) {
    evaluate_steps(model, x, first, w.run.block);
    for (int i = 0; i < n; ++i)
      for (const bool arriving : {false, true})
        add_configurations_row(model, x, first, i, arriving, w);
  }
  if (derivatives == RunDerivatives::parameters)
    del_run_error_parameters(model, x, 0, steps - 1, w);
  return finite(w.jacobian);
}

void del_run_error_parameters(const Model& model, const RunView& x, int begin, int count,
                              DelRunError& w) {
  const int n = model.joints(), p = model.parameter_count(), end = begin + count;
  MECHFIT_CHECK(begin >= 0 && end < static_cast<int>(x.h.size()));
  w.theta.assign(static_cast<std::size_t>(count) * n * p, 0.0);
  w.lanes.resize(static_cast<std::size_t>(p) * kBlock);
  Adjoints adjoints;
  adjoints.theta_lanes = w.lanes.data();
  for (int first = begin; first <= end; first += kBlock) {  // residual r is between steps r, r+1
    evaluate_steps(model, x, first, w.run.block);
    for (int i = 0; i < n; ++i)
      for (const bool arriving : {false, true}) {
        model.pullback(load_row(n, x, first, i, arriving, begin, end, w), adjoints,
                       w.run.block.model);
        for (int lane = 0; lane < kBlock; ++lane) {
          const int r = residual_of(first + lane, arriving);
          if (r < begin || r >= end) continue;
          double* row = &w.theta[(static_cast<std::size_t>(r - begin) * n + i) * p];
          for (int k = 0; k < p; ++k) row[k] += w.lanes[k * kBlock + lane];
        }
      }
  }
}

void del_run_error_pullback(const Model& model, const RunView& x, std::span<const double> g,
                            std::span<double> q_bar, bool theta, DelRunError& w) {
  const int n = model.joints(), steps = static_cast<int>(x.h.size());
  MECHFIT_CHECK(g.size() == w.e.size());
  MECHFIT_CHECK(q_bar.empty() || q_bar.size() == x.q.size());
  std::fill(q_bar.begin(), q_bar.end(), 0.0);
  DelWorkspace& block = w.run.block;
  // mu = Mbar^-1 g of residual k, its covector on r and its error; zero where there is none
  const auto load = [&](int k, int lane, double sign, double* mu_half, double* error) {
    for (int i = 0; i < n; ++i) {
      double mu = 0;
      if (k >= 0 && k < steps - 1)
        for (int j = 0; j < n; ++j) mu += w.inverse[(k * n + i) * n + j] * g[k * n + j];
      const double lambda = k >= 0 && k < steps - 1 ? mu / divisor(x, k) : 0;
      const int at = i * kBlock + lane;
      block.a[at] += sign * lambda;
      block.b[at] += 0.5 * block.h[lane] * lambda;
      mu_half[at] = by_force(x, i) ? 0 : -0.5 * mu;
      error[at] = k >= 0 && k < steps - 1 && !by_force(x, i) ? w.e[k * n + i] : 0;
    }
  };
  for (int first = 0; first < steps; first += kBlock) {
    evaluate_steps(model, x, first, block);
    std::fill(block.a.begin(), block.a.end(), 0.0);
    std::fill(block.b.begin(), block.b.end(), 0.0);
    // Step k arrives at residual k and leaves residual k-1; each has its own -1/2 mu'M e.
    const int second = n * kBlock;
    for (int lane = 0; lane < kBlock; ++lane)
      load(first + lane < steps ? first + lane : -1, lane, 1, w.left.data(), w.right.data());
    for (int lane = 0; lane < kBlock; ++lane)
      load(first + lane < steps ? first + lane - 1 : -1, lane, -1, w.left.data() + second,
           w.right.data() + second);
    Covectors covectors;
    covectors.a = block.a.data();
    covectors.b = block.b.data();
    covectors.left = w.left.data();
    covectors.right = w.right.data();
    covectors.pairs = 2;
    Adjoints adjoints;
    adjoints.theta = theta;
    if (!q_bar.empty()) {
      adjoints.q = w.q_bar.data();
      adjoints.v = w.v_bar.data();
    }
    model.pullback(covectors, adjoints, block.model);
    if (q_bar.empty()) continue;
    for (int lane = 0; lane < std::min(kBlock, steps - first); ++lane)
      for (int i = 0; i < n; ++i) {
        const int k = first + lane, at = i * kBlock + lane;
        const double gq = 0.5 * w.q_bar[at];
        const double gv = w.v_bar[at] / block.h[lane];
        q_bar[k * n + i] += gq - gv;
        q_bar[(k + 1) * n + i] += gq + gv;
      }
  }
}

}  // namespace mechfit
