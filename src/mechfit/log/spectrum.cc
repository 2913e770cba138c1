#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <numbers>

#include "mechfit/log/inspect.h"
#include "mechfit/log/steps.h"

namespace mechfit {
namespace {

using Complex = std::complex<double>;

// In place, radix 2, x.size() a power of two.
void fourier_transform(std::vector<Complex>& x) {
  const std::size_t size = x.size();
  for (std::size_t i = 1, j = 0; i < size; ++i) {
    std::size_t bit = size >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (std::size_t length = 2; length <= size; length <<= 1) {
    const std::size_t half = length / 2;
    for (std::size_t k = 0; k < half; ++k) {
      const double angle = -std::numbers::pi * static_cast<double>(k) / static_cast<double>(half);
      const Complex w = std::polar(1.0, angle);
      for (std::size_t i = k; i < size; i += length) {
        const Complex a = x[i], b = w * x[i + half];
        x[i] = a + b;
        x[i + half] = a - b;
      }
    }
  }
}

// The run on a grid of step h, between the samples along straight lines, with the line of least
// squares taken off.
std::vector<double> even_samples(const Trajectory& run, int joint, int n, double h,
                                 std::size_t most) {
  const double duration = run.t.back() - run.t.front();
  const auto count =
      static_cast<std::size_t>(std::min(static_cast<double>(most), std::floor(duration / h) + 1.0));
  std::vector<double> x(count);
  std::size_t k = 0;
  const auto q = [&](std::size_t i) {
    return run.q[i * static_cast<std::size_t>(n) + static_cast<std::size_t>(joint)];
  };
  for (std::size_t i = 0; i < count; ++i) {
    const double t = run.t.front() + static_cast<double>(i) * h;
    while (k + 2 < run.t.size() && run.t[k + 1] < t) ++k;
    const double s = std::clamp((t - run.t[k]) / (run.t[k + 1] - run.t[k]), 0.0, 1.0);
    x[i] = (1.0 - s) * q(k) + s * q(k + 1);
  }
  const double middle = 0.5 * static_cast<double>(count - 1);
  double mean = 0.0, slope = 0.0, spread = 0.0;
  for (const double value : x) mean += value / static_cast<double>(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double d = static_cast<double>(i) - middle;
    slope += d * (x[i] - mean);
    spread += d * d;
  }
  for (std::size_t i = 0; i < count; ++i)
    x[i] -= mean + slope / std::max(spread, 1.0) * (static_cast<double>(i) - middle);
  return x;
}

}  // namespace

double dominant_frequency(const Log& log, int joint) {
  // Samples of one run that are transformed, which bounds time and memory: 43 minutes at 100 Hz
  // tell its main frequency.
  constexpr std::size_t kMost = std::size_t{1} << 18;
  const double h = median_step(log);
  if (h == 0.0) return 0.0;
  double longest = 0.0;
  std::size_t most_samples = 0;
  for (const auto& run : log.runs) {
    most_samples = std::max(most_samples, run.t.size());
    if (run.size() > 1) longest = std::max(longest, run.t.back() - run.t.front());
  }
  // A run with gaps has a longer grid than samples; four times as long bounds the memory.
  const auto most = static_cast<double>(std::min(kMost, 4 * most_samples));
  const auto size = std::bit_ceil(static_cast<std::size_t>(std::min(most, longest / h + 1.0)));
  std::vector<double> power(size / 2 + 1, 0.0);
  std::vector<Complex> x;
  for (const auto& run : log.runs) {
    if (run.size() < 4) continue;  // a line takes two, a period two more
    const auto samples = even_samples(run, joint, log.n(), h, size);
    x.assign(size, 0.0);
    for (std::size_t i = 0; i < samples.size(); ++i) {  // Hann window
      const double phase = 2.0 * std::numbers::pi * (static_cast<double>(i) + 0.5) /
                           static_cast<double>(samples.size());
      x[i] = samples[i] * (0.5 - 0.5 * std::cos(phase));
    }
    fourier_transform(x);
    for (std::size_t k = 0; k < power.size(); ++k) power[k] += std::norm(x[k]);
  }
  const double df = 1.0 / (static_cast<double>(size) * h);
  const auto first = static_cast<std::size_t>(std::max(1.0, std::ceil(1.0 / (longest * df))));
  if (first >= power.size()) return 0.0;
  const auto peak =
      std::max_element(power.begin() + static_cast<std::ptrdiff_t>(first), power.end());
  return *peak > 0.0 ? static_cast<double>(peak - power.begin()) * df : 0.0;
}

}  // namespace mechfit
