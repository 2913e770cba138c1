// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mechfit/mechanics/lanes.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "hwy/contrib/math/math-inl.h"
#include "mechfit/base/vector-inl.h"
// clang-format on

#include "mechfit/mechanics/lanes.h"

#include <cmath>
#include <limits>

// Mostly plain loops over the lanes: the compiler vectorises them for each target.
HWY_BEFORE_NAMESPACE();
namespace mechfit::HWY_NAMESPACE {

void cholesky(int n, const double* M, double* G) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      // G_ij = (M_ij - sum_k<j G_ik G_jk) / G_jj
      double sum[kBlock];
      const double* m = M + (i * n + j) * kBlock;
      for_lanes([&](int l) { sum[l] = m[l]; });
      for (int k = 0; k < j; ++k) {
        const double* gi = G + (i * n + k) * kBlock;
        const double* gj = G + (j * n + k) * kBlock;
        for_lanes([&](int l) { sum[l] -= gi[l] * gj[l]; });
      }
      double* g = G + (i * n + j) * kBlock;
      if (i == j) {
        constexpr double nan = std::numeric_limits<double>::quiet_NaN();
        for_lanes([&](int l) { g[l] = sum[l] > 0 ? std::sqrt(sum[l]) : nan; });
      } else {
        const double* pivot = G + (j * n + j) * kBlock;
        for_lanes([&](int l) { g[l] = sum[l] / pivot[l]; });
      }
    }
}

void solve_lower(int n, const double* G, const double* b, double* y) {
  for (int i = 0; i < n; ++i) {
    double sum[kBlock];
    for_lanes([&](int l) { sum[l] = b[i * kBlock + l]; });
    for (int k = 0; k < i; ++k) {
      const double* g = G + (i * n + k) * kBlock;
      for_lanes([&](int l) { sum[l] -= g[l] * y[k * kBlock + l]; });
    }
    const double* pivot = G + (i * n + i) * kBlock;
    for_lanes([&](int l) { y[i * kBlock + l] = sum[l] / pivot[l]; });
  }
}

void solve_upper(int n, const double* G, const double* y, double* x) {
  for (int i = n - 1; i >= 0; --i) {
    double sum[kBlock];
    for_lanes([&](int l) { sum[l] = y[i * kBlock + l]; });
    for (int k = i + 1; k < n; ++k) {
      const double* g = G + (k * n + i) * kBlock;
      for_lanes([&](int l) { sum[l] -= g[l] * x[k * kBlock + l]; });
    }
    const double* pivot = G + (i * n + i) * kBlock;
    for_lanes([&](int l) { x[i * kBlock + l] = sum[l] / pivot[l]; });
  }
}

void solve(int n, const double* G, const double* b, double* x) {
  solve_lower(n, G, b, x);
  solve_upper(n, G, x, x);
}

namespace {

// A matrix of one register of lanes: small ones are kept in registers, others where the result
// goes.
template <int kSize>
struct InRegisters {
  V& operator()(int i, int j) { return entries[i][j]; }
  V entries[kSize][kSize];
};
struct InPanel {
  struct Entry {
    operator V() const { return hn::Load(D(), at); }
    void operator=(V x) const { hn::Store(x, D(), at); }
    double* at;
  };
  Entry operator()(int i, int j) const { return {out + (i * n + j) * kBlock}; }
  int n;
  double* out;
};

// A becomes its inverse, the sum of log D is returned; NaN where A is not positive definite or not
// finite.
// A = L D L', L with a unit diagonal: one division for each pivot and no root.
template <class Matrix>
HWY_INLINE V invert(int n, Matrix& a) {
  const D d;
  V log_det = hn::Zero(d);
  // L below the diagonal, 1 / D on it; rows from below, so that D_j L_kj is still there for k < i
  for (int j = 0; j < n; ++j) {
    V pivot = a(j, j);
    const auto good = hn::And(hn::Gt(pivot, hn::Zero(d)), hn::Lt(pivot, hn::Inf(d)));
    pivot = hn::IfThenElse(good, pivot, hn::NaN(d));
    log_det = hn::Add(log_det, hn::IfThenElse(hn::IsNaN(pivot), pivot, hn::Log(d, pivot)));
    const V inverse = hn::Div(set(1.0), pivot);
    a(j, j) = inverse;
    for (int i = n - 1; i > j; --i) {
      const V factor = hn::Mul(V(a(i, j)), inverse);
      for (int k = j + 1; k <= i; ++k) a(i, k) = hn::NegMulAdd(factor, V(a(k, j)), V(a(i, k)));
      a(i, j) = factor;
    }
  }
  // X = L^-1 in place of L: X_ij = -(L_ij + sum over j < k < i of L_ik X_kj)
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < i; ++j) {
      V x = a(i, j);
      for (int k = j + 1; k < i; ++k) x = hn::MulAdd(V(a(i, k)), V(a(k, j)), x);
      a(i, j) = hn::Neg(x);
    }
  // A = X' D^-1 X in place of X, the diagonal of a row last because it holds 1 / D
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      V x = j < i ? hn::Mul(V(a(i, j)), V(a(i, i))) : V(a(i, i));
      for (int k = i + 1; k < n; ++k)
        x = hn::MulAdd(hn::Mul(V(a(k, i)), V(a(k, k))), V(a(k, j)), x);
      a(i, j) = x;
    }
  return log_det;
}

