#include "mechfit/evaluate/scores.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"
#include "mechfit/estimate/kalman/cleaning.h"
#include "mechfit/estimate/motion/contradictions.h"
#include "mechfit/log/acting_input.h"
#include "mechfit/log/steps.h"

namespace mechfit {
namespace {

// Starts of the rollouts that bands are compared with, at most. There are 39 predictions from each
// where evaluate's other figures take one rollout.
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

RolloutSteps steps_of(const Ensemble& ensemble, const Log& log, const EvaluateOptions& options) {
  return rollout_steps(ensemble, options.rollout.substeps, median_step(log));
}

// Shares [bands][horizons] of observed positions inside the bands of rollouts; empty rows when
// there is no start, or one at which the model has no positive definite M.
std::vector<std::vector<double>> rollout_shares(const Ensemble& ensemble, const Log& observed,
                                                std::span<const double> horizons,
                                                const EvaluateOptions& options, ThreadPool& pool) {
  const std::vector<std::vector<double>> none(kBandCount);
  if (horizons.empty()) return none;
  Starts starts =
      choose_starts(observed, horizons.back(), options.rollout.start_every,
                    std::min(kCoverageStarts, options.rollout.most_starts), options.window);
  if (starts.size() == 0) return none;
  std::vector<Starts> drawn;
  const StartEstimate estimate = estimate_states(ensemble.model, observed, options.window, starts,
                                                 pool, kPredictions, &drawn, ensemble.grid());
  if (estimate.without_model > 0) return none;
  const auto predictions =
      predict_rollouts(ensemble, observed, drawn, steps_of(ensemble, observed, options), pool);
  return rollout_coverage(predictions, observed, starts, horizons, estimate.noise.sigma);
}

// Accelerations as logged; else as far from the prediction as errors drawn by the observations say.
std::vector<double> acceleration_shares(const Ensemble& ensemble, const MotionView& points,
                                        const Scores& scores, ThreadPool& pool) {
  if (scores.logged_accelerations)
    return acceleration_coverage(acceleration_bands(ensemble, points, pool), points.a);
  if (!scores.model_error || scores.model_error->motion.runs.empty())
    return std::vector<double>(kBandCount, kNan);
  const ModelError& error = *scores.model_error;
  MotionPoints motion = motion_points(error.motion, InputAtSample::mean);
  const AccelerationBands bands = acceleration_bands(ensemble, motion, pool);
  motion.a = predict_accelerations(ensemble.model, motion, pool);
  std::size_t at = 0;
  for (const auto& own : error.drawn)
    for (const double e : own) motion.a[at++] -= e;
  return acceleration_coverage(bands, motion.a);
}

void add_coverage(const Ensemble& ensemble, const EvaluationData& data, const MotionView& points,
                  const EvaluateOptions& options, ThreadPool& pool, Scores& scores) {
  const auto accelerations = acceleration_shares(ensemble, points, scores, pool);
  std::vector<double> horizons;
  for (const HorizonScore& score : scores.rollout.horizons) horizons.push_back(score.seconds);
  const auto rollouts = rollout_shares(ensemble, data.observed, horizons, options, pool);
  for (int b = 0; b < kBandCount; ++b) {
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

// States drawn for every start, to see what its uncertainty makes of a rollout. 256 starts share
// what they show.
constexpr int kDrawnStarts = 6;

// `models` are rolled out, the starts are those of the ensemble's model.
void add_rollouts(std::span<const Model> models, const Ensemble& ensemble,
                  const EvaluationData& data, const EvaluateOptions& options, ThreadPool& pool,
                  Scores& scores) {
  const Model& model = ensemble.model;
  RolloutErrorOptions rollout = options.rollout;
  const RolloutSteps cut = steps_of(ensemble, data.observed, options);
  rollout.substeps = cut.parts;
  rollout.control = cut.control;
  rollout.contacts = ensemble.contacts;
  if (rollout.horizons.empty()) rollout.horizons = default_horizons(data.motion());
  const double longest = *std::max_element(rollout.horizons.begin(), rollout.horizons.end());
  const auto choose = [&](int window) {
    return choose_starts(data.states(), longest, rollout.start_every, rollout.most_starts, window);
  };
  scores.start = options.start;
  scores.window = options.window;
  Starts starts = choose(options.start == StartKind::estimated ? options.window : 0);
  std::vector<Starts> drawn;
  if (starts.size() > 0 && options.start == StartKind::estimated) {
    const StartEstimate estimate = estimate_states(model, data.observed, options.window, starts,
                                                   pool, kDrawnStarts, &drawn, ensemble.grid());
    scores.starts_without_model = estimate.without_model;
    rollout.drawn = drawn;
    rollout.window = options.window;
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

// The log with inputs that act as the model says, from where they are known.
Log with_model_inputs(const Ensemble& ensemble, Log log) {
  if (ensemble.model.inputs() == 0) return log;
  if (ensemble.timing) set_input_timing(log, *ensemble.timing);
  log = with_known_inputs(log);
  if (log.runs.empty())
    throw InputError(
        "every run is shorter than the time after which its inputs act (the model's "
        "option 'input_delay')");
  return log;
}

}  // namespace

Scores evaluate(const Model& model, const Log& observed, const EvaluateOptions& options,
                ThreadPool& pool) {
  return evaluate(Ensemble{model, {}, false}, observed, options, pool);
}

Scores evaluate(const Ensemble& ensemble, const Log& log, const EvaluateOptions& options,
                ThreadPool& pool) {
  check_machine(ensemble.model, log);
  const Log observed = with_model_inputs(ensemble, log);
  const auto has_velocities = [](const Trajectory& run) { return run.qd.size() == run.q.size(); };
  if (options.keep_all || std::all_of(observed.runs.begin(), observed.runs.end(), has_velocities))
    return evaluate(ensemble, evaluation_data(observed, options.smoother, pool), options, pool);
  CleaningResult cleaned = clean(observed, pool);
  if (ensemble.model.joints() <= kMostJudgedJoints) {
    const auto found = find_contradictions(ensemble.model, cleaned.log, ensemble.grid(), pool);
    cleaned.log = without_defects(std::move(cleaned.log), found);
    cleaned.defects.insert(cleaned.defects.end(), found.begin(), found.end());
  }
  Scores scores =
      evaluate(ensemble, evaluation_data(cleaned.log, options.smoother, pool), options, pool);
  scores.notes = texts_of(describe_defects(cleaned.log, cleaned.defects, true));
  return scores;
}

namespace {

// Share of the points outside of the region that the model was fitted to; 0 where that is unknown.
double share_outside(const Ensemble& ensemble, const MotionView& points) {
  if (!ensemble.knowledge || points.size() == 0) return 0;
  const int n = points.n, m = points.m;
  int outside = 0;
  for (int k = 0; k < points.size(); ++k)
    outside +=
        ensemble.knowledge->region.outside(
            ensemble.model.joint_types(), points.q.subspan(k * n, n), points.v.subspan(k * n, n),
            points.u.empty() ? points.u : points.u.subspan(k * m, m)) > 0;
  return static_cast<double>(outside) / points.size();
}

// What the verdict rests on.
Scores judged_scores(const Ensemble& ensemble, const EvaluationData& data,
                     const MotionPoints& points, const EvaluateOptions& options, ThreadPool& pool) {
  const Model& model = ensemble.model;
  Scores scores;
  scores.runs = static_cast<int>(data.observed.runs.size());
  scores.samples = data.observed.samples();
  for (const Trajectory& run : data.observed.runs) scores.seconds += run.t.back() - run.t.front();
  scores.logged_velocities = data.logged_velocities;
  scores.logged_accelerations = data.logged_accelerations;
  const Knowledge known = ensemble.knowledge ? *ensemble.knowledge : knowledge_of(data.motion());
  scores.units = {known.velocity, known.acceleration};

  const bool mean = ensemble.mean && !ensemble.members.empty();
  scores.acceleration =
      mean ? compare_accelerations(mean_accelerations(ensemble.members, points, pool), points)
           : acceleration_error(model, points, pool);
  scores.acceleration_zero = zero_baseline(points);
  scores.acceleration_mean = mean_baseline(points);
  if (model.inputs() > 0 && !points.u.empty())
    scores.torque =
        torque_error(predict_torques(model, points, pool), points, driven_joints(model));
  if (!data.logged_accelerations && model.joints() <= kMostJudgedJoints)
    scores.model_error = model_error(ensemble, data.observed, pool);
  add_rollouts(mean ? std::span(ensemble.members) : std::span(&model, 1), ensemble, data, options,
               pool, scores);
  scores.parts = {quality_of(scores)};
  return scores;
}

MotionPoints points_of(const EvaluationData& data) {
  return motion_points(data.motion(),
                       data.logged_accelerations ? InputAtSample::next : InputAtSample::mean);
}

}  // namespace

Quality evaluate_part(const Ensemble& ensemble, const EvaluationData& data,
                      const EvaluateOptions& options, ThreadPool& pool) {
  check_machine(ensemble.model, data.observed);
  return judged_scores(ensemble, data, points_of(data), options, pool).parts[0];
}

Scores evaluate(const Ensemble& ensemble, const EvaluationData& data,
                const EvaluateOptions& options, ThreadPool& pool) {
  const Model& model = ensemble.model;
  check_machine(model, data.observed);
  if (options.start == StartKind::logged && !data.logged_velocities)
    throw InputError("the log has no velocities for rollouts to start from");
  const MotionPoints points = points_of(data);
  Scores scores = judged_scores(ensemble, data, points, options, pool);
  scores.mass = mass_eigenvalues(model, points.q, pool);
  scores.outside = share_outside(ensemble, points);
  // Bands rest on what the model file knows of the error, or on what was found here.
  Ensemble judged = ensemble;
  if (!judged.knowledge) judged.knowledge = knowledge_of(data.motion());
  if (judged.knowledge->error.empty() && scores.model_error)
    keep_error(*scores.model_error, judged.members.size() > 1, *judged.knowledge);
  if (!judged.knowledge->error.empty() || judged.members.size() > 1)
    add_coverage(judged, data, points, options, pool, scores);
  scores.next_state = next_state_score(model, data.states(), pool);
  scores.del = del_score(model, data.states(), pool);
  return scores;
}

}  // namespace mechfit
