#include "mechfit/evaluate/quality.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/evaluate/scores.h"

namespace mechfit {
namespace {

// Rollouts whose start alone makes more than this share of the better baseline's error do not tell
// how good the model is. Half: what is left of the error then still shows a model that is unusable.
constexpr double kHiddenByStart = 0.5;
// Standard errors that an error must be above what start and noise make, and that the better
// baseline's half must be, to tell something of the model.
constexpr double kDoubt = 2;

double ratio(double error2, double size2) {
  if (error2 <= 0) return 0;
  return size2 > 0 ? std::sqrt(error2 / size2) : kInfinity;
}

// Sum over joints of x^2 / unit^2; joints that never moved do not count.
double squares_in_units(const std::vector<double>& x2, const std::vector<double>& unit) {
  double sum = 0;
  for (std::size_t j = 0; j < x2.size(); ++j)
    if (unit[j] > 0) sum += x2[j] / (unit[j] * unit[j]);
  return sum;
}

double in_units(std::vector<double> x, const std::vector<double>& unit) {
  for (double& value : x) value *= value;
  return squares_in_units(x, unit);
}

Quality::Horizon horizon_of(const HorizonScore& score, const std::vector<double>& unit) {
  const bool observed = !score.variational_observed.joint.empty();
  const auto& model = observed ? score.variational_observed.joint : score.variational.joint;
  const auto& velocity = observed ? score.velocity_observed.joint : score.velocity.joint;
  const auto& stay = observed ? score.stay_observed.joint : score.stay.joint;
  Quality::Horizon out;
  out.seconds = score.seconds;
  const double start2 = score.start.joint.empty() ? 0 : in_units(score.start.joint, unit);
  out.observed2 = in_units(model, unit);
  const double doubt2 = kDoubt * squares_in_units(score.chance2, unit);
  out.error2 = std::max(0.0, out.observed2 - start2 - doubt2);
  out.baseline2 = std::min(in_units(velocity, unit), in_units(stay, unit));
  out.judgeable = score.judgeable && out.baseline2 > 0 &&
                  std::max(start2, doubt2) <= kHiddenByStart * kHiddenByStart * out.baseline2;
  return out;
}

}  // namespace

double Quality::Horizon::relative() const { return ratio(error2, baseline2); }
double Quality::Horizon::observed() const { return ratio(observed2, baseline2); }
double Quality::relative() const { return ratio(error2, size2); }

Quality quality_of(const Scores& scores) {
  Quality out;
  out.samples = scores.samples;
  const auto& unit = scores.units.acceleration;
  if (scores.model_error && scores.model_error->runs > scores.model_error->without_model) {
    out.error2 = in_units(scores.model_error->joint, unit);
    out.size2 = in_units(scores.model_error->acceleration, unit);
  } else {
    out.error2 = squares_in_units(scores.acceleration.joint_mse, unit);
    out.size2 = squares_in_units(scores.acceleration_mean.joint_mse, unit);
  }
  for (const HorizonScore& score : scores.rollout.horizons)
    out.horizons.push_back(horizon_of(score, scores.units.velocity));
  return out;
}

Quality pooled(std::span<const Quality> parts) {
  Quality out;
  for (const Quality& part : parts) {
    out.samples += part.samples;
    out.error2 += part.samples * part.error2;
    out.size2 += part.samples * part.size2;
    for (const Quality::Horizon& own : part.horizons) {
      auto at = std::find_if(out.horizons.begin(), out.horizons.end(),
                             [&](const auto& other) { return other.seconds == own.seconds; });
      if (at == out.horizons.end()) {
        out.horizons.push_back({own.seconds, 0, 0, 0, false});
        at = out.horizons.end() - 1;
      }
      if (!own.judgeable) continue;
      at->judgeable = true;
      at->error2 += part.samples * own.error2;
      at->observed2 += part.samples * own.observed2;
      at->baseline2 += part.samples * own.baseline2;
    }
  }
  std::sort(out.horizons.begin(), out.horizons.end(),
            [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  return out;
}

}  // namespace mechfit
