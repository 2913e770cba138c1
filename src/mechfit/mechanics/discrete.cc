#include "mechfit/mechanics/discrete.h"

#include <algorithm>

#include "mechfit/base/error.h"

namespace mechfit {

DelWorkspace::DelWorkspace(const Model& m)
    : model(m.make_workspace()),
      q(make_panel(m.joints())),
      v(make_panel(m.joints())),
      u(make_panel(m.inputs())),
      p(make_panel(m.joints())),
      f(make_panel(m.joints())),
      a(make_panel(m.joints())),
      b(make_panel(m.joints())),
      q_bar(make_panel(m.joints())),
      v_bar(make_panel(m.joints())),
      h(make_panel(1)) {}

void del_residual(const Model& model, const Triples& x, double* r, DelWorkspace& w) {
  const int n = model.joints(), m = model.inputs();
  MECHFIT_CHECK((x.u1 == nullptr) == (x.u2 == nullptr));
  std::copy(x.h1, x.h1 + kTriples, w.h.data());
  std::copy(x.h2, x.h2 + kTriples, w.h.data() + kTriples);
  for (int i = 0; i < n; ++i) {
    const double *q1 = x.q1 + i * kTriples, *q2 = x.q2 + i * kTriples, *q3 = x.q3 + i * kTriples;
    double *q = &w.q[i * kBlock], *v = &w.v[i * kBlock];
    for (int k = 0; k < kTriples; ++k) {
      q[k] = 0.5 * (q1[k] + q2[k]);
      v[k] = (q2[k] - q1[k]) / w.h[k];
      q[kTriples + k] = 0.5 * (q2[k] + q3[k]);
      v[kTriples + k] = (q3[k] - q2[k]) / w.h[kTriples + k];
    }
  }
  for (int i = 0; i < m; ++i)
    for (int k = 0; k < kTriples; ++k) {
      w.u[i * kBlock + k] = x.u1 ? x.u1[i * kTriples + k] : 0;
      w.u[i * kBlock + kTriples + k] = x.u2 ? x.u2[i * kTriples + k] : 0;
    }
  model.forces({w.q.data(), w.v.data(), w.u.data()}, w.p.data(), w.f.data(), w.model);
  // r = p1 - p2 + (h1 f1 + h2 f2) / 2
  for (int i = 0; i < n; ++i) {
    const double *p = &w.p[i * kBlock], *f = &w.f[i * kBlock], *h = w.h.data();
    for (int k = 0; k < kTriples; ++k) {
      const int l = kTriples + k;
      r[i * kTriples + k] = p[k] - p[l] + 0.5 * (h[k] * f[k] + h[l] * f[l]);
    }
  }
}

void del_pullback(const Model& model, const double* lambda, const TripleAdjoints& adjoints,
                  DelWorkspace& w, const double* left, const double* right) {
  const int n = model.joints();
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < kTriples; ++k) {
      const int first = i * kBlock + k, second = first + kTriples;
      const double l = lambda[i * kTriples + k];
      w.a[first] = l;
      w.a[second] = -l;
      w.b[first] = 0.5 * w.h[k] * l;
      w.b[second] = 0.5 * w.h[kTriples + k] * l;
    }
  const bool to_q = adjoints.q1 || adjoints.q2 || adjoints.q3;
  Covectors covectors;
  covectors.a = w.a.data();
  covectors.b = w.b.data();
  covectors.left = left;
  covectors.right = right;
  Adjoints inner;
  inner.theta = adjoints.theta;
  if (to_q) {
    inner.q = w.q_bar.data();
    inner.v = w.v_bar.data();
  }
  model.pullback(covectors, inner, w.model);
  if (!to_q) return;
  // dqm/dq = 1/2 at both ends; dvm/dq = -1/h at the start, +1/h at the end
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < kTriples; ++k) {
      const int first = i * kBlock + k, second = first + kTriples, out = i * kTriples + k;
      const double q1 = 0.5 * w.q_bar[first], v1 = w.v_bar[first] / w.h[k];
      const double q2 = 0.5 * w.q_bar[second], v2 = w.v_bar[second] / w.h[kTriples + k];
      if (adjoints.q1) adjoints.q1[out] = q1 - v1;
      if (adjoints.q2) adjoints.q2[out] = q1 + v1 + q2 - v2;
      if (adjoints.q3) adjoints.q3[out] = q2 + v2;
    }
}

}  // namespace mechfit
