#include "mechfit/evaluate/torque_window.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/base/median.h"

namespace mechfit {
namespace {

// omega times the window, omega = rms a / rms v: the mean of a sine over it is less than the sine
// by 0.1^2 / 24, four tenths of a thousandth.
constexpr double kPhase = 0.1;

}  // namespace

double torque_window(const MotionView& points) {
  const int n = points.n, size = points.size();
  double omega = 0;
  for (int j = 0; j < n; ++j) {
    double v = 0, a = 0;
    for (int k = 0; k < size; ++k) {
      v += std::pow(points.v[static_cast<std::size_t>(k) * n + j], 2);
      a += std::pow(points.a[static_cast<std::size_t>(k) * n + j], 2);
    }
    if (v > 0) omega = std::max(omega, std::sqrt(a / v));
  }
  return omega > 0 ? kPhase / omega : 0;
}

std::vector<Stretch> stretches(const MotionView& points, double window) {
  const int size = points.size();
  MECHFIT_CHECK(points.h.empty() || static_cast<int>(points.h.size()) == size);
  std::vector<double> steps;
  for (const double h : points.h)
    if (h > 0) steps.push_back(h);
  const double h = steps.empty() ? 0 : median(steps);
  std::vector<Stretch> out;
  if (!(window > 1.5 * h) || h == 0) {
    for (int k = 0; k < size; ++k) out.push_back({k, 1});
    return out;
  }
  bool any = false;   // stretch of the run so far
  double length = h;  // of the stretch, with one step for its last sample
  for (int k = 0, first = 0; k < size; length += points.h[k], ++k) {
    const bool ends = points.h[k] == 0;
    if (length + 0.5 * h < window && !ends) continue;
    if (length >= 0.5 * window || !any) out.push_back({first, k - first + 1});
    any = !ends;
    first = k + 1;
    length = ends ? h : h - points.h[k];
  }
  return out;
}

std::vector<double> stretch_means(const std::vector<Stretch>& stretches,
                                  std::span<const double> rows, int n) {
  std::vector<double> means;
  means.reserve(stretches.size() * n);
  for (const auto& [first, count] : stretches)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int k = first; k < first + count; ++k) sum += rows[static_cast<std::size_t>(k) * n + j];
      means.push_back(sum / count);
    }
  return means;
}

}  // namespace mechfit
