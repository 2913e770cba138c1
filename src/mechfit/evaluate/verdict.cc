#include "mechfit/evaluate/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace mechfit {
namespace {

// What the words mean, by convention; no experiment stands behind them.
constexpr double kGoodShare = 0.9;  // of the accelerations' variance, explained by a good model
constexpr double kReliable = 0.5;   // of the better baseline's error, at most

// Error of the model's rollouts in units of the better baseline's, root mean square over the joints
// that move: joints may have different units. Against the observations, noise taken off, where it
// was looked at.
double relative_error(const HorizonScore& score) {
  const bool observed = !score.variational_observed.joint.empty();
  const auto& model = observed ? score.variational_observed.joint : score.variational.joint;
  const auto& velocity = observed ? score.velocity_observed.joint : score.velocity.joint;
  const auto& stay = observed ? score.stay_observed.joint : score.stay.joint;
  double sum = 0;
  int joints = 0;
  for (std::size_t i = 0; i < stay.size(); ++i) {
    const double baseline = std::min(velocity[i], stay[i]);
    if (baseline == 0) continue;
    sum += std::pow(model[i] / baseline, 2);
    ++joints;
  }
  return joints == 0 ? 0 : std::sqrt(sum / joints);
}

// By the observations where accelerations were not logged: against a smoother's a good model looks
// bad. Else 1 - mean over joints of squared error / variance.
double explained_share(const Scores& scores) {
  if (scores.model_error && scores.model_error->runs > scores.model_error->without_model)
    return scores.model_error->explained();
  double sum = 0;
  int joints = 0;
  for (std::size_t i = 0; i < scores.acceleration.joint_mse.size(); ++i) {
    const double variance = scores.acceleration_mean.joint_mse[i];
    if (variance == 0) continue;
    sum += scores.acceleration.joint_mse[i] / variance;
    ++joints;
  }
  return joints == 0 ? 1 : 1 - sum / joints;
}

std::string rollout_text(const std::vector<HorizonScore>& all, double until) {
  if (all.empty()) return "The runs are too short for rollouts.";
  std::vector<HorizonScore> horizons;  // that tell something
  std::copy_if(all.begin(), all.end(), std::back_inserter(horizons),
               [](const HorizonScore& h) { return h.judgeable; });
  if (horizons.empty())
    return "Noise hides what its rollouts are worth: no baseline leaves the observations either.";
  auto reliable = [](const HorizonScore& h) { return relative_error(h) <= kReliable; };
  if (until == 0) {
    const std::string first =
        fmt::format("after {:g} s they are not within half the error of the better baseline",
                    horizons.front().seconds);
    const auto from = std::find_if(horizons.begin(), horizons.end(), reliable);
    if (from == horizons.end()) return "Its rollouts are no better than a guess: " + first + ".";
    const auto to = std::find_if_not(from, horizons.end(), reliable) - 1;
    return fmt::format("Its short rollouts are hard to judge: {}, after {:g} s{} they are.", first,
                       from->seconds, to == from ? "" : fmt::format(" to {:g} s", to->seconds));
  }
  const auto at = std::find_if(horizons.begin(), horizons.end(),
                               [&](const HorizonScore& h) { return h.seconds == until; });
  const double error = relative_error(*at);
  std::string text =
      fmt::format("Its rollouts can be relied on up to {:g} s, where their error is ", until);
  text += error < 1e-3 ? "less than 0.1 %" : fmt::format("{:.2g} %", 100 * error);
  text += " of the better baseline's";
  text += until == horizons.back().seconds ? ", the longest time that was tried." : "; not beyond.";
  return text;
}

}  // namespace

Verdict judge(const Scores& scores) {
  Verdict verdict;
  verdict.explained = explained_share(scores);
  bool everywhere = !scores.rollout.horizons.empty();
  for (const HorizonScore& score : scores.rollout.horizons) {
    if (!score.judgeable) continue;  // noise hides every difference: accelerations decide
    if (!(relative_error(score) <= kReliable)) {
      everywhere = false;
      break;
    }
    verdict.reliable_until = score.seconds;
  }

  if (scores.acceleration.not_positive > 0)
    verdict.text = fmt::format(
        "Its mass matrix is not positive definite at {} of {} samples: it says nothing about them.",
        scores.acceleration.not_positive, scores.samples);
  else if (verdict.explained < 0)
    verdict.text = "It predicts accelerations worse than their mean does.";
  else
    verdict.text =
        fmt::format("It explains {:.3g} % of the accelerations.", 100 * verdict.explained);
  verdict.text += " " + rollout_text(scores.rollout.horizons, verdict.reliable_until);

  if (verdict.explained >= kGoodShare && everywhere)
    verdict.grade = Grade::good;
  else if (verdict.explained < 0 && verdict.reliable_until == 0)
    verdict.grade = Grade::bad;
  else
    verdict.grade = Grade::partial;
  return verdict;
}

}  // namespace mechfit
