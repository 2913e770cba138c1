#include "mechfit/fit/cross_validation.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/constants.h"

namespace mechfit {
namespace {

int observation_count(const Log& log) {
  int count = 0;
  for (const auto& run : log.runs)
    count += static_cast<int>(
        std::count_if(run.q.begin(), run.q.end(), [](double y) { return !std::isnan(y); }));
  return count;
}

}  // namespace

CrossValidation cross_validate(const Start& start, const FitData& data, int iterations,
                               ThreadPool& pool,
                               const std::function<bool(const FitRecord&, int, int)>& progress,
                               Team* team) {
  CrossValidation out;
  JointHooks hooks;
  hooks.team = team;
  hooks.progress = [&](const FitRecord& record, int most) {
    if (progress(record, most, static_cast<int>(out.parts.size()) + 2)) return true;
    out.status = FitStatus::interrupted;
    return false;
  };
  JointOptions options;
  options.fixed = start.held;
  options.iterations = iterations;
  options.motions = false;
  for (const SplitPart& part : data.parts) {
    const JointData joint = part_data(part, data.joint);
    JointResult result = fit_joint(start.model, joint, options, pool, hooks);
    if (out.status == FitStatus::interrupted) return out;
    result.validation_count = observation_count(*joint.validation);
    out.parts.push_back(std::move(result));
  }
  return out;
}

std::vector<HeldOutScore> part_scores(const JointResult& fitted,
                                      const std::vector<JointResult>& parts) {
  const auto score = [](const JointResult& result) {
    const double mean = found_model(result.status) ? result.validation_score : -kInfinity;
    return HeldOutScore{mean * result.validation_count, result.validation_count};
  };
  std::vector<HeldOutScore> scores = {score(fitted)};
  for (const JointResult& part : parts) scores.push_back(score(part));
  return scores;
}

std::vector<FitPart> make_parts(const std::vector<JointResult>& parts, const FitData& data,
                                const FitOptions& options) {
  if (std::any_of(parts.begin(), parts.end(),
                  [](const JointResult& part) { return !found_model(part.status); }))
    return {};
  std::vector<FitPart> out;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const std::vector<Piece>& pieces = data.parts[k].validation;
    FitPart part{parts[k].model, parts[k].covariance, gather(pieces, *data.train, {}), {}};
    part.validation_smoothed.channels = data.channels;
    // Scores smooth with white noise on the jerk.
    if (options.smoother == SmoothMethod::white_jerk)
      part.validation_smoothed = gather(pieces, data.train_smoothed->log, {});
    out.push_back(std::move(part));
  }
  return out;
}

}  // namespace mechfit
