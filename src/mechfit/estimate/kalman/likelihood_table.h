#pragma once

#include <span>
#include <vector>

namespace mechfit {

// The likelihood of one or several series as a function of the ratio lambda = intensity / R (in
// units of R and of the step), tabulated over x = log10(lambda):
//   -2 log p(y | lambda, R) = log_det(x) + counted log(2 pi R) + squares(x) / R
struct LikelihoodTable {
  double start = 0;  // x of the first node
  double step = 1;
  double counted = 0;
  std::vector<double> log_det;      // [nodes]
  std::vector<double> log_squares;  // [nodes]

  double node(int i) const { return start + step * i; }
  int nodes() const { return static_cast<int>(log_det.size()); }
};

struct LikelihoodMaximum {
  double log_r = 0;       // log R, one for all tables
  std::vector<double> x;  // log10(lambda) of each table
};

// Maximises the sum of the tables' log-likelihoods over one R and a lambda each: over all nodes
// and a grid of R first, so that a local maximum does not catch it, then between them on cubics.
LikelihoodMaximum maximize_likelihood(std::span<const LikelihoodTable> tables);

}  // namespace mechfit
