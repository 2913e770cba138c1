#include "mechfit/evaluate/scores.h"

#include <algorithm>

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

void roll_out(const Model& model, const Log& observed, const Log& motion, const Log& states,
              const EvaluateOptions& options, ThreadPool& pool, Scores& scores) {
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
  scores.rollout = rollout_error(model, states, starts, rollout, pool);
}

}  // namespace

Scores evaluate(const Model& model, const Log& observed, const EvaluateOptions& options,
                ThreadPool& pool) {
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
  scores.acceleration = acceleration_error(model, points, pool);
  scores.acceleration_zero = zero_baseline(points);
  scores.acceleration_mean = mean_baseline(points);
  scores.mass = mass_eigenvalues(model, points.q, pool);
  roll_out(model, observed, motion, states, options, pool, scores);
  scores.next_state = next_state_score(model, states, pool);
  scores.del = del_score(model, states, pool);
  return scores;
}

}  // namespace mechfit
