#pragma once

#include "mechfit/base/batch.h"

namespace mechfit {

// Kalman filter and Rauch-Tung-Striebel smoother of a triple integrator observed in its position,
//
//   x = (q, qd, qdd)      x_k = A(h) x_{k-1} + w,  w ~ N(0, Q)      y_k = q_k + v,  v ~ N(0, r)
//
//        1 h h^2/2
//   A =  0 1 h             Q fixed and diagonal, or that of white noise on the jerk (below)
//        0 0 1
//
// for several independent series side by side in SIMD lanes. Lanes never mix and no fused
// multiply-add is used, so a series gives the same bits in any lane, beside any other series and
// with any instruction set.
//
// Filtered covariances are kept as P = U diag(d) U' with U unit upper triangular: Bierman's update
// of the measurement and Thornton's of time lose no relative accuracy, however flat the prior, long
// the gap or small the noise. The smoothed ones are sums of congruences of such factors.
inline constexpr int kSeriesLanes = 8;  // a 512-bit register of doubles

// The recursions run over blocks of samples; only states at block borders are kept for a whole
// series, so memory does not grow with 18 numbers per sample. A block's states (150 kB) fit into
// the second-level cache. No result depends on it.
inline constexpr int kSampleBlock = 256;

struct LaneParameters {
  bool white_jerk = false;
  // Q = diag(fixed_noise) per step, whatever its length; or with white noise of intensity l on the
  // jerk, exact for any h:
  //           h^5/20 h^4/8 h^3/6
  //   Q = l   h^4/8  h^3/3 h^2/2
  //           h^3/6  h^2/2 h
  double fixed_noise[3] = {};
  alignas(kAlignment) double intensity[kSeriesLanes] = {};
  alignas(kAlignment) double r[kSeriesLanes] = {};     // variance of the observations
  alignas(kAlignment) double last[kSeriesLanes] = {};  // index of the last sample of each series
  // Observations that only pin down a flat prior and do not count in the likelihood.
  double uncounted = 0;
  int lanes = 0;  // in use
};

// Rows of a stored state: x (3), then U as u01 u02 u12, then d (3).
inline constexpr int kFilterRows = 9;

struct FilterState {
  alignas(kAlignment) double state[kFilterRows][kSeriesLanes] = {};
  // -2 log likelihood = log_det + squares + counted log(2 pi)
  alignas(kAlignment) double log_det[kSeriesLanes] = {};  // sum of log S
  alignas(kAlignment) double squares[kSeriesLanes] = {};  // sum of e^2 / S, e the innovation
  alignas(kAlignment) double observed[kSeriesLanes] = {};
};

// Rows of a smoothed state: x (3), then P as 00 01 02 11 12 22.
inline constexpr int kSmoothRows = 9;

struct SmoothState {
  alignas(kAlignment) double state[kSmoothRows][kSeriesLanes] = {};
  alignas(kAlignment) double step[kSeriesLanes] = {};  // h of the sample after the block
  // Sum over the observations of E (y - q)^2, what EM needs for r.
  alignas(kAlignment) double residual[kSeriesLanes] = {};
};

// A block of samples. y is NaN where nothing was observed and after the end of a series.
struct SampleBlock {
  int begin = 0;              // index of its first sample in the series
  int count = 0;              // <= kSampleBlock
  const double* y = nullptr;  // [count][kSeriesLanes]
  const double* h = nullptr;  // [count][kSeriesLanes] time since the sample before
};

// Takes `state` (filtered at the sample before the block, or the prior when begin = 0) through the
// block; stores the filtered state of every sample in filtered [count][kFilterRows][kSeriesLanes]
// unless it is null.
void filter_block(const LaneParameters& parameters, const SampleBlock& block, FilterState* state,
                  double* filtered);

// Takes `state` (smoothed at the sample after the block) back through the block; stores the
// smoothed states in smoothed [count][kSmoothRows][kSeriesLanes] unless it is null.
void smooth_block(const LaneParameters& parameters, const SampleBlock& block,
                  const double* filtered, SmoothState* state, double* smoothed);

}  // namespace mechfit
