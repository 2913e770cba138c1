#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mechfit/fit/smoothed/chunk_sums.h"
#include "mechfit/mechanics/model.h"

namespace mechfit {

// -mean log det(S M(q) S - alpha I), S = diag(scales) for joints of different units (ones by
// default), over a set of points: keeps every eigenvalue of M above alpha. Feasible exactly where
// the Cholesky factorisation of M - alpha I exists; det alone would let two negative eigenvalues
// pass.
class Barrier {
 public:
  // q [count][n]
  Barrier(const Model& model, std::span<const double> q, int n, ThreadPool& pool,
          std::vector<double> scales = {});
  ~Barrier();

  int points() const { return count_; }
  void set_alpha(double alpha) { alpha_ = alpha; }
  double alpha() const { return alpha_; }

  // The points that count from now on are those named by index, or all when it is empty.
  void choose(std::span<const int> index);
  // The barrier over the chosen points; +infinity when one is not feasible. The gradient of weight
  // times it is written unless empty, and only where it is finite.
  double operator()(const Model& model, double weight, std::span<double> gradient);
  // The same in two halves, as in Objective.
  ChunkSums& prepare(const Model& model, double weight, bool gradient);
  double finish(std::span<double> gradient);
  // Smallest eigenvalue of S M S over all points.
  double smallest_eigenvalue(const Model& model) const;

 private:
  struct Worker;
  double sum(int begin, int end, int worker, std::span<double> gradient, bool add);
  double block(const double* q, int count, bool gradient, Worker& worker) const;

  int n_, count_, chosen_count_;
  AlignedVector q_, chosen_;  // panels [n][kBlock] of all points and of the chosen ones, if not all
  double alpha_ = 0.0;
  std::vector<double> scales_;
  std::vector<std::unique_ptr<Worker>> workers_;
  ChunkSums sums_;
  const Model* model_ = nullptr;  // of the sum that is being done, like
  double weight_ = 0.0;           // its weight
};

}  // namespace mechfit
