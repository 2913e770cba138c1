#include "mechfit/fit/joint/joint_polish.h"

#include <algorithm>

#include "mechfit/fit/joint/joint_gauss_newton.h"

namespace mechfit {
namespace {

// The first step has to gain this much held-out log-likelihood, and J (half the numbers when sigma
// and s are right) has to say that the network can explain the data; a later model is preferred
// unless it falls short by more than this.
constexpr double kChance = 5;
constexpr double kReach = 10;  // such gains at most may lie between it and another family
// Promised decrease of J per number at the end, where log s falls by less than kQuietChange as
// well.
constexpr double kQuiet = 0.002;
constexpr int kMostSteps = 40;
constexpr int kPatience = 15;          // steps without a better model
constexpr int kMostParameters = 2500;  // a step needs the square of them per number

}  // namespace

void polish(JointProblem& problem, const JointHooks& hooks, JointBest& best, JointResult& result) {
  if (problem.start().parameter_count() > kMostParameters) return;
  JointRuns& runs = problem.runs();
  HeldOut& held_out = problem.held_out();
  Model model = problem.start();
  model.set_parameters(best.theta);
  problem.restore(best);
  JointGaussNewton solver(model, runs, {}, problem.prior());
  MotionNoise noise = best.noise;
  const NoiseSearch search = problem.noise_search();
  const int before = result.history.records.back().step, count = runs.observation_count();
  double highest = best.score;
  bool settled = false;
  for (int k = 1, kept = 0; k <= kMostSteps && k <= kept + kPatience; ++k) {
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
    if (hooks.progress && !hooks.progress(result.history.records.back(), before + kMostSteps)) {
      if (!quiet && k < kMostSteps) result.status = FitStatus::interrupted;
      break;
    }
    if (quiet) break;
  }
}

}  // namespace mechfit
