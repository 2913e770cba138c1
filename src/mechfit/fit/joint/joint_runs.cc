#include "mechfit/fit/joint/joint_runs.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/climb.h"
#include "mechfit/base/error.h"

namespace mechfit {
namespace {

// First step of the search in log s, which falls by orders of magnitude. 0.1: same errors within 2
// %, up to half more time; 0.9: errors from 1 % less to 6 % more.
constexpr double kStepS = 0.3;
// The longest move, in such steps. 0.75 and 3: errors within 3 %.
constexpr double kFarthest = 1.5;
// Moves at most in search of the s that suits held-out runs. 3 and 12: same errors to four digits.
constexpr int kScoreRounds = 6;

}  // namespace

JointRuns::JointRuns(const Model& model, const Log& observed, const Log& start, ThreadPool& pool,
                     const ForceSpace* forces)
    : pool_(pool) {
  MECHFIT_CHECK(observed.runs.size() == start.runs.size());
  for (std::size_t k = 0; k < observed.runs.size(); ++k) {
    if (observed.runs[k].size() < kShortestRun) continue;
    runs_.emplace_back(model, observed.runs[k], start.runs[k].q);
    if (forces) {
      MotionRun& run = runs_.back();
      std::vector<double> intensity;
      for (int j = 0; j < model.joints(); ++j)
        intensity.push_back(
            forces->driven[j] ? forces->smoothed->at(static_cast<int>(k), j).intensity : 0);
      run.by_force = forces->driven;
      if (run.samples() >= 4) run.prior.emplace(run.h, intensity);
    }
    for (double y : observed.runs[k].q) observation_count_ += !std::isnan(y);
  }
  if (runs_.empty()) throw InputError("no run has the three samples that a fit needs");
  partial_.resize(runs_.size());
}

bool JointRuns::linearise(const Model& model, RunDerivatives derivatives) {
  return sum([&](MotionRun& run, int) { return run.linearise(model, derivatives) ? 0.0 : 1.0; }) ==
         0;
}

double JointRuns::solve(const Model& model, const MotionNoise& noise,
                        const MotionRun::Options& options) {
  return sum([&](MotionRun& run, int) { return run.solve(model, noise, options).objective; });
}

double JointRuns::log_likelihood(const MotionNoise& noise) {
  return sum([&](MotionRun& run, int) { return run.quadratic.log_likelihood(noise); });
}

std::vector<std::vector<double>> JointRuns::motions() const {
  std::vector<std::vector<double>> q;
  for (const MotionRun& run : runs_) q.push_back(run.q);
  return q;
}

void JointRuns::set_motions(const std::vector<std::vector<double>>& q) {
  MECHFIT_CHECK(q.size() == runs_.size());
  for (std::size_t k = 0; k < q.size(); ++k) runs_[k].q = q[k];
}

Log JointRuns::with_motions(Log log) const {
  std::size_t k = 0;
  for (auto& run : log.runs)
    if (run.size() >= kShortestRun) run.q = runs_[k++].q;
  return log;
}

double improve_noise(JointRuns& runs, const NoiseSearch& search, MotionNoise& noise) {
  const auto value = [&](const MotionNoise& at) {
    double sum = runs.log_likelihood(at);
    for (double s : at.s) sum += search.s_pull * std::log(s);
    return sum;
  };
  double f = value(noise);
  const auto along = [&](std::vector<double>& parts, std::size_t j, double step, double least,
                         double most) {
    const double x = std::log(parts[j]);
    const ClimbOptions options{step, kFarthest, std::min(least, x), most};
    const ClimbResult best = climb(x, f, options, [&](double at) {
      parts[j] = std::exp(at);
      return value(noise);
    });
    f = best.value;
    parts[j] = std::exp(best.x);
  };
  for (std::size_t j = 0; j < noise.s.size(); ++j)
    along(noise.s, j, kStepS, std::log(search.s_floor * search.s_unit[j]), std::log(noise.s[j]));
  for (std::size_t j = 0; search.sigma && j < noise.sigma.size(); ++j)
    along(noise.sigma, j, search.sigma_step, -kInfinity, kInfinity);
  for (double s : noise.s) f -= search.s_pull * std::log(s);
  return f;
}

double largest_fall_of_s(const MotionNoise& from, const MotionNoise& to) {
  double fall = 0;
  for (std::size_t j = 0; j < from.s.size(); ++j)
    fall = std::max(fall, std::log(from.s[j] / to.s[j]));
  return fall;
}

double fit_common_s(JointRuns& runs, MotionNoise& noise) {
  const std::vector<double> s = noise.s;
  const auto value = [&](double factor) {
    for (std::size_t j = 0; j < s.size(); ++j) noise.s[j] = s[j] * std::exp(factor);
    return runs.log_likelihood(noise);
  };
  ClimbResult best{0, value(0)};
  for (int round = 0; round < kScoreRounds; ++round) {
    const double before = best.x;
    best = climb(best.x, best.value, {kStepS, kFarthest}, value);
    if (std::abs(best.x - before) < 0.1 * kStepS) break;
  }
  for (std::size_t j = 0; j < s.size(); ++j) noise.s[j] = s[j] * std::exp(best.x);
  return best.value;
}

double likelihood_score(JointRuns& runs, MotionNoise noise) {
  return fit_common_s(runs, noise) / runs.observation_count();
}

}  // namespace mechfit
