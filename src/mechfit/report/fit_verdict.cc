#include <cmath>

#include "mechfit/evaluate/verdict.h"
#include "mechfit/report/fit_members.h"

namespace mechfit {

nlohmann::json verdict_member(const Scores& scores) {
  const Verdict verdict = judge(scores);
  const Quality quality = pooled(scores.parts);
  nlohmann::json out = {
      {"grade", name_of(verdict.grade)}, {"words", verdict.words},
      {"good_for", verdict.good_for},    {"limits", verdict.limits},
      {"advice", verdict.advice},        {"relative_error", pooled(scores.parts).relative()}};
  if (const auto& error = scores.model_error) {
    out["error"] = {{"overall", error->overall},
                    {"joints", error->joint},
                    {"interval", {error->low, error->high}}};
    out["noise"] = error->noise;
  } else {
    std::vector<double> joints;
    for (const double mse : scores.acceleration.joint_mse) joints.push_back(std::sqrt(mse));
    out["error"] = {{"overall", std::sqrt(scores.acceleration.mse)}, {"joints", joints}};
  }
  if (!scores.rollout.horizons.empty()) {
    out["reliable_until"] = verdict.reliable_until;
    out["tried"] = scores.rollout.horizons.back().seconds;
    for (const Quality::Horizon& horizon : quality.horizons)
      if (horizon.judgeable && horizon.seconds == verdict.reliable_until)
        out["reliable_error"] = horizon.observed();
  }
  return out;
}

}  // namespace mechfit
