#include "mechfit/estimate/motion/noise_mixture.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "mechfit/base/median.h"

namespace mechfit {
namespace {

constexpr double kNormal = 1.4826022185056018;  // standard deviation / median |x| of normal numbers
// The wide part begins with what is further out. One in two million normal numbers is.
constexpr double kFar = 5;
// Of the wide part, in units of the others: less is a heavy tail and no defect.
constexpr double kLeastWidth = 4;
// Log-likelihood that the wide part has to gain. One observation in 7,000 gains it by 7 deviations.
constexpr double kEvidence = 10;
constexpr int kRounds = 40;
// More than this share is no defect of good observations.
constexpr double kMostBad = 0.1;

double log_normal(double z, double scale) {
  const double x = z / scale;
  return -0.5 * x * x - std::log(scale);
}

double log_sum(double a, double b) {
  const double most = std::max(a, b);
  return most + std::log(std::exp(a - most) + std::exp(b - most));
}

double log_good(const NoiseMixture& m, double z) {
  return std::log(1 - m.share) + log_normal(z, m.scale);
}
double log_wide(const NoiseMixture& m, double z) {
  return std::log(m.share) + log_normal(z, m.width * m.scale);
}

// Log-likelihood of the mixture less that of one normal distribution.
double evidence(const NoiseMixture& m, std::span<const double> z) {
  double squares = 0, sum = 0;
  for (const double x : z) squares += x * x;
  const double scale = std::sqrt(squares / static_cast<double>(z.size()));
  for (const double x : z) sum += log_sum(log_good(m, x), log_wide(m, x)) - log_normal(x, scale);
  return sum;
}

}  // namespace

bool NoiseMixture::wide(double z) const {
  return share > 0 && log_wide(*this, z) > log_good(*this, z);
}

NoiseMixture fit_noise_mixture(std::span<const double> z) {
  std::vector<double> sizes;
  for (const double x : z) sizes.push_back(std::abs(x));
  if (sizes.empty()) return {};
  const auto count = static_cast<double>(z.size());
  NoiseMixture m;
  m.scale = kNormal * median(std::move(sizes));
  double far = 0, squares = 0;
  for (const double x : z)
    if (std::abs(x) > kFar * m.scale) {
      ++far;
      squares += x * x;
    }
  if (!(m.scale > 0) || far == 0) return {};
  m.share = std::min(far / count, 0.5);
  m.width = std::sqrt(squares / far) / m.scale;
  for (int round = 0; round < kRounds; ++round) {
    double out = 0, out2 = 0, in2 = 0;
    for (const double x : z) {
      const double good = log_good(m, x), wide = log_wide(m, x);
      const double p = std::exp(wide - log_sum(good, wide));
      out += p;
      out2 += p * x * x;
      in2 += (1 - p) * x * x;
    }
    m.share = out / count;
    m.scale = std::sqrt(in2 / (count - out));
    m.width = std::max(kLeastWidth, std::sqrt(out2 / out) / m.scale);
    if (!(m.share > 0 && m.share < kMostBad && m.scale > 0 && std::isfinite(m.width))) return {};
  }
  if (!(evidence(m, z) > kEvidence)) return {};
  return m;
}

}  // namespace mechfit
