#include "mechfit/mechanics/discrete_error.h"

#include "mechfit/mechanics/lanes.h"

namespace mechfit {

DelErrorWorkspace::DelErrorWorkspace(const Model& m)
    : del(m),
      factor(make_panel(m.joints() * m.joints())),
      mean(make_panel(m.joints() * m.joints())),
      e(make_panel(m.joints())),
      mu(make_panel(m.joints())),
      left(make_panel(m.joints())),
      r(make_panel(m.joints())) {}

void del_error(const Model& model, const Triples& x, double* e, DelErrorWorkspace& w) {
  const int n = model.joints();
  del_residual(model, x, w.r.data(), w.del);
  model.factor(w.factor.data(), w.del.model);
  // Mbar, from M = G G' in both halves of the block
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      double* mean = &w.mean[(i * n + j) * kBlock];
      for_lanes([&](int l) { mean[l] = 0; });
      for (int k = 0; k <= j; ++k) {
        const double* gi = &w.factor[(i * n + k) * kBlock];
        const double* gj = &w.factor[(j * n + k) * kBlock];
        for_lanes([&](int l) { mean[l] += gi[l] * gj[l]; });
      }
      for (int l = 0; l < kTriples; ++l)
        mean[l] = mean[kTriples + l] = 0.5 * (mean[l] + mean[kTriples + l]);
    }
  cholesky(n, w.mean.data(), w.mean.data());
  for (int i = 0; i < n; ++i)
    for (int l = 0; l < kTriples; ++l) {
      const double h = 0.5 * (w.del.h[l] + w.del.h[kTriples + l]);
      w.e[i * kBlock + l] = w.e[i * kBlock + kTriples + l] = w.r[i * kTriples + l] / h;
    }
  solve(n, w.mean.data(), w.e.data(), w.e.data());
  for (int i = 0; i < n; ++i)
    for (int l = 0; l < kTriples; ++l) e[i * kTriples + l] = w.e[i * kBlock + l];
}

void del_error_pullback(const Model& model, const double* g, const TripleAdjoints& adjoints,
                        DelErrorWorkspace& w) {
  const int n = model.joints();
  for (int i = 0; i < n; ++i)
    for (int l = 0; l < kTriples; ++l)
      w.mu[i * kBlock + l] = w.mu[i * kBlock + kTriples + l] = g[i * kTriples + l];
  solve(n, w.mean.data(), w.mu.data(), w.mu.data());
  for (int i = 0; i < n; ++i)
    for (int l = 0; l < kTriples; ++l) {
      const double mu = w.mu[i * kBlock + l];
      w.r[i * kTriples + l] = mu / (0.5 * (w.del.h[l] + w.del.h[kTriples + l]));
      w.left[i * kBlock + l] = w.left[i * kBlock + kTriples + l] = -0.5 * mu;
    }
  del_pullback(model, w.r.data(), adjoints, w.del, w.left.data(), w.e.data());
}

}  // namespace mechfit
