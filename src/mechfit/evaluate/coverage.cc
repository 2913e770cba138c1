#include "mechfit/evaluate/coverage.h"

#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"
#include "mechfit/base/random.h"

namespace mechfit {
namespace {

constexpr std::uint64_t kNoiseStream = 903;  // that nothing else draws from

// How many values are inside of each band.
struct Tally {
  int values = 0, inside[kBandCount] = {};

  void add(double measured, const BandLimits (&limits)[kBandCount]) {
    ++values;
    for (int b = 0; b < kBandCount; ++b)
      inside[b] += limits[b].low <= measured && measured <= limits[b].high;
  }
  double share(int b) const { return values == 0 ? kNan : static_cast<double>(inside[b]) / values; }
};

}  // namespace

double normal_quantile(double band) {
  // Newton on erf(x / sqrt 2) = band. Nine steps reach 1e-12 for a band of 0.999.
  double x = 1;
  for (int k = 0; k < 20; ++k)
    x -= (std::erf(x / std::sqrt(2.0)) - band) / (std::sqrt(2 / M_PI) * std::exp(-x * x / 2));
  return x;
}

std::vector<double> acceleration_coverage(const AccelerationBands& bands,
                                          std::span<const double> measured) {
  MECHFIT_CHECK(measured.size() == bands.centre.size());
  Tally tally;
  for (std::size_t k = 0; k < measured.size(); ++k) {
    BandLimits limits[kBandCount];
    for (int b = 0; b < kBandCount; ++b) limits[b] = {bands.low[b][k], bands.high[b][k]};
    tally.add(measured[k], limits);
  }
  std::vector<double> shares;
  for (int b = 0; b < kBandCount; ++b) shares.push_back(tally.share(b));
  return shares;
}

std::vector<std::vector<double>> rollout_coverage(std::span<const Rollout> predictions,
                                                  const Log& observed, const Starts& starts,
                                                  std::span<const double> horizons,
                                                  std::span<const double> sigma) {
  const int n = observed.n();
  MECHFIT_CHECK(static_cast<int>(sigma.size()) == n);
  std::vector<std::vector<double>> shares(kBandCount);
  std::vector<double> values(predictions.size());
  Random random(0, kNoiseStream);
  for (const double seconds : horizons) {
    Tally tally;
    for (int s = 0; s < starts.size(); ++s) {
      const Trajectory& run = observed.runs[starts.run[s]];
      const int from = starts.sample[s], to = sample_near(run, from, seconds);
      if (to < 0) continue;
      for (int i = 0; i < n; ++i) {
        if (std::isnan(run.q[to * n + i])) continue;
        for (std::size_t k = 0; k < predictions.size(); ++k) {
          const Rollout& rollout = predictions[k];
          const auto row = static_cast<std::size_t>(s) * (rollout.steps + 1) + to - from;
          values[k] = rollout.completed[s] >= to - from
                          ? rollout.q[row * n + i] + sigma[i] * random.normal()
                          : kNan;
        }
        BandLimits limits[kBandCount];
        bands_of(values, limits);
        tally.add(run.q[to * n + i], limits);
      }
    }
    for (int b = 0; b < kBandCount; ++b) shares[b].push_back(tally.share(b));
  }
  return shares;
}

}  // namespace mechfit
