#include "mechfit/estimate/kalman/leave_one_out.h"

#include <cmath>
#include <limits>

#include "mechfit/base/error.h"
#include "mechfit/base/median.h"
#include "mechfit/estimate/kalman/series_model.h"

namespace mechfit {
namespace {

// A sample that decides alone about its estimate is not predicted by others: 1 - h is rounding.
constexpr double kNoOthers = 1e-9;

// Where robust_intensity looks, one for each lane: log10 of the intensity in units of the noise's
// variance and of the step. From averaging over many samples to interpolation; chosen by hand.
constexpr double kLogIntensities[kSeriesLanes] = {-7, -5.5, -4, -2.5, -1, 0.5, 2, 4};
// Samples that are enough to choose between them.
constexpr int kEnough = 4000;

Prediction predict(double y, double x, double variance) {
  if (std::isnan(y)) return {x, std::sqrt(1 + std::max(0.0, variance))};
  const double others = 1 - variance;
  if (!(others > kNoOthers)) return {x, std::numeric_limits<double>::infinity()};
  return {y - (y - x) / others, 1 / std::sqrt(others)};
}

}  // namespace

std::vector<std::vector<Prediction>> leave_one_out(std::span<const Series> series,
                                                   std::span<const double> intensities) {
  MECHFIT_CHECK(series.size() == intensities.size() && series.size() <= kSeriesLanes);
  LaneParameters parameters = white_jerk_family();
  std::vector<StatePrior> priors;
  std::vector<std::vector<Prediction>> out;
  for (std::size_t lane = 0; lane < series.size(); ++lane) {
    parameters.intensity[lane] = intensities[lane];
    priors.push_back(flat_prior(series[lane]));
    out.emplace_back(series[lane].size);
  }
  std::vector<LaneSummary> summaries(series.size());
  LaneKalman(series).smooth(
      parameters, priors, summaries, [&](int begin, int count, const double* smoothed) {
        for (std::size_t lane = 0; lane < series.size(); ++lane) {
          const Series& s = series[lane];
          const int end = std::min(count, s.size - begin);
          for (int k = 0; k < end; ++k) {
            const double* row = smoothed + k * kSmoothRows * kSeriesLanes + lane;
            out[lane][begin + k] = predict(s.at(begin + k), row[0], row[3 * kSeriesLanes]);
          }
        }
      });
  return out;
}

double robust_intensity(const Series& series) {
  Series part = series;
  part.size = std::min(series.size, kEnough);
  const int begin = (series.size - part.size) / 2;
  part.t += begin;
  part.y += static_cast<std::ptrdiff_t>(begin) * series.stride;
  double intensities[kSeriesLanes];
  for (int lane = 0; lane < kSeriesLanes; ++lane)
    intensities[lane] = std::pow(10.0, kLogIntensities[lane]);
  const std::vector<Series> copies(kSeriesLanes, part);
  const auto predictions = leave_one_out(copies, intensities);

  double best = intensities[0], least = std::numeric_limits<double>::infinity();
  for (int lane = 0; lane < kSeriesLanes; ++lane) {
    std::vector<double> errors;
    for (int k = 0; k < part.size; ++k)
      if (!std::isnan(part.at(k)))
        errors.push_back(std::abs(part.at(k) - predictions[lane][k].expected));
    if (errors.empty()) break;
    const double error = median(std::move(errors));
    if (error < least) {
      least = error;
      best = intensities[lane];
    }
  }
  return best;
}

}  // namespace mechfit
