#include "mechfit/fit/joint/force_fit.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"
#include "mechfit/fit/joint/joint_gauss_newton.h"
#include "mechfit/fit/joint/joint_laplace.h"
#include "mechfit/fit/joint/joint_problem.h"

namespace mechfit {
namespace {

// s begins above the errors of torque regression, where the torques leave the motion to its own
// prior, and falls.
constexpr double kFirstS = 3;
// As of joint estimation in accelerations (joint_gauss_newton_fit.cc): iterations at most, what
// counts as quiet, how many quiet ones end the fit, rounds that renew coefficients' precisions.
constexpr int kMostIterations = 40, kQuietIterations = 2, kPruningRounds = 10;
constexpr double kQuiet = 0.5;
// Rounds in which motions and noise follow each other for a model that is not fitted.
constexpr int kNoiseRounds = 6;
constexpr MotionRun::Options kSolve{20, 1e-2};

ForceSpace force_space(const ForceOptions& options, const SmoothResult& smoothed) {
  ForceSpace space;
  for (const bool driven : options.driven) space.driven.push_back(driven);
  space.smoothed = &smoothed;
  return space;
}

// sigma as smoothing found it.
MotionNoise first_noise(const JointData& data, const ForceOptions& options) {
  const SmoothResult& smoothed = *data.train_smoothed;
  const std::size_t runs = smoothed.log.runs.size();
  MotionNoise noise;
  for (int j = 0; j < smoothed.log.n(); ++j) {
    double variance = 0;
    for (std::size_t r = 0; r < runs; ++r)
      variance += std::pow(smoothed.at(static_cast<int>(r), j).observation_sd, 2) /
                  static_cast<double>(runs);
    noise.sigma.push_back(std::sqrt(variance));
    noise.s.push_back(kFirstS * std::max(options.s[j], kLowestS * options.size[j]));
    if (!(noise.sigma[j] > 0))
      throw InputError("joint '" + smoothed.log.channels.joints[j] + "' has no noise");
  }
  return noise;
}

NoiseSearch noise_search(const ForceOptions& options) {
  NoiseSearch search;
  search.s_floor = kLowestS;
  search.s_unit = options.size;
  return search;
}

// Of the held-out runs, their motions solved for the model, with the s of the training runs.
double held_out_score(const Model& model, const JointData& data, const ForceOptions& options,
                      const MotionNoise& noise, ThreadPool& pool) {
  const ForceSpace space = force_space(options, *data.validation_smoothed);
  JointRuns runs(model, *data.validation, data.validation_smoothed->log, pool, nullptr, &space);
  runs.solve(model, noise, kSolve);
  if (!runs.linearise(model, RunDerivatives::configurations)) return -kInfinity;
  return likelihood_score(runs, noise);
}

bool any_prunable(const FreeParameters& free) {
  for (int k = 0; k < free.size(); ++k)
    if (free.prunable(k)) return true;
  return false;
}

}  // namespace

JointResult fit_forces(const Model& start, const JointData& data, const ForceOptions& options,
                       ThreadPool& pool) {
  MECHFIT_CHECK(start.kind() != ParameterKind::weights);
  JointResult result(start);
  const ForceSpace space = force_space(options, *data.train_smoothed);
  JointRuns runs(start, *data.train, data.train_smoothed->log, pool, nullptr, &space);
  const std::unique_ptr<MassPrior> prior = make_mass_prior(start, data.train_smoothed->log);
  JointGaussNewton solver(start, runs, options.fixed, prior.get());
  const NoiseSearch search = noise_search(options);
  const int most = options.iterations > 0 ? options.iterations : kMostIterations;
  int left = any_prunable(solver.parameters()) ? kPruningRounds : 0, quiet = 0;
  MotionNoise noise = first_noise(data, options);
  bool settled = false;
  for (int k = 1; k <= most && quiet < kQuietIterations; ++k) {
    if (!solver.linearise()) {
      if (k == 1) result.status = FitStatus::mass_not_positive;
      if (k == 1) return result;
      break;
    }
    const MotionNoise before = noise;
    if (settled) improve_noise(runs, search, noise);
    if (settled && left > 0) {
      solver.weigh_coefficients(noise);
      --left;
    }
    const auto step = solver.step(noise);
    settled = step.promised < kSettled * runs.observation_count();
    const bool still = largest_fall_of_s(before, noise) < kQuietChange && step.promised < kQuiet;
    quiet = settled && left == 0 && (still || !step.better) ? quiet + 1 : 0;
    const FitRecord record{k, step.objective, kNan, 0, 0, 0};
    result.history.add(record);
    if (options.progress && !options.progress(record, most)) {
      result.status = FitStatus::interrupted;
      break;
    }
  }
  result.model = solver.model();
  result.noise = noise;
  // Errors of forces do not look whether M is positive definite along the motion.
  JointRuns positive(start, *data.train, data.train_smoothed->log, pool);
  if (!positive.linearise(result.model, RunDerivatives::configurations) || !solver.linearise()) {
    result.status = FitStatus::mass_not_positive;
    return result;
  }
  result.log_likelihood = runs.log_likelihood(noise) / runs.observation_count();
  add_uncertainty(solver, noise, result);
  result.train = runs.with_motions(data.train_smoothed->log);
  result.validation = data.validation_smoothed->log;
  result.validation_score = held_out_score(result.model, data, options, noise, pool);
  for (const auto& run : data.validation->runs)
    for (const double y : run.q) result.validation_count += !std::isnan(y);
  return result;
}

double force_score(const Model& model, const JointData& data, const ForceOptions& options,
                   ThreadPool& pool) {
  const ForceSpace space = force_space(options, *data.train_smoothed);
  JointRuns runs(model, *data.train, data.train_smoothed->log, pool, nullptr, &space);
  MotionNoise noise = first_noise(data, options);
  for (int round = 0; round < kNoiseRounds; ++round) {
    runs.solve(model, noise, kSolve);
    if (!runs.linearise(model, RunDerivatives::configurations)) return -kInfinity;
    improve_noise(runs, noise_search(options), noise);
  }
  return held_out_score(model, data, options, noise, pool);
}

}  // namespace mechfit
