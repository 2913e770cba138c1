#pragma once

#include <span>
#include <vector>

#include "mechfit/base/thread_pool.h"
#include "mechfit/evaluate/acceleration_error.h"
#include "mechfit/evaluate/ensemble.h"
#include "mechfit/evaluate/starts.h"
#include "mechfit/integrate/rollout.h"

// Equally likely predictions: the model's parameters, its own error and the state it starts from
// are drawn as well as they are known. What is measured is one more such draw, so a band from the
// i-th smallest to the i-th largest of K predictions holds it with probability
//
//   (K + 1 - 2 i) / (K + 1)
//
// whatever the distribution, which for the rollouts of a chaotic machine is not normal.
namespace mechfit {

inline constexpr double kBands[] = {0.5, 0.9};  // one near the middle, one towards the tails
inline constexpr int kBandCount = 2;

// K: the bands above begin at a whole i. More predictions cost time and make bands no wider.
inline constexpr int kPredictions = 39;

struct BandLimits {
  double low = 0, high = 0;
};

// The bands of K predictions, which are sorted in place. A prediction that failed is NaN and may
// have been anything.
void bands_of(std::span<double> predictions, BandLimits (&out)[kBandCount]);

// Predicted accelerations and their bands.
struct AccelerationBands {
  std::vector<double> centre;                             // [N][n]
  std::vector<double> low[kBandCount], high[kBandCount];  // [N][n]
};

// The error of the model is drawn with its root mean square (Knowledge), more where accelerations
// are large, and more outside of the region its data covered.
AccelerationBands acceleration_bands(const Ensemble& ensemble, const MotionView& points,
                                     ThreadPool& pool);

// Whether anything is known of how far the model may be off.
bool tells_deviations(const Ensemble& ensemble);

// Half the wider band, as the standard deviation of a normal distribution [N][n]; empty where
// nothing is known.
std::vector<double> acceleration_deviations(const Ensemble& ensemble, const MotionView& points,
                                            ThreadPool& pool);

// States that kPredictions rollouts of B trajectories start from, [kPredictions][B][n]; without any
// they start from the request's.
struct DrawnStates {
  std::vector<std::vector<double>> q, v;
};

// kPredictions rollouts by Runge-Kutta's method: each has its own model where there are several,
// starts from its own states, and is pushed by an error as large and as slow as the model's, larger
// where the motion leaves the region that the model's data covered.
std::vector<Rollout> predict_rollouts(const Ensemble& ensemble, const RolloutRequest& request,
                                      const DrawnStates& drawn, ThreadPool& pool);
std::vector<Rollout> predict_rollouts(const Ensemble& ensemble, const Log& log,
                                      std::span<const Starts> drawn, const RolloutSteps& cut,
                                      ThreadPool& pool);

}  // namespace mechfit
