#pragma once

#include <span>
#include <vector>

#include "mechfit/mechanics/discrete.h"

// The DEL residual of a whole run (notation of discrete.h): consecutive triples share a midpoint,
// which is evaluated once.
namespace mechfit {

struct RunView {
  std::span<const double> q;  // [T][n]
  std::span<const double> h;  // [T-1], step k leads from q_k to q_{k+1}
  std::span<const double> u;  // [T-1][m] or longer, u_k acts on step k; empty is no input
  double reference = 0;       // step at which errors are accelerations, see DelRunError; 0: any
  // [n], 1: the joint's error is that of its force, see DelRunError; empty: no joint's is
  std::span<const char> by_force = {};
};

// Results and scratch memory. Grows to the longest run it has seen, T samples to begin with.
struct DelRun {
  explicit DelRun(const Model& model, int samples = 0);

  std::vector<double> p, f;      // at the midpoints                               [T-1][n]
  std::vector<double> r;         // residual at the inner configurations 1 .. T-2  [T-2][n]
  std::vector<double> jacobian;  // dr_k / d(q_{k-1}, q_k, q_{k+1})                [T-2][3][n][n]
  DelWorkspace block;
};

// p and f at the midpoints of steps first .. first+kBlock-1, in the panels of w; lanes beyond the
// last step repeat it.
void evaluate_steps(const Model& model, const RunView& x, int first, DelWorkspace& w);

// Fills w.p, w.f and w.r, with `jacobian` also w.jacobian: 2 n pullbacks per midpoint.
void del_run(const Model& model, const RunView& x, bool jacobian, DelRun& w);

// Gradient of sum_k lambda_k' r_k for lambda [T-2][n]: to the configurations, q_bar [T][n]
// (overwritten; empty when not wanted), and with `theta` to the accumulator of w.block.model.
void del_run_pullback(const Model& model, const RunView& x, std::span<const double> lambda,
                      std::span<double> q_bar, bool theta, DelRun& w);

}  // namespace mechfit
