#include "mechfit/evaluate/scores.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

void check_machine(const Model& model, const Log& log) {
  if (log.n() != model.joints())
    throw InputError("the log has " + std::to_string(log.n()) + " joints, the model has " +
                     std::to_string(model.joints()));
  if (model.inputs() > 0 && log.m() != model.inputs())
    throw InputError("the log has " + std::to_string(log.m()) + " inputs, the model has " +
                     std::to_string(model.inputs()));
  if (log.runs.empty()) throw InputError("the log has no runs");
}

bool all_have(const Log& log, std::vector<double> Trajectory::*values) {
  return std::all_of(log.runs.begin(), log.runs.end(),
                     [&](const Trajectory& run) { return (run.*values).size() == run.q.size(); });
}

// The mean over members, NaN where one has no prediction.
std::vector<double> mean_accelerations(std::span<const Model> members, const MotionView& points,
                                       ThreadPool& pool) {
  std::vector<double> mean(points.a.size(), 0.0);
  for (const Model& member : members) {
    const auto own = predict_accelerations(member, points, pool);
    for (std::size_t k = 0; k < mean.size(); ++k)
      mean[k] += own[k] / static_cast<double>(members.size());
  }
  return mean;
}

// All members' rollouts are looked at together: fewer starts will do.
constexpr int kCoverageStarts = 64;

void cover(std::span<const Model> members, const Model& model, const Log& observed,
           const Log& motion, const MotionView& points, const EvaluateOptions& options,
           ThreadPool& pool, Scores& scores) {
  std::vector<double> sd;
  if (!scores.logged_accelerations)
    for (const Trajectory& run : motion.runs)
      sd.insert(sd.end(), run.qdd_sd.begin(), run.qdd_sd.end());
  const auto accelerations = acceleration_coverage(members, points, sd, pool);
  std::vector<double> horizons;
  for (const HorizonScore& score : scores.rollout.horizons) horizons.push_back(score.seconds);
  std::vector<std::vector<double>> rollouts(std::size(kBands));
  Starts starts;
  if (!horizons.empty())
    starts = choose_starts(observed, horizons.back(), options.rollout.start_every,
                           std::min(kCoverageStarts, options.rollout.most_starts), options.window);
  if (starts.size() > 0) {
    std::vector<Starts> drawn;
    const StartEstimate estimate = estimate_states(model, observed, options.window, starts, pool,
                                                   static_cast<int>(members.size()), &drawn);
    if (estimate.without_model == 0)
      rollouts = rollout_coverage(members, observed, drawn, horizons, estimate.noise.sigma,
                                  options.rollout.substeps, pool);
  }
  scores.members = static_cast<int>(members.size());
  for (std::size_t b = 0; b < std::size(kBands); ++b) {
    double sum = 0;
    int count = 0;
    for (double share : rollouts[b])
      if (!std::isnan(share)) sum += share, ++count;
    scores.coverage.push_back({kBands[b], accelerations[b],
                               count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN(),
                               rollouts[b]});
  }
}

void roll_out(std::span<const Model> models, const Model& model, const Log& observed,
              const Log& motion, const Log& states, const EvaluateOptions& options,
              ThreadPool& pool, Scores& scores) {
  RolloutErrorOptions rollout = options.rollout;
  if (rollout.horizons.empty()) rollout.horizons = default_horizons(motion);
  const double longest = *std::max_element(rollout.horizons.begin(), rollout.horizons.end());
  const auto choose = [&](int window) {
    return choose_starts(states, longest, rollout.start_every, rollout.most_starts, window);
  };
  scores.start = options.start;
  scores.window = options.window;
  Starts starts = choose(options.start == StartKind::estimated ? options.window : 0);
  if (starts.size() > 0 && options.start == StartKind::estimated) {
    const StartEstimate estimate = estimate_states(model, observed, options.window, starts, pool);
    scores.starts_without_model = estimate.without_model;
  } else {
    scores.start = StartKind::logged;
    starts = choose(0);
    take_logged_states(states, starts);
  }
  scores.rollout = rollout_error(models, states, starts, rollout, pool);
}

}  // namespace

Scores evaluate(const Model& model, const Log& observed, const EvaluateOptions& options,
                ThreadPool& pool) {
  return evaluate(Ensemble{model, {}, false}, observed, options, pool);
}

Scores evaluate(const Ensemble& ensemble, const Log& observed, const EvaluateOptions& options,
                ThreadPool& pool) {
  const Model& model = ensemble.model;
  check_machine(model, observed);
  Scores scores;
  scores.runs = static_cast<int>(observed.runs.size());
  scores.samples = observed.samples();
  for (const Trajectory& run : observed.runs) scores.seconds += run.t.back() - run.t.front();
  scores.logged_velocities = all_have(observed, &Trajectory::qd);
  scores.logged_accelerations = scores.logged_velocities && all_have(observed, &Trajectory::qdd);

  if (options.start == StartKind::logged && !scores.logged_velocities)
    throw InputError("the log has no velocities for rollouts to start from");

  // Where accelerations come from; velocities are the logged ones also when these are not.
  SmoothResult smoothed;
  if (!scores.logged_accelerations) {
    SmoothOptions smoothing;
    smoothing.method = options.smoother;
    smoothed = smooth(observed, smoothing, pool);
  }
  const Log& motion = scores.logged_accelerations ? observed : smoothed.log;
  const Log& states = scores.logged_velocities ? observed : smoothed.log;

  const MotionPoints points = motion_points(
      motion, scores.logged_accelerations ? InputAtSample::next : InputAtSample::mean);
  const bool mean = ensemble.mean && !ensemble.members.empty();
  scores.acceleration =
      mean ? compare_accelerations(mean_accelerations(ensemble.members, points, pool), points)
           : acceleration_error(model, points, pool);
  scores.acceleration_zero = zero_baseline(points);
  scores.acceleration_mean = mean_baseline(points);
  scores.mass = mass_eigenvalues(model, points.q, pool);
  roll_out(mean ? std::span(ensemble.members) : std::span(&model, 1), model, observed, motion,
           states, options, pool, scores);
  if (ensemble.members.size() > 1)
    cover(ensemble.members, model, observed, motion, points, options, pool, scores);
  scores.next_state = next_state_score(model, states, pool);
  scores.del = del_score(model, states, pool);
  return scores;
}

}  // namespace mechfit
