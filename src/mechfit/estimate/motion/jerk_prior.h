#pragma once

#include <span>
#include <vector>

#include "mechfit/estimate/motion/banded.h"

namespace mechfit {

// What is known of a motion without a model: its jerk is white noise of intensity S per joint, as
// in the smoother without a model. With the third divided differences D q and the mean step h of
// each four nodes,
//
//   sum over joints and nodes of  h (D q)^2 / (2 S) = 1/2 q'P q
//
// Joints without an intensity have no part in it.
class JerkPrior {
 public:
  // h [T-1], T at least 4; intensity [n], 0: none.
  JerkPrior(std::span<const double> h, std::span<const double> intensity);

  double value(std::span<const double> q) const;                            // q [T][n]
  void add_gradient(std::span<const double> q, std::span<double> g) const;  // g += P q
  int half() const { return 3 * n_; }                                       // of P's band
  void add(Banded& H) const;                                                // H += P
  int rank() const { return rank_; }                 // differences that have a part in it
  double log_weight() const { return log_weight_; }  // 1/2 sum log (h / S)

 private:
  // (D q) of the nodes k to k + 3.
  double difference(std::span<const double> q, int k, int joint) const;

  int n_, rank_ = 0;
  double log_weight_ = 0;
  std::vector<double> coefficients_;  // [T-3][4]
  std::vector<double> step_;          // h [T-3]
  std::vector<double> precision_;     // 1 / S [n], 0: no part
};

}  // namespace mechfit
