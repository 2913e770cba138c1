#include "mechfit/evaluate/scores.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"

namespace mechfit {
namespace {

// Starts of the rollouts that bands are compared with, at most. Every member is rolled out from
// each, 32 rollouts where evaluate's other figures take one.
// 16 / 64 / 256 starts put the share inside a 50 % band at
// .49 / .46 / .50, .64 / .62 / .60, .56 / .58 / .52 and .44 / .48 / .51 on four logs.
constexpr int kCoverageStarts = 64;

void check_machine(const Model& model, const Log& log) {
  if (log.n() != model.joints())
    throw InputError("the log has " + std::to_string(log.n()) + " joints, the model has " +
                     std::to_string(model.joints()));
  if (model.inputs() > 0 && log.m() != model.inputs())
    throw InputError("the log has " + std::to_string(log.m()) + " inputs, the model has " +
                     std::to_string(model.inputs()));
  if (log.runs.empty()) throw InputError("the log has no runs");
}

// The mean over members, NaN where one has no prediction.
std::vector<double> mean_accelerations(std::span<const Model> members, const MotionView& points,
                                       ThreadPool& pool) {
  std::vector<double> mean(points.a.size(), 0.0);
  for (const Model& member : members) {
    const auto predicted = predict_accelerations(member, points, pool);
    for (std::size_t k = 0; k < mean.size(); ++k)
      mean[k] += predicted[k] / static_cast<double>(members.size());
  }
  return mean;
}

// Shares [bands][horizons] of observed positions inside the bands of the members' rollouts; empty
// rows when there is no start, or one at which the model has no positive definite M.
std::vector<std::vector<double>> rollout_shares(const Ensemble& ensemble, const Log& observed,
                                                std::span<const double> horizons,
                                                const EvaluateOptions& options, ThreadPool& pool) {
  const std::vector<std::vector<double>> none(std::size(kBands));
  if (horizons.empty()) return none;
  Starts starts =
      choose_starts(observed, horizons.back(), options.rollout.start_every,
                    std::min(kCoverageStarts, options.rollout.most_starts), options.window);
  if (starts.size() == 0) return none;
  std::vector<Starts> drawn;
  const StartEstimate estimate =
      estimate_states(ensemble.model, observed, options.window, starts, pool,
                      static_cast<int>(ensemble.members.size()), &drawn);
  if (estimate.without_model > 0) return none;
  return rollout_coverage(ensemble.members, observed, drawn, horizons, estimate.noise.sigma,
                          options.rollout.substeps, pool);
}

void add_coverage(const Ensemble& ensemble, const EvaluationData& data, const MotionView& points,
                  const EvaluateOptions& options, ThreadPool& pool, Scores& scores) {
  std::vector<double> sd;  // empty: logged accelerations are exact
  if (data.smoothed)
    for (const Trajectory& run : data.smoothed->runs)
      sd.insert(sd.end(), run.qdd_sd.begin(), run.qdd_sd.end());
  const auto accelerations = acceleration_coverage(ensemble.members, points, sd, pool);
  std::vector<double> horizons;
  for (const HorizonScore& score : scores.rollout.horizons) horizons.push_back(score.seconds);
  const auto rollouts = rollout_shares(ensemble, data.observed, horizons, options, pool);
  scores.members = static_cast<int>(ensemble.members.size());
  for (std::size_t b = 0; b < std::size(kBands); ++b) {
    double sum = 0;
    int count = 0;
    for (double share : rollouts[b])
      if (!std::isnan(share)) sum += share, ++count;
    scores.coverage.push_back(
        {kBands[b], accelerations[b], count > 0 ? sum / count : kNan, rollouts[b]});
  }
}

// The search for noise and errors takes the fourth power of the joints: 3 s with 7 of them, 20 s
// with 14, on logs of some hundred samples. Beyond this number smoothed accelerations have to do.
constexpr int kMostJudgedJoints = 4;

// `models` are rolled out, the starts are those of `model`.
void add_rollouts(std::span<const Model> models, const Model& model, const EvaluationData& data,
                  const EvaluateOptions& options, ThreadPool& pool, Scores& scores) {
  RolloutErrorOptions rollout = options.rollout;
  if (rollout.horizons.empty()) rollout.horizons = default_horizons(data.motion());
  const double longest = *std::max_element(rollout.horizons.begin(), rollout.horizons.end());
  const auto choose = [&](int window) {
    return choose_starts(data.states(), longest, rollout.start_every, rollout.most_starts, window);
  };
  scores.start = options.start;
  scores.window = options.window;
  Starts starts = choose(options.start == StartKind::estimated ? options.window : 0);
  if (starts.size() > 0 && options.start == StartKind::estimated) {
    const StartEstimate estimate =
        estimate_states(model, data.observed, options.window, starts, pool);
    scores.starts_without_model = estimate.without_model;
    // Positions of a log without velocities are observations; simulated truth is compared as it is.
    if (!data.logged_velocities) {
      rollout.observed = &data.observed;
      rollout.noise = estimate.noise.sigma;
    }
  } else {
    scores.start = StartKind::logged;
    starts = choose(0);
    take_logged_states(data.states(), starts);
  }
  scores.rollout = rollout_error(models, data.states(), starts, rollout, pool);
}

}  // namespace

Scores evaluate(const Model& model, const Log& observed, const EvaluateOptions& options,
                ThreadPool& pool) {
  return evaluate(Ensemble{model, {}, false}, observed, options, pool);
}

Scores evaluate(const Ensemble& ensemble, const Log& observed, const EvaluateOptions& options,
                ThreadPool& pool) {
  check_machine(ensemble.model, observed);
  return evaluate(ensemble, evaluation_data(observed, options.smoother, pool), options, pool);
}

Scores evaluate(const Ensemble& ensemble, const EvaluationData& data,
                const EvaluateOptions& options, ThreadPool& pool) {
  const Model& model = ensemble.model;
  check_machine(model, data.observed);
  if (options.start == StartKind::logged && !data.logged_velocities)
    throw InputError("the log has no velocities for rollouts to start from");
  Scores scores;
  scores.runs = static_cast<int>(data.observed.runs.size());
  scores.samples = data.observed.samples();
  for (const Trajectory& run : data.observed.runs) scores.seconds += run.t.back() - run.t.front();
  scores.logged_velocities = data.logged_velocities;
  scores.logged_accelerations = data.logged_accelerations;

  const MotionPoints points = motion_points(
      data.motion(), data.logged_accelerations ? InputAtSample::next : InputAtSample::mean);
  const bool mean = ensemble.mean && !ensemble.members.empty();
  scores.acceleration =
      mean ? compare_accelerations(mean_accelerations(ensemble.members, points, pool), points)
           : acceleration_error(model, points, pool);
  scores.acceleration_zero = zero_baseline(points);
  scores.acceleration_mean = mean_baseline(points);
  if (!data.logged_accelerations && model.joints() <= kMostJudgedJoints)
    scores.model_error = model_error(ensemble, data.observed, pool);
  scores.mass = mass_eigenvalues(model, points.q, pool);
  add_rollouts(mean ? std::span(ensemble.members) : std::span(&model, 1), model, data, options,
               pool, scores);
  if (ensemble.members.size() > 1) add_coverage(ensemble, data, points, options, pool, scores);
  scores.next_state = next_state_score(model, data.states(), pool);
  scores.del = del_score(model, data.states(), pool);
  return scores;
}

}  // namespace mechfit
