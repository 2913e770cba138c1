#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "mechfit/estimate/kalman/kalman_kernel.h"

namespace mechfit {

// One observed coordinate of one run: y of sample k is y[k * stride], NaN where it is missing.
struct Series {
  const double* t = nullptr;
  const double* y = nullptr;
  int stride = 1;
  int size = 0;
  double time_unit = 1;  // steps are handed to the model in multiples of it

  double at(int k) const { return y[static_cast<std::ptrdiff_t>(k) * stride]; }
};

// What a filter starts from at its first sample: N(x, P), P as 00 01 02 11 12 22.
struct StatePrior {
  double x[3] = {0, 0, 0};
  double p[6] = {1, 0, 0, 1, 0, 1};
};

// What one lane knows after a pass.
struct LaneSummary {
  double log_det = 0;                         // sum of log S over the counted observations
  double squares = 0;                         // sum of e^2 / S over them
  double counted = 0;                         // how many they are
  double residual = 0;                        // after smooth(): sum of E (y - q)^2
  StatePrior first;                           // after smooth(): smoothed first sample
  double log_likelihood(double scale) const;  // all variances in units of `scale`
};

// Filter and smoother of up to kSeriesLanes series, of any lengths, in the lanes of one kernel. The
// constructor allocates; passes do so only for the states between blocks of long series.
class LaneKalman {
 public:
  explicit LaneKalman(std::span<const Series> series);

  int lanes() const { return static_cast<int>(series_.size()); }
  int samples() const { return samples_; }

  // Forward only: the likelihood.
  void filter(const LaneParameters& parameters, std::span<const StatePrior> priors,
              std::span<LaneSummary> summaries);

  // Called once per block, last block first: samples [begin, begin + count) of all lanes in
  // smoothed [count][kSmoothRows][kSeriesLanes]; what lies behind the end of a series is padding.
  using Sink = std::function<void(int begin, int count, const double* smoothed)>;

  // Forward and backward. Without a sink only the summaries are computed.
  void smooth(const LaneParameters& parameters, std::span<const StatePrior> priors,
              std::span<LaneSummary> summaries, const Sink& sink = {});

 private:
  SampleBlock pack(int index);
  FilterState start(LaneParameters* parameters, std::span<const StatePrior> priors) const;

  std::vector<Series> series_;
  int samples_ = 0, blocks_ = 0;
  int packed_ = -1;  // block in y_, h_
  AlignedVector y_, h_, filtered_, smoothed_;
  std::vector<FilterState> borders_;  // at the start of each block
};

// Indices of the series that share a LaneKalman: neighbours in length, no more together than
// occupies all threads.
std::vector<std::vector<int>> lane_groups(std::span<const Series> series, int threads);

}  // namespace mechfit
