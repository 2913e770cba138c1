#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "mechfit/base/error.h"
#include "mechfit/estimate/motion/model_smoother.h"
#include "mechfit/fit/joint/joint_gauss_newton.h"
#include "mechfit/fit/joint/joint_held_out.h"
#include "mechfit/fit/joint/joint_laplace.h"

namespace mechfit {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// s begins far above the accelerations, where the model does not touch the motions yet, and follows
// its most likely value down; not before the steps at the last one have done their work.
constexpr double kFirstS = 10, kLowestS = 1e-3;  // in units of the accelerations
constexpr double kSettled = 0.02;                // promised decrease of J per observed number
constexpr double kMassWeight = 100;              // of the prior that keeps M positive definite
constexpr double kPruningMassWeight = 50;        // while unneeded coefficients are taken out
constexpr int kPruningRounds = 10;
constexpr int kPriorPoints = 128;
constexpr int kMostIterations = 80;
constexpr int kScoreEvery = 3;
// A later model is preferred unless the held-out runs are less likely by more than this: it is
// simpler, and differences of this size are chance.
constexpr double kChance = 2;
constexpr double kQuiet = 0.5, kQuietChange = 0.05;  // promised decrease, change of log s

bool scale_is_free(const Trig& trig) {
  return trig.inputs() == 0 || trig.config().input_map != InputMap::fixed;
}

std::unique_ptr<MassPrior> make_prior(const Model& model, const Log& smoothed) {
  const Trig* trig = model.as<Trig>();
  if (!trig) return nullptr;
  std::vector<double> q;
  for (const auto& run : smoothed.runs) q.insert(q.end(), run.q.begin(), run.q.end());
  std::vector<double> unit = trig->config().scales.v;
  for (double& v : unit) v /= std::sqrt(trig->config().scales.energy);
  return std::make_unique<MassPrior>(model, spread_points(trig->config().joints, q, kPriorPoints),
                                     unit, scale_is_free(*trig), kMassWeight);
}

}  // namespace

JointResult fit_joint_gauss_newton(const Model& start, const Log& train, const Log& train_smoothed,
                                   const Log& validation, const Log& validation_smoothed,
                                   const MotionNoise& first_noise, const JointOptions& options,
                                   ThreadPool& pool, const JointHooks& hooks) {
  JointRuns runs(start, train, train_smoothed, pool);
  HeldOut held_out(start, validation, validation_smoothed, pool);
  const auto prior = make_prior(start, train_smoothed);
  JointGaussNewton solver(start, runs, options.fixed, prior.get());

  MotionNoise noise = first_noise;
  NoiseSearch search;
  search.sigma = options.sigma.empty();
  search.s_floor = kLowestS;
  search.s_unit = noise.s;
  for (double& s : noise.s) s *= kFirstS;

  JointResult result(start);
  JointBest kept;
  double highest = -kInfinity;  // score
  const int most =
      options.iterations > 0 ? std::min(options.iterations, kMostIterations) : kMostIterations;
  const int rounds = start.as<Trig>() ? kPruningRounds : 0;
  bool settled = false;
  int quiet = 0, pruned = -1;  // rounds of pruning; -1: not begun
  for (int k = 1; k <= most && result.finished; ++k) {
    if (!solver.linearise()) break;
    const MotionNoise before = noise;
    if (settled) improve_noise(runs, search, noise);
    if (pruned >= 0 && pruned < rounds) {
      solver.weigh_coefficients(noise);
      ++pruned;
    }
    const auto step = solver.step(noise);
    settled = step.promised < kSettled * runs.numbers();
    const bool pruning = pruned >= 0 && pruned < rounds;
    quiet = !pruning && ((fall_of_s(before, noise) < kQuietChange && step.promised < kQuiet) ||
                         !step.better)
                ? quiet + 1
                : 0;
    bool last = k == most || quiet >= 2;
    if (last && pruned < 0 && rounds > 0 && k < most) {
      last = false;
      pruned = quiet = 0;
      prior->set_weight(kPruningMassWeight);
    }
    JointRecord record{k, most, step.objective, kNan, noise};
    if (k % kScoreEvery == 0 || last) {
      record.validation = held_out.score(solver.model(), noise);
      highest = std::max(highest, record.validation);
      if (record.validation > highest - kChance / held_out.runs.numbers())
        kept = JointBest::at(record.validation, solver.model(), noise, runs, held_out.runs);
    }
    result.history.push_back(record);
    if (hooks.progress && !hooks.progress(record)) result.finished = last;
    if (last) break;
  }
  if (kept.theta.empty())
    throw InputError("no model was found whose mass matrix is positive definite on all runs");

  solver.set_parameters(kept.theta);
  runs.set_motions(kept.motions);
  result.model = solver.model();
  result.noise = kept.noise;
  result.validation_score = kept.score;
  result.validation_numbers = held_out.runs.numbers();
  if (solver.linearise()) {
    result.log_likelihood = runs.log_likelihood(kept.noise) / runs.numbers();
    add_uncertainty(solver, kept.noise, result);
  }
  held_out.runs.set_motions(kept.held_out);
  result.train =
      smooth_with_model(result.model, train, runs.with_motions(train_smoothed), kept.noise, pool)
          .log;
  result.validation =
      smooth_with_model(result.model, validation, held_out.runs.with_motions(validation_smoothed),
                        kept.noise, pool)
          .log;
  return result;
}

bool promises_more(const Trig& richer, const JointResult& poorer, const Log& train,
                   ThreadPool& pool) {
  Model model(richer);
  model.set_parameters(richer.parameters_of(*poorer.model.as<Trig>()));
  JointRuns runs(model, train, poorer.train, pool);
  const auto prior = make_prior(model, poorer.train);
  prior->set_weight(kPruningMassWeight);
  JointGaussNewton solver(model, runs, {}, prior.get());
  if (!solver.linearise()) return true;
  return solver.promise(poorer.noise) > 0.5 * solver.parameters().size();
}

}  // namespace mechfit
