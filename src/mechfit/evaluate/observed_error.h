#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

namespace mechfit {

// Errors of predictions in noisy observations, the noise's share taken off: with y = q + N(0,
// sigma^2) and a prediction p made without y
//
//   E |p - y|^2 = |p - q|^2 + sigma^2
struct ObservedErrors {
  std::vector<double> joint;  // [n] sqrt(max(0, mean (p - y)^2 - sigma^2))
  double overall = 0;         // root of the mean over joints of mean (p - y)^2 - sigma^2, or 0
  double mean_square = 0;     // that mean itself, which noise can make negative
  double standard_error = 0;  // of mean_square
  int observations = 0;
};

// Sums of such errors. Predictions of one block (neighbours in time) depend on each other; blocks
// do not.
class ObservedSum {
 public:
  explicit ObservedSum(std::span<const double> sigma);
  void add(std::pair<int, int> block, int joint, double difference);
  ObservedErrors finish() const;

 private:
  struct Block {
    double sum = 0;  // of squares minus sigma^2
    int count = 0;
  };
  std::vector<double> sigma2_, squares_;
  std::vector<int> counts_;
  std::map<std::pair<int, int>, Block> blocks_;
};

}  // namespace mechfit
