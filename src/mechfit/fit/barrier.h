#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mechfit/fit/chunk_sums.h"
#include "mechfit/mechanics/model.h"

namespace mechfit {

// -mean log det(S M(q) S - alpha I), S = diag(scales) for joints of different units (ones by
// default), over a set of points: keeps every eigenvalue of M above alpha. Feasible exactly where
// the Cholesky factorisation of M - alpha I exists; det alone would let two negative eigenvalues
// pass.
class Barrier {
 public:
  // q [count][n] must live as long as the barrier.
  Barrier(const Model& model, std::span<const double> q, int n, ThreadPool& pool,
          std::vector<double> scales = {});
  ~Barrier();

  int points() const { return count_; }
  void set_alpha(double alpha) { alpha_ = alpha; }
  double alpha() const { return alpha_; }

  // The barrier over the points named by `subset` (all when empty); +infinity when one is not
  // feasible. The gradient of weight times it is written unless empty, and only where it is finite.
  double operator()(const Model& model, std::span<const int> subset, double weight,
                    std::span<double> gradient);
  // Smallest eigenvalue of S M S over all points.
  double smallest_eigenvalue(const Model& model) const;

 private:
  struct Worker;
  void load_mass(const Model& model, const int* index, int count, double shift,
                 Worker& worker) const;
  double block(const Model& model, const int* index, int count, double scale, bool gradient,
               Worker& worker) const;

  std::span<const double> q_;
  int n_, count_;
  double alpha_ = 0.0;
  std::vector<double> scales_;
  std::vector<int> all_;
  std::vector<std::unique_ptr<Worker>> workers_;
  ChunkSums sums_;
};

}  // namespace mechfit
