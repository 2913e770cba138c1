#include "mechfit/evaluate/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechfit/evaluate/limits.h"

namespace mechfit {
namespace {

// Relative errors of rollouts, horizon by horizon: as measured, or, before the first that can be
// judged, that of the accelerations, which short rollouts tend to. Later ones that cannot be judged
// are left out.
std::vector<Quality::Horizon> judged(const Quality& quality) {
  std::vector<Quality::Horizon> out;
  bool any = false;
  for (Quality::Horizon horizon : quality.horizons) {
    if (horizon.judgeable) {
      any = true;
    } else if (any) {
      continue;
    } else {
      horizon.error2 = horizon.observed2 = quality.error2;
      horizon.baseline2 = quality.size2;
    }
    out.push_back(horizon);
  }
  return out;
}

// Horizons from the first on that keep within `limit`.
int reliable(const std::vector<Quality::Horizon>& horizons, double limit) {
  int count = 0;
  while (count < static_cast<int>(horizons.size()) && horizons[count].relative() <= limit) ++count;
  return count;
}

std::string percent(double share) {
  return share < 1e-3 ? "0.1 %"
         : share < 1  ? fmt::format("{:.2g} %", 100 * share)
                      : fmt::format("{:.0f} %", 100 * share);
}

std::string good_for(const Quality& quality, const std::vector<Quality::Horizon>& horizons,
                     int until) {
  const double error = quality.relative();
  if (!(error <= 1)) return "It predicts accelerations no better than predicting none.";
  std::string text = fmt::format("It predicts accelerations within {}", percent(error));
  if (horizons.empty()) return text + "; the runs are too short for rollouts.";
  if (until == 0)
    return text + fmt::format(", but its rollouts are {} of the motion off after {:g} s already.",
                              percent(horizons[0].relative()), horizons[0].seconds);
  const bool any = std::any_of(horizons.begin(), horizons.end(),
                               [](const auto& horizon) { return horizon.judgeable; });
  if (!any) return text + "; noise hides what its rollouts are worth.";
  const auto& last = horizons[until - 1];
  text += fmt::format(" and rollouts up to {:g} s within {} of the motion", last.seconds,
                      percent(last.observed()));
  if (last.observed() > kUsableError) text += ", most of it by an uncertain start";
  return text +
         (until == static_cast<int>(horizons.size()) ? ", the longest time that was tried." : ".");
}

// Where every joint is driven, torques say how good a model is: accelerations and rollouts of slow
// machines forgive an M that is far too heavy.
bool judged_by_torque(const Scores& scores) {
  return !scores.torque.joints.empty() &&
         scores.torque.joints.size() == scores.acceleration.joint_mse.size();
}

Grade grade_of(const TorqueError& torque) {
  const double error = std::sqrt(torque.overall);
  return error <= kGoodError     ? Grade::good
         : error <= kUsableError ? Grade::usable
                                 : Grade::unusable;
}

std::string good_for(const TorqueError& torque) {
  if (!(torque.overall <= 1)) return "It predicts torques no better than their mean.";
  std::string text = fmt::format("It predicts torques within {} of their spread",
                                 percent(std::sqrt(torque.overall)));
  if (torque.overall > torque.friction_overall)
    text += ", no better than friction of each joint alone";
  return text + ".";
}

// The words of a machine that is judged by torques, where `otherwise` is the grade by its motion.
std::string torque_words(Grade grade, Grade otherwise, std::string words) {
  if (grade == Grade::unusable) return "not a usable model";
  if (otherwise == grade) return words;
  if (otherwise < grade) return "a usable model";
  return grade == Grade::good ? "a good model of the torques" : "a usable model of the torques";
}

}  // namespace

std::string Verdict::text() const {
  std::string all = good_for;
  for (const auto* sentences : {&limits, &advice})
    for (const std::string& sentence : *sentences) all += " " + sentence;
  return all;
}

Grade grade_of(const Quality& quality) {
  const auto horizons = judged(quality);
  const int count = static_cast<int>(horizons.size());
  // Where noise hides every short rollout, nobody can say more than usable.
  bool seen = horizons.empty();
  for (int k = 0; k < std::min(kGoodHorizons, count); ++k) seen = seen || horizons[k].judgeable;
  if (seen && quality.relative() <= kGoodError &&
      reliable(horizons, kGoodError) >= std::min(kGoodHorizons, count))
    return Grade::good;
  if (quality.relative() <= kUsableError && (count == 0 || reliable(horizons, kUsableError) > 0))
    return Grade::usable;
  return Grade::unusable;
}

Verdict judge(const Scores& scores) {
  const Quality quality = pooled(scores.parts);
  const auto horizons = judged(quality);
  const int until = reliable(horizons, kUsableError);
  Verdict verdict;
  verdict.grade = grade_of(quality);
  verdict.explained = 1 - quality.relative() * quality.relative();
  if (until > 0) {
    verdict.reliable_until = horizons[until - 1].seconds;
    verdict.reliable_error = horizons[until - 1].observed();
  }
  verdict.good_for = good_for(quality, horizons, until);
  if (scores.acceleration.not_positive > 0) {
    verdict.grade = Grade::unusable;
    verdict.good_for = fmt::format(
        "Its mass matrix is not positive definite at {} of {} samples: it says nothing about them.",
        scores.acceleration.not_positive, scores.samples);
  }
  verdict.words = verdict.grade == Grade::good       ? "a good model"
                  : verdict.grade == Grade::unusable ? "not a usable model"
                  : horizons.empty()
                      ? "a usable model"
                      : fmt::format("a model that is usable up to {:g} s", verdict.reliable_until);
  if (judged_by_torque(scores) && scores.acceleration.not_positive == 0) {
    const Grade otherwise = verdict.grade;
    verdict.grade = grade_of(scores.torque);
    verdict.words = torque_words(verdict.grade, otherwise, std::move(verdict.words));
    verdict.good_for = good_for(scores.torque) + " " + verdict.good_for;
  }
  for (const Limit& limit : limits_of(scores, verdict.grade == Grade::good)) {
    verdict.limits.push_back(limit.what);
    const bool told = std::find(verdict.advice.begin(), verdict.advice.end(), limit.advice) !=
                      verdict.advice.end();
    if (!limit.advice.empty() && !told) verdict.advice.push_back(limit.advice);
  }
  return verdict;
}

}  // namespace mechfit
