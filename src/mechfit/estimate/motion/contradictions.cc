#include "mechfit/estimate/motion/contradictions.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/estimate/kalman/residuals.h"
#include "mechfit/estimate/kalman/smoother.h"
#include "mechfit/estimate/motion/motion_noise.h"
#include "mechfit/estimate/motion/motion_run.h"
#include "mechfit/log/refine.h"
#include "mechfit/log/steps.h"

namespace mechfit {
namespace {

// Without what was found the noise is smaller, and more may be found.
constexpr int kNoiseRounds = 3;

// Of all joints of one run; empty where the model has no motion for it.
std::vector<Residuals> residuals_of(const Model& model, const MotionNoise& noise,
                                    const Trajectory& observed, const Trajectory& used,
                                    const Trajectory& motion) {
  const int n = model.joints(), samples = observed.size();
  if (samples < kShortestRun) return {};
  MotionRun run(model, used, motion.q);
  run.solve(model, noise, {});
  if (!run.linearise(model, RunDerivatives::configurations) || !run.quadratic.factor(noise, 0))
    return {};
  const Banded covariance = run.quadratic.hessian().inverse();
  std::vector<Residuals> out(n);
  for (int j = 0; j < n; ++j)
    for (int t = 0; t < samples; ++t) {
      const int k = t * n + j;
      out[j].add(observed.q[k], run.q[k], std::max(0.0, covariance.at(k, k)), noise.sigma[j],
                 !std::isnan(used.q[k]));
    }
  return out;
}

}  // namespace

std::vector<std::vector<Defect>> find_contradictions(const Model& model, const MotionNoise& noise,
                                                     std::span<const JudgedLog> logs,
                                                     ThreadPool& pool) {
  std::vector<JudgedRun> all;
  for (int l = 0; l < static_cast<int>(logs.size()); ++l) {
    MECHFIT_CHECK(logs[l].observed->runs.size() == logs[l].motion->runs.size());
    for (int r = 0; r < static_cast<int>(logs[l].observed->runs.size()); ++r)
      all.push_back({l, r, {}});
  }
  pool.run(static_cast<int>(all.size()), [&](int k, int) {
    const auto& [observed, used, motion] = logs[all[k].log];
    const int r = all[k].run;
    all[k].joints = residuals_of(model, noise, observed->runs[r], used->runs[r], motion->runs[r]);
  });
  return judge_residuals(static_cast<int>(logs.size()), std::move(all), noise.sigma);
}

std::vector<Defect> find_contradictions(const Model& model, const Log& observed, double grid,
                                        ThreadPool& pool) {
  const bool finer = grid > 0 && grid < (1 - kSameStep) * median_step(observed);
  const Log all = finer ? refine(observed, grid) : observed;
  Log used = all;
  std::vector<Defect> found;
  for (int round = 0; round < kNoiseRounds; ++round) {
    const SmoothResult smoothed = smooth(used, {}, pool);
    MotionNoise noise;
    try {
      noise = likely_noise(model, used, smoothed, pool);
    } catch (const InputError&) {  // no positive definite M on any run
      return {};
    }
    const JudgedLog judged[] = {{&all, &used, &smoothed.log}};
    const std::size_t before = found.size();
    found = find_contradictions(model, noise, judged, pool)[0];
    if (found.size() == before) break;
    used = without_defects(all, found);
  }
  return at_samples(std::move(found), all, observed);
}

std::vector<Defect> find_contradictions(const Log& observed, SmoothResult smoothed,
                                        ThreadPool& pool) {
  const int n = observed.n();
  Log used = observed;
  std::vector<Defect> found;
  for (int round = 0; round < kNoiseRounds; ++round) {
    std::vector<JudgedRun> all;
    std::vector<double> sigma;
    for (int j = 0; j < n; ++j) sigma.push_back(smoothed.at(0, j).observation_sd);
    for (int r = 0; r < static_cast<int>(observed.runs.size()); ++r) {
      std::vector<Residuals> joints(n);
      const Trajectory& motion = smoothed.log.runs[r];
      for (std::size_t k = 0; k < motion.q.size(); ++k)
        joints[k % n].add(observed.runs[r].q[k], motion.q[k], motion.q_sd[k] * motion.q_sd[k],
                          sigma[k % n], !std::isnan(used.runs[r].q[k]));
      all.push_back({0, r, std::move(joints)});
    }
    const std::size_t before = found.size();
    found = judge_residuals(1, std::move(all), sigma)[0];
    if (found.size() == before) break;
    used = without_defects(observed, found);
    smoothed = smooth(used, {}, pool);
  }
  for (Defect& d : found)
    if (d.kind == DefectKind::contradicted) d.kind = DefectKind::outlier;
  return found;
}

std::vector<Defect> at_samples(std::vector<Defect> defects, const Log& grid, const Log& log) {
  for (Defect& d : defects) {
    const std::vector<double>& t = log.runs[d.run].t;
    const auto at = std::lower_bound(t.begin(), t.end(), grid.runs[d.run].t[d.sample]);
    MECHFIT_CHECK(at != t.end());
    d.sample = static_cast<int>(at - t.begin());
  }
  return defects;
}

}  // namespace mechfit
