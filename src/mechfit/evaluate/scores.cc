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

  // Where accelerations come from; rollouts start from logged velocities also when these are not.
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
  RolloutErrorOptions rollout = options.rollout;
  if (rollout.horizons.empty()) rollout.horizons = default_horizons(motion);
  scores.rollout = rollout_error(model, states, rollout, pool);
  scores.next_state = next_state_score(model, states, pool);
  scores.del = del_score(model, states, pool);
  return scores;
}

}  // namespace mechfit
