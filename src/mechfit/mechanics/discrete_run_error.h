#pragma once

#include <span>
#include <vector>

#include "mechfit/mechanics/discrete_run.h"

// The DEL residual of a whole run as an acceleration error (see discrete_error.h) at the inner
// configurations, e_k = Mbar_k^-1 r_k / h_k with h_k the mean of the two steps, and its
// derivatives:
//
//   de_k = Mbar^-1 (dr_k / h_k - dMbar e_k)
//
// With a reference step h_ref (RunView) sqrt(h_k h_ref) stands for h_k, so that e_k is the
// acceleration error times sqrt(h_k / h_ref): errors of constant spectral density then have one
// variance on any grid, and what is found on a finer one can be compared.
//
// Where a joint's error is that of its force (RunView::by_force) its row of Mbar is that of one:
//
//   e_d = r_d / h   driven joints, for all M;    e_p = Mbar_pp^-1 r_p / h   the others
//
// Where all joints are, M need not be positive definite.
namespace mechfit {

enum class RunDerivatives { none, configurations, parameters };  // each with those before it

// Results and scratch memory. Grows to the longest run it has seen.
struct DelRunError {
  explicit DelRunError(const Model& model);

  std::vector<double> e;         // [T-2][n]
  std::vector<double> jacobian;  // de_k / d(q_{k-1}, q_k, q_{k+1})   [T-2][3][n][n]
  std::vector<double> theta;     // de_k / dtheta, of all or some k   [T-2][n][p]

  DelRun run;
  std::vector<double> mass;           // M at the midpoints                [T-1][n][n]
  std::vector<double> inverse;        // Mbar^-1, or of what stands for it [T-2][n][n]
  AlignedVector factor;               // [n*n][kBlock]
  AlignedVector left, right;          // [2 n][kBlock]
  AlignedVector q_bar, v_bar, lanes;  // [n], [n], [p]  x [kBlock]
  std::vector<double> ones;           // [n]
};

// Fills w.e and the derivatives asked for: 2 n pullbacks per midpoint. False, and nothing to be
// used, where M is not positive definite at some midpoint or a number is not finite.
[[nodiscard]] bool del_run_error(const Model& model, const RunView& x, RunDerivatives derivatives,
                                 DelRunError& w);

// Rows begin .. begin + count - 1 of de/dtheta alone, at the last del_run_error: w.theta
// [count][n][p]. Blocks are full where count is one less than a multiple of kBlock.
void del_run_error_parameters(const Model& model, const RunView& x, int begin, int count,
                              DelRunError& w);

// Gradient of sum_k g_k' e_k for g [T-2][n] at the last del_run_error: to the configurations, q_bar
// [T][n] (overwritten; empty when not wanted), and with `theta` to the accumulator of
// w.run.block.model.
void del_run_error_pullback(const Model& model, const RunView& x, std::span<const double> g,
                            std::span<double> q_bar, bool theta, DelRunError& w);

}  // namespace mechfit
