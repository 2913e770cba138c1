// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mechfit/mechanics/lanes.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on

#include "mechfit/mechanics/lanes.h"

#include <cmath>
#include <limits>

// Plain loops over the lanes: the compiler vectorises them for each target.
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

// M = L D L', L with a unit diagonal: one division for each pivot and no root.
void invert(int n, const double* M, double* A, double* det) {
  auto at = [&](int i, int j) { return A + (i * n + j) * kBlock; };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      const double* m = M + (i * n + j) * kBlock;
      double* a = at(i, j);
      for_lanes([&](int l) { a[l] = m[l]; });
    }
  // L below the diagonal, 1 / D on it; rows from below, so that D_j L_kj is still there for k < i
  for_lanes([&](int l) { det[l] = 1.0; });
  for (int j = 0; j < n; ++j) {
    double* pivot = at(j, j);
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    for_lanes([&](int l) {
      const double d = pivot[l] > 0 ? pivot[l] : nan;
      det[l] *= d;
      pivot[l] = 1.0 / d;
    });
    for (int i = n - 1; i > j; --i) {
      double factor[kBlock];
      double* a = at(i, j);
      for_lanes([&](int l) { factor[l] = a[l] * pivot[l]; });
      for (int k = j + 1; k <= i; ++k) {
        const double* other = at(k, j);
        double* rest = at(i, k);
        for_lanes([&](int l) { rest[l] -= factor[l] * other[l]; });
      }
      for_lanes([&](int l) { a[l] = factor[l]; });
    }
  }
  // X = L^-1 in place of L: X_ij = -(L_ij + sum over j < k < i of L_ik X_kj)
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < i; ++j) {
      double* x = at(i, j);
      for (int k = j + 1; k < i; ++k) {
        const double *a = at(i, k), *b = at(k, j);
        for_lanes([&](int l) { x[l] += a[l] * b[l]; });
      }
      for_lanes([&](int l) { x[l] = -x[l]; });
    }
  // A = X' D^-1 X in place of X, the diagonal of a row last because it holds 1 / D
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      double* a = at(i, j);
      if (j < i) {
        const double* pivot = at(i, i);
        for_lanes([&](int l) { a[l] *= pivot[l]; });
      }
      for (int k = i + 1; k < n; ++k) {
        const double *x = at(k, i), *y = at(k, j), *pivot = at(k, k);
        for_lanes([&](int l) { a[l] += x[l] * pivot[l] * y[l]; });
      }
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
HWY_EXPORT(invert);
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
void invert(int n, const double* M, double* A, double* det) {
  HWY_DYNAMIC_DISPATCH(invert)(n, M, A, det);
}
void symmetric_product(int n, const double* M, const double* x, double* y) {
  HWY_DYNAMIC_DISPATCH(symmetric_product)(n, M, x, y);
}

}  // namespace mechfit
#endif
