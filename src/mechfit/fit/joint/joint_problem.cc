#include "mechfit/fit/joint/joint_problem.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/estimate/motion/model_smoother.h"
#include "mechfit/mechanics/families/smm/smm.h"

namespace mechfit {
namespace {

// Weight of the prior that keeps M positive definite, and the points at which it looks. Weights 33
// and 300, and 32 to 256 points: errors of trig within 3 %. Errors of networks: weight 33 -13 to
// +4 %, 300 +8 to +32 %; 64 and 256 points -5 to +11 %.
constexpr double kMassWeight = 100;
constexpr int kPriorPoints = 128;

// From one look to the next the motions of held-out runs stay close to their minimum: few steps do.
// 4 and 16 steps: same errors to four digits for all families, so with 3e-3 and 3e-2 for trig and
// known equations.
constexpr MotionRun::Options kScoreSolve{8, 1e-2};

// Samples that a fit begins with, and that it looks at beside. Enough for thousands of weights; the
// rest of a longer log then moves the parameters by little.
constexpr int kShare = 5'000, kHeldOutShare = 2'000;
// Motions of the others, once the model is nearly known.
constexpr MotionRun::Options kOtherSolve{10, 1e-3};

// Root mean square distance of a joint from its mean in each run.
double motion_size(const Log& log, int joint) {
  const std::size_t n = log.n();
  double squares = 0, count = 0;
  for (const auto& run : log.runs) {
    double mean = 0;
    for (std::size_t k = joint; k < run.q.size(); k += n)
      mean += run.q[k] / static_cast<double>(run.size());
    for (std::size_t k = joint; k < run.q.size(); k += n, ++count)
      squares += (run.q[k] - mean) * (run.q[k] - mean);
  }
  return std::sqrt(squares / count);
}

// Least first sigma where motions have unobserved samples in between, in units of the motion: at
// coarse steps the smoother takes all noise for motion, and a fit that begins there stays there.
constexpr double kFirstSigma = 3e-3;

// sigma as the white-jerk smoother found it, s the size of the accelerations.
MotionNoise make_first_noise(const SmoothResult& smoothed, const std::vector<double>& sigma) {
  const int n = smoothed.log.n();
  MotionNoise noise;
  for (int j = 0; j < n; ++j) {
    double variance = 0, acceleration = 0;
    int count = 0;
    for (std::size_t r = 0; r < smoothed.log.runs.size(); ++r) {
      const double sd = smoothed.at(static_cast<int>(r), j).observation_sd;
      variance += sd * sd / static_cast<double>(smoothed.log.runs.size());
      const auto& a = smoothed.log.runs[r].qdd;
      for (std::size_t k = j; k < a.size(); k += n, ++count) acceleration += a[k] * a[k];
    }
    noise.sigma.push_back(sigma.empty() ? std::sqrt(variance) : sigma[j]);
    if (sigma.empty() && smoothed.log.runs[0].sample_step > 0)
      noise.sigma[j] = std::max(noise.sigma[j], kFirstSigma * motion_size(smoothed.log, j));
    noise.s.push_back(std::sqrt(acceleration / count));
    if (!(noise.sigma[j] > 0 && noise.s[j] > 0))
      throw InputError("joint '" + smoothed.log.channels.joints[j] +
                       "' does not move in the training data, or has no noise");
  }
  return noise;
}

}  // namespace

bool explains_motion(const MotionNoise& fitted, std::span<const double> accelerations) {
  // A Furuta pendulum driven by a voltage, which trig cannot explain, stays above. 0.15 and 1.5:
  // same errors of networks; 0, smoothed motions for all: errors 1.3 to 4.3 times as large.
  constexpr double kBelow = 0.5;
  for (std::size_t j = 0; j < accelerations.size(); ++j)
    if (!(fitted.s[j] < kBelow * accelerations[j])) return false;
  return true;
}

std::unique_ptr<MassPrior> make_mass_prior(const Model& model, const Log& motions) {
  const Scales* scales = model.scales();
  if (!scales) return nullptr;
  std::vector<double> q;
  for (const auto& run : motions.runs) q.insert(q.end(), run.q.begin(), run.q.end());
  std::vector<double> unit = scales->v;
  for (double& v : unit) v /= std::sqrt(scales->energy);
  return std::make_unique<MassPrior>(model, spread_points(model.joint_types(), q, kPriorPoints),
                                     unit, model.scale_is_free(), kMassWeight);
}

double HeldOut::score(const Model& model, const MotionNoise& noise) {
  runs.solve(model, noise, kScoreSolve);
  if (runs.linearise(model, RunDerivatives::configurations)) return likelihood_score(runs, noise);
  runs.set_motions(start_);
  return -std::numeric_limits<double>::infinity();
}

JointProblem::JointProblem(const Model& start, const JointData& data, const JointOptions& options,
                           ThreadPool& pool, Team* team)
    : start_(start),
      options_(options),
      data_(data),
      pool_(pool),
      first_noise_(make_first_noise(*data.train_smoothed, options.sigma)),
      prepared_(start.kind() == ParameterKind::weights && options.before &&
                explains_motion(options.before->noise, first_noise_.s)),
      train_start_(prepared_ ? options.before->train : data.train_smoothed->log),
      validation_start_(prepared_ ? options.before->validation : data.validation_smoothed->log),
      runs_(start, *data.train, train_start_, pool, team),
      held_out_(start, *data.validation, validation_start_, pool, team),
      prior_(make_mass_prior(start, train_start_)) {
  // Networks keep the first sigma, which on finer steps is too large on purpose (kFirstSigma).
  if (start.kind() == ParameterKind::weights && options.before && options.sigma.empty() &&
      data.train->runs[0].sample_step > 0)
    first_noise_.sigma = options.before->noise.sigma;
}

bool JointProblem::take_share() {
  if (!runs_.take_share(kShare)) return false;
  held_out_.runs.take_share(kHeldOutShare);
  return true;
}

void JointProblem::take_all() {
  runs_.take_all();
  held_out_.runs.take_all();
}

void JointProblem::take_all(const Model& model, const MotionNoise& noise) {
  take_all();
  runs_.solve(model, noise, kOtherSolve);
}

NoiseSearch JointProblem::noise_search() const {
  NoiseSearch search;
  search.sigma = options_.sigma.empty();
  const bool refined = data_.train->runs[0].sample_step > 0;
  search.s_floor = refined ? kLowestRefinedS : kLowestS;
  if (refined) search.sigma_step = kRefinedSigmaStep;
  search.s_unit = first_noise_.s;
  return search;
}

JointBest JointProblem::snapshot(double score, const Model& model, const MotionNoise& noise) const {
  const auto theta = model.parameters();
  JointBest best{
      score, {theta.begin(), theta.end()}, noise, runs_.motions(), held_out_.runs.motions()};
  share(best.motions, best.held_out);
  return best;
}

void JointProblem::share(Motions& motions, Motions& held_out) const {
  runs_.share(motions);
  held_out_.runs.share(held_out);
}

void JointProblem::restore(const JointBest& best) {
  runs_.set_motions(best.motions);
  held_out_.runs.set_motions(best.held_out);
}

void JointProblem::expect_own(const Motions& motions, const Motions& held_out,
                              const MotionNoise& noise) const {
  const auto same = [](const Motions& found, const Motions& own) {
    return std::equal(found.begin(), found.end(), own.begin(), own.end(),
                      [](const auto& a, const auto& b) { return a.size() == b.size(); });
  };
  if (!same(motions, runs_.motions()) || !same(held_out, held_out_.runs.motions()) ||
      noise.sigma.size() != first_noise_.sigma.size() || noise.s.size() != first_noise_.s.size())
    throw InputError("the checkpoint is of other data");
}

void JointProblem::expect_own(const JointBest& best) const {
  if (best.theta.empty()) return;
  if (static_cast<int>(best.theta.size()) != start_.parameter_count())
    throw InputError("the checkpoint is of another model");
  expect_own(best.motions, best.held_out, best.noise);
}

void JointProblem::finish(const JointBest& best, JointResult& result) {
  result.model.set_parameters(best.theta);
  result.noise = best.noise;
  result.validation_score = best.score;
  result.validation_count = held_out_.runs.observation_count();
  take_all();
  restore(best);
  if (runs_.linearise(result.model, RunDerivatives::configurations))
    result.log_likelihood = runs_.log_likelihood(best.noise) / runs_.observation_count();
  if (!options_.motions) return;
  const auto motion = [&](const Log& observed, const Log& start, const JointRuns& runs) {
    return smooth_with_model(result.model, observed, runs.with_motions(start), best.noise, pool_)
        .log;
  };
  result.train = motion(*data_.train, train_start_, runs_);
  result.validation = motion(*data_.validation, validation_start_, held_out_.runs);
}

JointData joint_data(Log train, Log validation, ThreadPool& pool) {
  JointData data;
  data.train = std::make_shared<const Log>(std::move(train));
  data.validation = std::make_shared<const Log>(std::move(validation));
  data.train_smoothed = std::make_shared<const SmoothResult>(smooth(*data.train, {}, pool));
  data.validation_smoothed =
      std::make_shared<const SmoothResult>(smooth(*data.validation, {}, pool));
  return data;
}

JointResult fit_joint(const Model& start, const JointData& data, const JointOptions& options,
                      ThreadPool& pool, const JointHooks& hooks) {
  MECHFIT_CHECK(data.train->n() == start.joints() && data.validation->n() == start.joints());
  MECHFIT_CHECK(options.sigma.empty() ||
                options.sigma.size() == static_cast<std::size_t>(start.joints()));
  JointProblem problem(start, data, options, pool, hooks.team);
  return start.kind() == ParameterKind::weights ? fit_joint_network(problem, hooks)
                                                : fit_joint_gauss_newton(problem, hooks);
}

}  // namespace mechfit
