#include "mechfit/evaluate/observed_error.h"

#include <algorithm>
#include <cmath>

namespace mechfit {

ObservedSum::ObservedSum(std::span<const double> sigma)
    : squares_(sigma.size(), 0.0), counts_(sigma.size(), 0) {
  for (const double x : sigma) sigma2_.push_back(x * x);
}

void ObservedSum::add(std::pair<int, int> block, int joint, double difference) {
  if (std::isnan(difference)) return;  // a missing sample
  squares_[joint] += difference * difference;
  ++counts_[joint];
  Block& own = blocks_[block];
  own.sum += difference * difference - sigma2_[joint];
  ++own.count;
}

ObservedErrors ObservedSum::finish() const {
  ObservedErrors out;
  double total = 0, noise4 = 0;
  for (std::size_t j = 0; j < sigma2_.size(); ++j) {
    const double mean = counts_[j] > 0 ? squares_[j] / counts_[j] - sigma2_[j] : 0;
    out.joint.push_back(std::sqrt(std::max(0.0, mean)));
    out.observations += counts_[j];
    total += squares_[j] - counts_[j] * sigma2_[j];
    noise4 += counts_[j] * 2 * sigma2_[j] * sigma2_[j];
  }
  if (out.observations == 0) return out;
  const double count = out.observations;
  out.mean_square = total / count;
  out.overall = std::sqrt(std::max(0.0, out.mean_square));
  // Between blocks, where there are several; at least what the noise alone gives.
  double between = 0;
  for (const auto& [key, block] : blocks_) {
    const double x = block.sum - block.count * out.mean_square;
    between += x * x;
  }
  const double blocks = static_cast<double>(blocks_.size());
  between = blocks > 1 ? between * blocks / (blocks - 1) : total * total;
  out.standard_error = std::sqrt(std::max(between, noise4)) / count;
  return out;
}

}  // namespace mechfit
