#include "mechfit/fit/contact/part_motion.h"

#include <algorithm>
#include <cmath>

#include "mechfit/estimate/kalman/smoother.h"
#include "mechfit/estimate/motion/model_smoother.h"
#include "mechfit/estimate/motion/motion_run.h"
#include "mechfit/log/refine.h"
#include "mechfit/mechanics/point.h"

namespace mechfit {
namespace {

// Rounds in which velocities and accelerations of an end agree: the second changes v by h^3.
constexpr int kRounds = 3;

struct End {
  int first, second;  // samples of its step
  bool last;          // whether the end is the second of them
};

Eigen::VectorXd velocity_at(PointDynamics& dynamics, const MotionRun& run, int n, int m,
                            const End& end) {
  const double h = run.h[end.first];
  const auto row = [&](int k) { return std::span(run.q).subspan(k * n, n); };
  const auto u =
      m > 0 ? std::span<const double>(run.u).subspan(end.first * m, m) : std::span<const double>();
  Eigen::VectorXd slope(n), first(n), second(n), a1 = Eigen::VectorXd::Zero(n), a2 = a1;
  for (int i = 0; i < n; ++i) slope[i] = (row(end.second)[i] - row(end.first)[i]) / h;
  first = second = slope;
  const std::size_t size = n;
  for (int round = 0; round < kRounds; ++round) {
    (void)dynamics.acceleration(row(end.first), {first.data(), size}, u, {a1.data(), size});
    (void)dynamics.acceleration(row(end.second), {second.data(), size}, u, {a2.data(), size});
    first = slope - h / 6 * (2 * a1 + a2);
    second = slope + h / 6 * (2 * a2 + a1);
  }
  return end.last ? second : first;
}

PartMotion motion_of(const Model& model, const MotionNoise& noise, const Trajectory& observed,
                     const Trajectory& start) {
  const int n = model.joints(), m = model.inputs(), samples = observed.size();
  PartMotion out;
  MotionRun run(model, observed, start.q);
  (void)run.solve(model, noise, {});
  if (!run.linearise(model, RunDerivatives::configurations)) return out;
  out.log_likelihood = run.quadratic.log_likelihood(noise);
  if (!run.quadratic.factor(noise, 0)) return out;
  for (int j = 0; j < n; ++j) out.observations += run.quadratic.observed(j);
  out.q = run.q;
  out.v = motion_velocities(model, run);
  out.error = run.error.e;
  for (std::size_t k = 0; k < out.error.size(); ++k) out.error[k] /= noise.s[k % n];
  PointDynamics dynamics(model);
  out.ends.resize(4 * n);
  // Columns of H^-1 for the configurations that the ends' states are made of.
  Eigen::MatrixXd map = Eigen::MatrixXd::Zero(samples * n, 4 * n);  // d ends / d q, transposed
  for (const bool last : {false, true}) {
    const End end = last ? End{samples - 2, samples - 1, true} : End{0, 1, false};
    const int at = last ? samples - 1 : 0, to = last ? 2 * n : 0;
    for (int i = 0; i < n; ++i) {
      out.ends[to + i] = run.q[at * n + i];
      map(at * n + i, to + i) = 1;
      map(end.second * n + i, to + n + i) += 1 / run.h[end.first];
      map(end.first * n + i, to + n + i) -= 1 / run.h[end.first];
    }
    out.ends.segment(to + n, n) = velocity_at(dynamics, run, n, m, end);
  }
  Eigen::MatrixXd solved = map;
  for (int k = 0; k < 4 * n; ++k)
    run.quadratic.hessian().solve({solved.col(k).data(), static_cast<std::size_t>(samples * n)});
  out.covariance = map.transpose() * solved;
  out.covariance = (0.5 * (out.covariance + out.covariance.transpose())).eval();
  out.ok = out.ends.allFinite() && out.covariance.allFinite();
  return out;
}

}  // namespace

MotionNoise following(const MotionNoise& noise, double step, double share) {
  MotionNoise out = noise;
  for (std::size_t j = 0; j < out.s.size(); ++j)
    out.s[j] = std::max(out.s[j], share * out.sigma[j] / (step * step));
  return out;
}

Log on_steps(const Log& parts, const MotionSteps& steps) {
  Log out = steps.grid > 0 ? refine(parts, steps.grid) : parts;
  for (Trajectory& run : out.runs) run.sample_step = steps.reference;
  return out;
}

std::vector<PartMotion> part_motions(const Model& model, const MotionNoise& noise, const Log& parts,
                                     ThreadPool& pool) {
  const SmoothResult start = smooth(parts, {}, pool);
  std::vector<PartMotion> out(parts.runs.size());
  pool.run(static_cast<int>(parts.runs.size()),
           [&](int k, int) { out[k] = motion_of(model, noise, parts.runs[k], start.log.runs[k]); });
  return out;
}

}  // namespace mechfit
