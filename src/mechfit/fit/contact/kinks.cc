#include "mechfit/fit/contact/kinks.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "mechfit/base/median.h"

namespace mechfit {
namespace {

// Samples on either side: few for clean logs of fast motions, many for noisy ones.
constexpr int kWindows[] = {6, 10, 16, 26, 40};
constexpr int kTerms = 6;
// A jump must exceed what the typical acceleration does in so many steps.
constexpr double kSteps = 2;

using Row = Eigen::Matrix<double, kTerms, 1>;

struct WindowFit {
  int sample = 0, joint = 0, half = 0;
  double middle = 0;  // of the step [s]
  Row c;              // 1, t, t^2, t^3, jumps of position and velocity, t from the middle
  double jump_share = 0, offset_share = 0, level_share = 0;  // variances in units of the noise's
  double residual = 0;
};

// Least squares of the window [sample - half + 1, sample + half] for one joint; false where samples
// are missing.
bool fit_window(const Trajectory& run, int n, int sample, int joint, int half, WindowFit& fit) {
  Eigen::Matrix<double, kTerms, kTerms> normal = Eigen::Matrix<double, kTerms, kTerms>::Zero();
  Row pull = Row::Zero();
  const double middle = 0.5 * (run.t[sample] + run.t[sample + 1]);
  const double unit = 0.5 * (run.t[sample + half] - run.t[sample - half + 1]);
  const double origin = run.q[sample * n + joint];
  double squares = 0;
  for (int k = sample - half + 1; k <= sample + half; ++k) {
    const double y = run.q[k * n + joint] - origin, t = (run.t[k] - middle) / unit;
    if (!std::isfinite(y)) return false;
    Row x;
    x << 1, t, t * t, t * t * t, k > sample, k > sample ? t : 0;
    normal += x * x.transpose();
    pull += y * x;
    squares += y * y;
  }
  const Eigen::LDLT<Eigen::Matrix<double, kTerms, kTerms>> factor(normal);
  fit.c = factor.solve(pull);
  const Eigen::Matrix<double, kTerms, kTerms> inverse =
      factor.solve(Eigen::Matrix<double, kTerms, kTerms>::Identity());
  fit.residual = std::sqrt(std::max(0.0, squares - fit.c.dot(pull)) / (2 * half - kTerms));
  fit.jump_share = inverse(5, 5) / (unit * unit);
  fit.offset_share = inverse(4, 4);
  fit.level_share = inverse(0, 0);
  double power = 1;
  for (int k = 1; k < 4; ++k) fit.c[k] /= power *= unit;
  fit.c[5] /= unit;
  fit.c[0] += origin;
  fit.sample = sample;
  fit.joint = joint;
  fit.half = half;
  fit.middle = middle;
  return true;
}

Kink kink_of(const WindowFit& fit, int run, double noise, double step) {
  const double d = fit.c[5];
  // Both sides meet where the jump of position is made up for, within the step or close to it.
  const double t = std::clamp(d != 0 ? -fit.c[4] / d : 0, -step, step);
  Kink kink;
  kink.run = run;
  kink.sample = fit.sample;
  kink.joint = fit.joint;
  kink.time = fit.middle + t;
  kink.time_sd = std::min(noise * std::sqrt(fit.offset_share) / std::fabs(d), fit.half * step);
  kink.position = fit.c[0] + t * (fit.c[1] + t * (fit.c[2] + t * fit.c[3]));
  kink.before = fit.c[1] + t * (2 * fit.c[2] + 3 * t * fit.c[3]);
  kink.after = kink.before + d;
  kink.position_sd = noise * std::sqrt(fit.level_share);
  kink.score = std::fabs(d) / (noise * std::sqrt(fit.jump_share));
  return kink;
}

// The best of all that are within reach of each other.
std::vector<Kink> best_ones(std::vector<std::pair<Kink, int>> all) {
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a.first.score > b.first.score; });
  std::vector<std::pair<Kink, int>> kept;
  for (const auto& candidate : all) {
    const bool near = std::any_of(kept.begin(), kept.end(), [&](const auto& other) {
      return other.first.joint == candidate.first.joint &&
             std::abs(other.first.sample - candidate.first.sample) <
                 std::max(4, std::min(other.second, candidate.second) / 2);
    });
    if (!near) kept.push_back(candidate);
  }
  std::vector<Kink> out;
  for (const auto& kink : kept) out.push_back(kink.first);
  return out;
}

}  // namespace

std::vector<Kink> find_kinks(const Log& log, double least, ThreadPool& pool) {
  const int n = log.n(), runs = static_cast<int>(log.runs.size());
  std::vector<std::vector<WindowFit>> fits(runs);
  pool.run(runs, [&](int r, int) {
    const Trajectory& run = log.runs[r];
    for (const int half : kWindows)
      for (int k = half - 1; k + half < run.size(); ++k)
        for (int j = 0; j < n; ++j)
          if (WindowFit fit; fit_window(run, n, k, j, half, fit)) fits[r].push_back(fit);
  });
  std::vector<std::vector<std::pair<Kink, int>>> found(runs);
  for (int j = 0; j < n; ++j)
    for (const int half : kWindows) {
      std::vector<double> residuals, accelerations;
      for (const auto& own : fits)
        for (const WindowFit& fit : own)
          if (fit.joint == j && fit.half == half) {
            residuals.push_back(fit.residual);
            accelerations.push_back(2 * std::fabs(fit.c[2]));
          }
      if (residuals.empty()) continue;
      const double noise = median(residuals), usual = median(accelerations);
      for (int r = 0; r < runs; ++r)
        for (const WindowFit& fit : fits[r]) {
          if (fit.joint != j || fit.half != half) continue;
          const Trajectory& run = log.runs[r];
          const double step = run.t[fit.sample + 1] - run.t[fit.sample];
          const Kink kink = kink_of(fit, r, std::max({noise, fit.residual, 1e-12}), step);
          if (kink.score > least && std::fabs(kink.after - kink.before) > kSteps * step * usual)
            found[r].push_back({kink, half});
        }
    }
  std::vector<Kink> out;
  for (auto& own : found)
    for (const Kink& kink : best_ones(std::move(own))) out.push_back(kink);
  return out;
}

}  // namespace mechfit
