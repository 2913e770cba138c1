#include "mechfit/evaluate/motion_size.h"

#include <cmath>

namespace mechfit {

MotionSize motion_size(int n, std::span<const std::vector<double>> t,
                       std::span<const std::vector<double>> q) {
  MotionSize out;
  for (int j = 0; j < n; ++j) {
    double position = 0, acceleration = 0, jerk = 0;
    std::size_t samples = 0, inner = 0, steps = 0;
    for (std::size_t r = 0; r < t.size(); ++r) {
      const auto at = [&](std::size_t k) { return q[r][k * n + j]; };
      double mean = 0, last = 0;
      for (std::size_t k = 0; k < t[r].size(); ++k)
        mean += at(k) / static_cast<double>(t[r].size());
      for (std::size_t k = 0; k < t[r].size(); ++k, ++samples)
        position += (at(k) - mean) * (at(k) - mean);
      for (std::size_t k = 1; k + 1 < t[r].size(); ++k, ++inner) {
        const double h1 = t[r][k] - t[r][k - 1], h2 = t[r][k + 1] - t[r][k];
        const double a = ((at(k + 1) - at(k)) / h2 - (at(k) - at(k - 1)) / h1) / (0.5 * (h1 + h2));
        acceleration += a * a;
        if (k > 1) jerk += (a - last) * (a - last) / (h1 * h1);
        steps += k > 1;
        last = a;
      }
    }
    const auto root = [](double sum, std::size_t count) {
      return sum > 0 ? std::sqrt(sum / static_cast<double>(count)) : 0;
    };
    const double a = root(acceleration, inner);
    // A joint that never moves still has an estimate.
    out.position.push_back(position > 0 ? root(position, samples) : 1);
    out.acceleration.push_back(a > 0 ? a : 1);
    out.omega.push_back(a > 0 ? root(jerk, steps) / a : 0);
  }
  return out;
}

void set_sizes(const MotionSize& size, std::span<CorrelatedMotion> runs) {
  const std::size_t n = size.acceleration.size();
  double mean = 0, count = 0;
  for (auto& run : runs) {
    const std::vector<double>&q = run.run.q, &h = run.run.h;
    for (std::size_t k = 0; k < run.size.size(); ++k) {
      double sum = 0;
      for (std::size_t j = 0; j < n; ++j) {
        const double* x = &q[k * n + j];
        const double a =
            ((x[2 * n] - x[n]) / h[k + 1] - (x[n] - x[0]) / h[k]) / (0.5 * (h[k] + h[k + 1]));
        sum += a * a / (size.acceleration[j] * size.acceleration[j]) / static_cast<double>(n);
      }
      run.size[k] = sum;
      mean += run.size[k];
      ++count;
    }
  }
  if (!(mean > 0)) mean = count = 1;  // nothing moves: all are equal
  for (auto& run : runs)
    for (double& x : run.size) x = std::sqrt(kSizeFloor + (1 - kSizeFloor) * x * count / mean);
}

}  // namespace mechfit
