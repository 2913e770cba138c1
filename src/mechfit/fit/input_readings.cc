#include "mechfit/fit/input_readings.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mechfit/base/climb.h"
#include "mechfit/fit/joint/input_profile.h"
#include "mechfit/log/acting_input.h"
#include "mechfit/log/refine.h"
#include "mechfit/log/steps.h"

namespace mechfit {
namespace {

// Parts of a sample's step on which the readings are compared: the moment of a linear input within
// a step is a half of its own on 2 parts, 15/16 on 4.
constexpr int kParts = 4;
// Where motions are estimated on steps so much longer than the samples' the comparison would cost
// more than it tells.
constexpr double kMostThinned = 8;
// Share of delays that are a whole number of samples, and the least doubt about one [samples]: more
// than noise says, for models miss something.
constexpr double kWholeShare = 0.5, kLeastDoubt = 0.02;
// Distance at which a top is looked for [standard errors].
constexpr double kBeside = 2;

// log of the probability density of a delay that was estimated, in samples, to that of one that may
// be any.
double log_prior(const InputTiming& timing, double sample) {
  const double delay = timing.delay / sample;
  const double doubt = std::max(kLeastDoubt, timing.delay_error / sample);
  const double z = (delay - std::round(delay)) / doubt;
  return std::log(1 - kWholeShare +
                  kWholeShare * std::exp(-0.5 * z * z) / (std::sqrt(2 * std::numbers::pi) * doubt));
}

// On steps of a part of the samples', from the fitted motions.
class FinerSteps {
 public:
  FinerSteps(const JointResult& fitted, const Log& sampled, double step)
      : fitted_(fitted.model), observed_(refine(sampled, step)) {
    fitted_.noise = fitted.noise;
    fitted_.train = observed_;
    for (std::size_t r = 0; r < observed_.runs.size(); ++r) {
      const Trajectory& from = fitted.train.runs[r];
      Trajectory& to = fitted_.train.runs[r];
      to.q = interpolate(from.t, from.q, observed_.n(), to.t);
    }
  }

  // The likeliest delay of a reading; nothing where no run is long enough.
  std::optional<ClimbResult> climb_from(const InputTiming& timing, std::span<const int> fixed,
                                        double longest, ThreadPool& pool) const {
    Log log = observed_;
    if (timing.hold == InputHold::linear)
      for (Trajectory& run : log.runs)
        run.input = std::make_shared<const ActingInput>(run.input->with_cubics(kParts));
    InputProfile profile(fitted_, log, fixed, longest, log.samples(), pool);
    if (!profile.usable()) return std::nullopt;
    const auto at = [&](double delay) {
      InputTiming moved = timing;
      moved.delay = delay;
      return profile.log_likelihood(moved);
    };
    const double value = at(timing.delay), error = timing.delay_error;
    if (!(error > 0)) return ClimbResult{timing.delay, value};
    return climb(timing.delay, value, {kBeside * error, 2, 0, kInfinity}, at);
  }

 private:
  JointResult fitted_;
  Log observed_;
};

}  // namespace

Readings compare_readings(const JointResult& fitted, const FitData& data,
                          std::span<const int> fixed, double longest, const InputTiming& held,
                          const InputTiming& linear, ThreadPool& pool) {
  const double sample = median_step(*data.train);
  double gain = log_prior(linear, sample) - log_prior(held, sample);
  Readings out{0, held.delay, linear.delay};
  if (median_step(*data.sampled.train) < kMostThinned * sample) {
    const FinerSteps finer(fitted, *data.sampled.train, sample / kParts);
    const auto a = finer.climb_from(linear, fixed, longest, pool);
    const auto b = finer.climb_from(held, fixed, longest, pool);
    if (a && b && std::isfinite(a->value) && std::isfinite(b->value)) {
      gain += a->value - b->value;
      out = {0, b->x, a->x};
    }
  }
  out.linear_share = 1 / (1 + std::exp(-gain));
  return out;
}

}  // namespace mechfit
