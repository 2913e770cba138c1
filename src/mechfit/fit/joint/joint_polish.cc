#include "mechfit/fit/joint/joint_polish.h"

#include <algorithm>

#include "mechfit/fit/joint/joint_gauss_newton.h"

namespace mechfit {
namespace {

// The first step has to gain this much held-out log-likelihood, and J (half the numbers when sigma
// and s are right) has to say that the network can explain the data; a later model is preferred
// unless it falls short by more than this. Polishing takes five times as long as the fit before it.
// Ranges were tried where networks are polished: R, a double pendulum with noise 0.0005, seeds 0
// and 1 (errors without polishing 1.9 and 2.5 times as large), and log C of joint_problem.h, seed 1
// (0.94 times). kChance 1.7: errors +2, 0, -3 %; 15: none of the three is polished.
constexpr double kChance = 5;
// Such gains at most may lie between it and another family. 3 and 30: same models of
// family auto on N, P and C, where no network is polished.
constexpr double kReach = 10;
// Promised decrease of J per number at the end, where log s falls by less than kQuietChange as
// well. 0.0007: same errors; 0.006: +7, -28, 0 %, in half the time on R. kQuietChange 0.015 and
// 0.15: same errors. kSettled 0.005: +4, -16, -31 %; 0.1: +6, +12, -37 %.
constexpr double kQuiet = 0.002;
// Steps at most. 20: errors +7, -26, -27 % in 0.6 of the time; 80: +1, +9, 0 %.
constexpr int kMostSteps = 40;
// Steps without a better model. 15 and 30: same errors, at the price of as many steps.
constexpr int kPatience = 7;
// A step needs the square of them per number.
constexpr int kMostParameters = 2500;

// Steps on all runs of a long log, after those on a share of them.
constexpr int kLastSteps = 2;

// Steps from `start`; true where they improved on `best`.
bool polish_runs(JointProblem& problem, const JointHooks& hooks, const JointBest& start,
                 int most_steps, JointBest& best, JointResult& result) {
  JointRuns& runs = problem.runs();
  HeldOut& held_out = problem.held_out();
  Model model = problem.start();
  model.set_parameters(start.theta);
  JointGaussNewton solver(model, runs, {}, problem.prior());
  MotionNoise noise = start.noise;
  const NoiseSearch search = problem.noise_search();
  const int before = result.history.records.back().step, count = runs.observation_count();
  double highest = best.score;
  bool settled = false;
  int kept = 0;
  for (int k = 1; k <= most_steps && k <= kept + kPatience; ++k) {
    if (!solver.linearise()) break;
    const MotionNoise last = noise;
    if (settled) improve_noise(runs, search, noise);
    const auto step = solver.step(noise);
    const bool quiet =
        settled && largest_fall_of_s(last, noise) < kQuietChange && step.promised < kQuiet * count;
    settled = step.promised < kSettled * count;
    const double score = held_out.score(solver.model(), noise), gain = score - highest;
    const double chance = kChance / held_out.runs.observation_count();
    const bool worth = k > 1 || (gain > chance && step.objective < count &&
                                 score + kReach * gain > problem.options().rival);
    if (!worth) break;
    if (gain > -chance) {
      best = problem.snapshot(score, solver.model(), noise);
      kept = k;
    }
    highest = std::max(highest, score);
    if (!step.better) break;
    result.history.add({before + k, step.objective, score, 0, 0, 0});
    if (hooks.progress && !hooks.progress(result.history.records.back(), before + most_steps)) {
      if (!quiet && k < most_steps) result.status = FitStatus::interrupted;
      break;
    }
    if (quiet) break;
  }
  return kept > 0;
}

}  // namespace

void polish(JointProblem& problem, const JointHooks& hooks, JointBest& best, JointResult& result) {
  if (problem.start().parameter_count() > kMostParameters) return;
  problem.restore(best);
  if (!problem.take_share()) {
    polish_runs(problem, hooks, JointBest(best), kMostSteps, best, result);
    return;
  }
  Model model = problem.start();
  model.set_parameters(best.theta);
  JointBest share = best;
  share.score = problem.held_out().score(model, best.noise);
  const bool gains = polish_runs(problem, hooks, JointBest(share), kMostSteps, share, result);
  problem.take_all();
  if (!gains || result.status != FitStatus::finished) return;
  problem.restore(share);
  model.set_parameters(share.theta);
  problem.take_all(model, share.noise);
  polish_runs(problem, hooks, share, kLastSteps, best, result);
}

}  // namespace mechfit
