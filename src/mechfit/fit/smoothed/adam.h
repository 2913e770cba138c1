#pragma once

#include <span>
#include <vector>

namespace mechfit {

// Adam (Kingma and Ba, 2015). The moments are plain members, for checkpoints.
struct Adam {
  explicit Adam(std::size_t size = 0) : mean(size, 0.0), square(size, 0.0) {}

  // step [size] = -rate mean_hat / (sqrt(square_hat) + eps)
  void step(std::span<const double> gradient, double rate, std::span<double> step);

  // The values of Kingma and Ba.
  static constexpr double kBeta1 = 0.9, kBeta2 = 0.999, kEpsilon = 1e-8;
  std::vector<double> mean, square;
  double power1 = 1.0, power2 = 1.0;  // beta^k
};

}  // namespace mechfit
