#pragma once

#include "mechfit/base/batch.h"

// Small dense algebra on panels, every lane its own matrix. Matrices are [n*n][kBlock], row i
// column j at i * n + j; of symmetric ones and of Cholesky factors only the lower triangle is read
// or written. Vectors are [n][kBlock].
namespace mechfit {

// f(lane) for every lane of a block. f may write only what belongs to its lane, so the compiler
// need not look for aliases before it vectorises.
template <class Function>
inline void for_lanes(Function f) {
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC ivdep
#endif
  for (int lane = 0; lane < kBlock; ++lane) f(lane);
}

// G with M = G G'. In lanes where M is not positive definite the pivot and all that follows are
// NaN, so the last pivot tells: G[(n*n-1) * kBlock + lane]. G may be M.
void cholesky(int n, const double* M, double* G);

// G y = b. y may be b.
void solve_lower(int n, const double* G, const double* b, double* y);

// G' x = y. x may be y.
void solve_upper(int n, const double* G, const double* y, double* x);

// G G' x = b. x may be b.
void solve(int n, const double* G, const double* b, double* x);

// Of A = S M S - shift I, S = diag(s): out = weight S A^-1 S and log det A, which is NaN in lanes
// where A is not positive definite. out may be M.
void shifted_inverse(int n, const double* M, const double* s, double shift, double weight,
                     double* out, double* log_det);

// y = M x, M symmetric. y may not be x.
void symmetric_product(int n, const double* M, const double* x, double* y);

}  // namespace mechfit
