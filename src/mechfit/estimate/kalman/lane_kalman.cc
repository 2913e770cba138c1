#include "mechfit/estimate/kalman/lane_kalman.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"

namespace mechfit {
namespace {

// P = U diag(d) U' from the last column up, into rows u01 u02 u12 d0 d1 d2 of one lane. What
// rounding leaves of a nearly singular P counts as the smallest variance it can resolve.
void factorize(const double p[6], double (*rows)[kSeriesLanes], int lane) {
  constexpr double kResolution = std::numeric_limits<double>::epsilon();
  MECHFIT_CHECK(p[0] > 0 && p[3] > 0 && p[5] > 0);
  const double d2 = p[5];
  const double u02 = p[2] / d2;
  const double u12 = p[4] / d2;
  const double d1 = std::max(p[3] - u12 * p[4], kResolution * p[3]);
  const double u01 = (p[1] - u02 * p[4]) / d1;
  const double d0 = std::max(p[0] - u02 * p[2] - u01 * u01 * d1, kResolution * p[0]);
  const double values[6] = {u01, u02, u12, d0, d1, d2};
  for (int i = 0; i < 6; ++i) rows[i][lane] = values[i];
}

void summarize(const FilterState& state, double uncounted, std::span<LaneSummary> summaries) {
  for (std::size_t lane = 0; lane < summaries.size(); ++lane) {
    LaneSummary& s = summaries[lane];
    s.log_det = state.log_det[lane];
    s.squares = state.squares[lane];
    s.counted = std::max(0.0, state.observed[lane] - uncounted);
  }
}

}  // namespace

double LaneSummary::log_likelihood(double scale) const {
  return -0.5 * (log_det + counted * std::log(2 * std::numbers::pi * scale) + squares / scale);
}

LaneKalman::LaneKalman(std::span<const Series> series) : series_(series.begin(), series.end()) {
  MECHFIT_CHECK(!series.empty() && series.size() <= kSeriesLanes);
  for (const Series& s : series_) {
    MECHFIT_CHECK(s.size > 0 && s.time_unit > 0);
    samples_ = std::max(samples_, s.size);
  }
  blocks_ = (samples_ + kSampleBlock - 1) / kSampleBlock;
  const std::size_t width = kSampleBlock * kSeriesLanes;
  y_.resize(width);
  h_.resize(width);
}

SampleBlock LaneKalman::pack(int index) {
  SampleBlock block;
  block.begin = index * kSampleBlock;
  block.count = std::min(kSampleBlock, samples_ - block.begin);
  block.y = y_.data();
  block.h = h_.data();
  if (index == packed_) return block;
  for (int lane = 0; lane < kSeriesLanes; ++lane) {
    // Lanes without a series repeat the first, so that no kernel meets a value it cannot take.
    const Series& s = series_[lane < lanes() ? lane : 0];
    const int inside = std::clamp(s.size - block.begin, 0, block.count);
    for (int k = 0; k < block.count; ++k) {
      const int sample = block.begin + k;
      const bool exists = k < inside;
      y_[k * kSeriesLanes + lane] = exists ? s.at(sample) : kNan;
      h_[k * kSeriesLanes + lane] =
          exists && sample > 0 ? (s.t[sample] - s.t[sample - 1]) / s.time_unit : 0.0;
    }
  }
  packed_ = index;
  return block;
}

FilterState LaneKalman::start(LaneParameters* parameters,
                              std::span<const StatePrior> priors) const {
  MECHFIT_CHECK(static_cast<int>(priors.size()) == lanes());
  FilterState state;
  parameters->lanes = lanes();
  for (int lane = 0; lane < kSeriesLanes; ++lane) {
    const int source = lane < lanes() ? lane : 0;
    parameters->r[lane] = parameters->r[source];
    parameters->intensity[lane] = parameters->intensity[source];
    parameters->last[lane] = series_[source].size - 1;
    for (int i = 0; i < 3; ++i) state.state[i][lane] = priors[source].x[i];
    factorize(priors[source].p, state.state + 3, lane);
  }
  return state;
}

void LaneKalman::filter(const LaneParameters& model, std::span<const StatePrior> priors,
                        std::span<LaneSummary> summaries) {
  MECHFIT_CHECK(static_cast<int>(summaries.size()) == lanes());
  LaneParameters parameters = model;
  FilterState state = start(&parameters, priors);
  for (int b = 0; b < blocks_; ++b) filter_block(parameters, pack(b), &state, nullptr);
  summarize(state, parameters.uncounted, summaries);
}

void LaneKalman::smooth(const LaneParameters& model, std::span<const StatePrior> priors,
                        std::span<LaneSummary> summaries, const Sink& sink) {
  MECHFIT_CHECK(static_cast<int>(summaries.size()) == lanes());
  filtered_.resize(static_cast<std::size_t>(kSampleBlock) * kFilterRows * kSeriesLanes);
  if (sink) smoothed_.resize(static_cast<std::size_t>(kSampleBlock) * kSmoothRows * kSeriesLanes);
  borders_.resize(blocks_);

  LaneParameters parameters = model;
  FilterState state = start(&parameters, priors);
  for (int b = 0; b < blocks_; ++b) {
    borders_[b] = state;
    filter_block(parameters, pack(b), &state, b + 1 == blocks_ ? filtered_.data() : nullptr);
  }
  summarize(state, parameters.uncounted, summaries);

  SmoothState back;
  for (int b = blocks_ - 1; b >= 0; --b) {
    const SampleBlock block = pack(b);
    if (b + 1 < blocks_) filter_block(parameters, block, &borders_[b], filtered_.data());
    smooth_block(parameters, block, filtered_.data(), &back, sink ? smoothed_.data() : nullptr);
    if (sink) sink(block.begin, block.count, smoothed_.data());
  }
  for (int lane = 0; lane < lanes(); ++lane) {
    LaneSummary& s = summaries[lane];
    s.residual = back.residual[lane];
    for (int i = 0; i < 3; ++i) s.first.x[i] = back.state[i][lane];
    for (int i = 0; i < 6; ++i) s.first.p[i] = back.state[3 + i][lane];
  }
}

std::vector<std::vector<int>> lane_groups(std::span<const Series> series, int threads) {
  const int count = static_cast<int>(series.size());
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return series[a].size > series[b].size; });
  const int width = std::clamp((count + threads - 1) / threads, 1, kSeriesLanes);
  std::vector<std::vector<int>> groups;
  for (int i = 0; i < count; i += width) {
    groups.emplace_back(order.begin() + i, order.begin() + std::min(i + width, count));
  }
  return groups;
}

}  // namespace mechfit