template <class Matrix>
HWY_INLINE void shifted_inverse_in(int n, const double* M, const double* s, double shift,
                                   double weight, Matrix a, double* out, double* log_det) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      const V m = hn::Mul(hn::Load(D(), M + (i * n + j) * kBlock), set(s[i] * s[j]));
      a(i, j) = i == j ? hn::Sub(m, set(shift)) : m;
    }
  hn::Store(invert(n, a), D(), log_det);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j)
      hn::Store(hn::Mul(V(a(i, j)), set(weight * s[i] * s[j])), D(), out + (i * n + j) * kBlock);
}

}  // namespace

void shifted_inverse(int n, const double* M, const double* s, double shift, double weight,
                     double* out, double* log_det) {
  for (int lane = 0; lane < kBlock; lane += kLanes, M += kLanes, out += kLanes, log_det += kLanes) {
    if (n == 1)
      shifted_inverse_in(1, M, s, shift, weight, InRegisters<1>(), out, log_det);
    else if (n == 2)
      shifted_inverse_in(2, M, s, shift, weight, InRegisters<2>(), out, log_det);
    else if (n == 3)
      shifted_inverse_in(3, M, s, shift, weight, InRegisters<3>(), out, log_det);
    else
      shifted_inverse_in(n, M, s, shift, weight, InPanel{n, out}, out, log_det);
  }
}

void symmetric_product(int n, const double* M, const double* x, double* y) {
  for (int i = 0; i < n; ++i) {
    double sum[kBlock] = {};
    for (int j = 0; j < n; ++j) {
      const double* m = M + (i >= j ? i * n + j : j * n + i) * kBlock;
      for_lanes([&](int l) { sum[l] += m[l] * x[j * kBlock + l]; });
    }
    for_lanes([&](int l) { y[i * kBlock + l] = sum[l]; });
  }
}

}  // namespace mechfit::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mechfit {

HWY_EXPORT(cholesky);
HWY_EXPORT(solve_lower);
HWY_EXPORT(solve_upper);
HWY_EXPORT(solve);
HWY_EXPORT(shifted_inverse);
HWY_EXPORT(symmetric_product);

void cholesky(int n, const double* M, double* G) { HWY_DYNAMIC_DISPATCH(cholesky)(n, M, G); }
void solve_lower(int n, const double* G, const double* b, double* y) {
  HWY_DYNAMIC_DISPATCH(solve_lower)(n, G, b, y);
}
void solve_upper(int n, const double* G, const double* y, double* x) {
  HWY_DYNAMIC_DISPATCH(solve_upper)(n, G, y, x);
}
void solve(int n, const double* G, const double* b, double* x) {
  HWY_DYNAMIC_DISPATCH(solve)(n, G, b, x);
}
void shifted_inverse(int n, const double* M, const double* s, double shift, double weight,
                     double* out, double* log_det) {
  HWY_DYNAMIC_DISPATCH(shifted_inverse)(n, M, s, shift, weight, out, log_det);
}
void symmetric_product(int n, const double* M, const double* x, double* y) {
  HWY_DYNAMIC_DISPATCH(symmetric_product)(n, M, x, y);
}

}  // namespace mechfit
#endif
