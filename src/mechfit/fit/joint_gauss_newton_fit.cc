#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "mechfit/base/error.h"
#include "mechfit/fit/data_scales.h"
#include "mechfit/fit/joint_gauss_newton.h"
#include "mechfit/smooth/model_smoother.h"

namespace mechfit {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Root mean square of the errors, per joint.
std::vector<double> error_size(JointRuns& runs, int n) {
  std::vector<double> sum(n, 0.0);
  int count = 0;
  for (int k = 0; k < runs.size(); ++k) {
    const std::vector<double>& e = runs[k].error.e;
    for (std::size_t i = 0; i < e.size(); ++i) sum[i % n] += e[i] * e[i];
    count += static_cast<int>(e.size()) / n;
  }
  for (double& x : sum) x = std::sqrt(x / count);
  return sum;
}

// Held-out runs: their motion for a given model, and how likely their observations are.
class Validation {
 public:
  Validation(const Model& model, const Log& observed, const Log& smoothed, ThreadPool& pool)
      : runs_(model, observed, smoothed, pool), start_(runs_.motions()) {}

  double score(const Model& model, const MotionNoise& noise) {
    const auto before = runs_.motions();
    runs_.solve(model, noise, {static_cast<int>(8), 1e-2});
    if (!runs_.linearise(model, RunDerivatives::configurations)) {
      runs_.set_motions(start_);
      return -std::numeric_limits<double>::infinity();
    }
    return likelihood_score(runs_, noise);
  }
  JointRuns& runs() { return runs_; }

 private:
  JointRuns runs_;
  std::vector<std::vector<double>> start_;
};

bool scale_is_free(const Model& model) {
  if (model.inputs() == 0) return true;
  const Trig* trig = model.as<Trig>();
  return trig && trig->config().input_map != InputMap::fixed;
}

}  // namespace

JointResult fit_joint_gauss_newton(const Model& start, const Log& train, const Log& train_smoothed,
                                   const Log& validation, const Log& validation_smoothed,
                                   const MotionNoise& first_noise, const JointOptions& options,
                                   ThreadPool& pool, const JointProgress& progress) {
  const int n = start.joints();
  JointRuns runs(start, train, train_smoothed, pool);
  Validation held_out(start, validation, validation_smoothed, pool);
  std::unique_ptr<MassPrior> prior;
  if (const Trig* trig = start.as<Trig>()) {
    std::vector<double> q;
    for (const auto& run : train_smoothed.runs) q.insert(q.end(), run.q.begin(), run.q.end());
    std::vector<double> unit = trig->config().scales.v;
    for (double& v : unit) v /= std::sqrt(trig->config().scales.energy);
    prior = std::make_unique<MassPrior>(
        start, spread_points(trig->config().joints, q, static_cast<int>(128)), unit,
        scale_is_free(start), 150);
  }
  JointGaussNewton solver(start, runs, options.fixed, prior.get());
  MotionNoise noise = first_noise;
  const std::vector<double> s_unit = noise.s;

  JointResult result{start, noise, train, validation, 0, 0, true, {}, {}, {}, {}, {}};
  // The parameters first, on the motions as they were smoothed, errors weighted by their size.
  for (int k = 0; k < 10; ++k) {
    if (!solver.linearise()) break;
    noise.s = error_size(runs, n);
    const auto step = solver.step(noise, JointGaussNewton::Moves::parameters);
    if (!step.better || step.promised < 1) break;
  }
  NoiseSearch search;
  search.sigma = options.sigma.empty();
  search.s_floor = 1e-3;
  search.s_unit = s_unit;
  search.s_pull = 2;
  for (int j = 0; j < n; ++j) noise.s[j] = 1 * s_unit[j];

  const int most = options.iterations > 0 ? options.iterations : static_cast<int>(40);
  double best = -std::numeric_limits<double>::infinity();
  double top = best;
  std::vector<double> best_theta;
  std::vector<std::vector<double>> best_motions;
  MotionNoise best_noise = noise;
  int quiet = 0, stage = 0, ard = 0;
  double promised = 0;
  double top_unused = 0;
  (void)top_unused;
  for (int k = 1; k <= most && result.finished; ++k) {
    if (prior) {
      double ratio = 0;
      for (int j = 0; j < n; ++j) ratio = std::max(ratio, noise.s[j] / s_unit[j]);
      prior->set_weight((stage > 0 ? 100 : 150) * (1 + 0 * std::min(1.0, ratio)));
    }
    if (!solver.linearise()) break;
    const MotionNoise before = noise;
    double ll = kNan;
    if (k > 1 && promised < 1e9 * runs.numbers()) ll = improve_noise(runs, search, noise);
    if (stage > 0 && ard < 0) {
      solver.weigh_coefficients(noise);
      ++ard;
    }
    const auto step = solver.step(noise, JointGaussNewton::Moves::all);
    promised = step.promised;
    double change = 0;
    for (int j = 0; j < n; ++j) change = std::max(change, std::log(before.s[j] / noise.s[j]));
    quiet = (change < 0.05 && step.promised < 0.5) || !step.better ? quiet + 1 : 0;
    JointRecord record{k, most, step.objective, kNan, noise};
    if (quiet >= 2 && stage == 0 && 0 > 0) {
      stage = 1;
      quiet = 0;
    }
    if (stage > 0 && ard < 0) quiet = 0;
    const bool last = k == most || quiet >= 2;
    if (k % static_cast<int>(3) == 0 || last) {
      record.validation = held_out.score(solver.model(), noise);
      top = std::max(top, record.validation);
      if (record.validation > top - 2 / held_out.runs().numbers()) {
        best = record.validation;
        best_theta.assign(solver.model().parameters().begin(), solver.model().parameters().end());
        best_motions = runs.motions();
        best_noise = noise;
      }
    }
    result.history.push_back(record);
    if (progress && !progress(record)) result.finished = last;
    if (last) break;
  }
  if (best_theta.empty())
    throw InputError(
        "no model with a positive definite mass matrix was found for the held-out runs");
  solver.set_parameters(best_theta);
  runs.set_motions(best_motions);
  result.model = solver.model();
  result.noise = best_noise;
  result.validation_score = best;
  return result;
}

}  // namespace mechfit
