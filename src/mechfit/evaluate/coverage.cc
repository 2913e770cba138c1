#include "mechfit/evaluate/coverage.h"

#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"
#include "mechfit/integrate/variational.h"

namespace mechfit {
namespace {

constexpr int kCount = static_cast<int>(std::size(kBands));

// How many values are inside of each band.
struct Tally {
  int values = 0, inside[kCount] = {};

  void add(double measured, double sd, std::span<const double> predictions) {
    ++values;
    const int k = static_cast<int>(predictions.size());
    if (k < 2) return;
    double mean = 0, squares = 0;
    for (double x : predictions) mean += x / k;
    for (double x : predictions) squares += (x - mean) * (x - mean);
    const double variance = squares / (k - 1) * (1 + 1.0 / k);
    for (int b = 0; b < kCount; ++b) {
      const double t = student_quantile(kBands[b], k - 1), z = normal_quantile(kBands[b]);
      if (std::abs(measured - mean) <= std::sqrt(t * t * variance + z * z * sd * sd)) ++inside[b];
    }
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

double student_quantile(double band, int degrees) {
  // Expansion in 1 / degrees around the normal quantile (Abramowitz and Stegun 26.7.5).
  const double z = normal_quantile(band), z2 = z * z, d = degrees;
  return z * (1 + (z2 + 1) / (4 * d) + ((5 * z2 + 16) * z2 + 3) / (96 * d * d) +
              (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * d * d * d));
}

std::vector<double> acceleration_coverage(std::span<const Model> members, const MotionView& points,
                                          std::span<const double> sd, ThreadPool& pool) {
  MECHFIT_CHECK(sd.empty() || sd.size() == points.a.size());
  std::vector<std::vector<double>> predicted;
  for (const Model& member : members)
    predicted.push_back(predict_accelerations(member, points, pool));
  Tally tally;
  std::vector<double> values;
  for (std::size_t i = 0; i < points.a.size(); ++i) {
    values.clear();
    for (const auto& prediction : predicted)
      if (std::isfinite(prediction[i])) values.push_back(prediction[i]);
    tally.add(points.a[i], sd.empty() ? 0 : sd[i], values);
  }
  std::vector<double> shares;
  for (int b = 0; b < kCount; ++b) shares.push_back(tally.share(b));
  return shares;
}

std::vector<std::vector<double>> rollout_coverage(std::span<const Model> members,
                                                  const Log& observed,
                                                  std::span<const Starts> starts,
                                                  std::span<const double> horizons,
                                                  std::span<const double> sigma, int substeps,
                                                  ThreadPool& pool) {
  const int n = observed.n();
  MECHFIT_CHECK(members.size() == starts.size() && static_cast<int>(sigma.size()) == n);
  std::vector<Rollout> rollouts;
  for (std::size_t k = 0; k < members.size(); ++k) {
    const StartArrays arrays = start_arrays(members[k], observed, starts[k]);
    RolloutRequest request = arrays.request();
    request.substeps = substeps;
    rollouts.push_back(variational_rollout(members[k], request, pool));
  }
  std::vector<std::vector<double>> shares(kCount);
  for (const double seconds : horizons) {
    Tally tally;
    std::vector<double> values;
    for (int s = 0; s < starts[0].size(); ++s) {
      const Trajectory& run = observed.runs[starts[0].run[s]];
      const int from = starts[0].sample[s], to = sample_near(run, from, seconds);
      if (to < 0) continue;
      for (int i = 0; i < n; ++i) {
        if (std::isnan(run.q[to * n + i])) continue;
        values.clear();
        for (const Rollout& rollout : rollouts) {
          const auto row = static_cast<std::size_t>(s) * (rollout.steps + 1) + to - from;
          if (rollout.completed[s] >= to - from) values.push_back(rollout.q[row * n + i]);
        }
        tally.add(run.q[to * n + i], sigma[i], values);
      }
    }
    for (int b = 0; b < kCount; ++b) shares[b].push_back(tally.share(b));
  }
  return shares;
}

}  // namespace mechfit
