#include "mechfit/fit/force_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechfit/evaluate/torque_error.h"
#include "mechfit/fit/joint/force_fit.h"
#include "mechfit/fit/torque_choice.h"

namespace mechfit {
namespace {

// What a gain in log-density of all held-out numbers has to be at least: less is chance. Families
// are the same, so that it need not be what a richer one has to gain (gain.h). And the share to
// which the held-out torque error has to fall, as for a term of friction: of a slow arm the torques
// hardly tell M, and what lowers their error by 1 % put M22 of two links from 1.1 to 1.6 times the
// truth; where it fell by a quarter, M22 went from 1.31 to 1.03.
constexpr double kLeastGain = 2, kShare = 0.97;

// The candidate that the result's model was made from; null: another program's.
const Start* own_start(const std::vector<Candidate>& list, const Model& model) {
  for (const Candidate& candidate : list) {
    const Model& start = candidate.start.model;
    if (candidate.competes && std::string(start.family()) == model.family() &&
        start.parameter_count() == model.parameter_count())
      return &candidate.start;
  }
  return nullptr;
}

}  // namespace

void compare_by_force(const FitData& data, const std::vector<Candidate>& list, ThreadPool& pool,
                      const FitHooks& hooks, FitResult& result) {
  if (!found_model(result.status) || result.status == FitStatus::interrupted ||
      result.model.kind() == ParameterKind::weights || !fully_driven(result.model))
    return;
  const Start* start = own_start(list, result.model);
  TorqueJudge judge(data, result.model, pool);
  if (!start || !judge.able()) return;
  const TorqueFit regression = judge.fit(*start, {}, hooks);
  if (!found_model(regression.status) || regression.status == FitStatus::interrupted) return;
  // All samples, unless motions need finer steps than those.
  const JointData motions =
      data.grid > 0 ? data.joint : joint_data(*data.train, *data.validation, pool);
  ForceOptions options;
  options.fixed = start->held;
  options.driven.assign(result.model.joints(), true);
  options.s = regression.s;
  options.size = torque_sizes(result.model, make_samples(data.train_smoothed->log), pool);
  options.progress = [&](const FitRecord& record, int iterations) {
    return !hooks.progress || hooks.progress({record, iterations, Criterion::log_likelihood, 0,
                                              start->name + ", errors of torques"});
  };
  JointResult fit = fit_forces(regression.model, motions, options, pool);
  if (!found_model(fit.status) || fit.status == FitStatus::interrupted) return;
  const double kept = std::max(force_score(result.model, motions, options, pool),
                               force_score(regression.model, motions, options, pool));
  const double gain = (fit.validation_score - kept) * fit.validation_count;
  const double before = judge.error(result.model), after = judge.error(fit.model);
  const bool wins = gain > kLeastGain && after < kShare * before;
  result.notes.push_back(fmt::format(
      "joint estimation with errors of torques {}: it makes held-out motions and torques {} by "
      "{:.3g} in log-density; held-out torque error (nMSE) {:.4f} instead of {:.4f}",
      wins ? "is kept" : "is not kept", gain > 0 ? "more likely" : "less likely", std::abs(gain),
      after, before));
  if (!wins) return;
  result.model = std::move(fit.model);
  result.covariance = std::move(fit.covariance);
  result.standard_errors = std::move(fit.standard_errors);
  result.history = std::move(fit.history);
  result.parts.clear();
  result.members.clear();
  result.noise = {};
  result.train_motion = result.validation_motion = {};
  result.method = FitMethod::torque;
}

}  // namespace mechfit
