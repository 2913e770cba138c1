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

Eigen::VectorXd velocity_at(PointDynamics& dynamics, const MotionRun& run,
                            std::span<const double> q, int n, int m, const End& end) {
  const double h = run.h[end.first];
  const auto row = [&](int k) { return q.subspan(k * n, n); };
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

End end_of(int samples, bool last) {
  return last ? End{samples - 2, samples - 1, true} : End{0, 1, false};
}

// (q, v) of both ends of a motion q.
Eigen::VectorXd ends_of(const Model& model, const MotionRun& run, std::span<const double> q) {
  const int n = model.joints(), samples = run.samples();
  PointDynamics dynamics(model);
  Eigen::VectorXd out(4 * n);
  for (const bool last : {false, true}) {
    const int at = last ? samples - 1 : 0, to = last ? 2 * n : 0;
    for (int i = 0; i < n; ++i) out[to + i] = q[at * n + i];
    out.segment(to + n, n) =
        velocity_at(dynamics, run, q, n, model.inputs(), end_of(samples, last));
  }
  return out;
}

// Around the motion of `run`, whose quadratic is factored.
Eigen::MatrixXd change_of_ends(const ModelDoubt& doubt, const MotionNoise& noise,
                               const MotionRun& run, const Eigen::VectorXd& ends) {
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(ends.size(), doubt.size());
  for (int k = 0; k < doubt.size(); ++k) {
    MotionRun moved(doubt.along[k]);
    static_cast<MotionData&>(moved) = run;
    if (!moved.linearise(doubt.along[k], RunDerivatives::configurations)) continue;
    if (!moved.quadratic.factor(noise, 0)) continue;
    std::vector<double> dq(run.q.size());
    for (std::size_t i = 0; i < dq.size(); ++i)
      dq[i] = run.quadratic.gradient()[i] - moved.quadratic.gradient()[i];
    run.quadratic.hessian().solve(dq);
    for (std::size_t i = 0; i < dq.size(); ++i) dq[i] += run.q[i];
    out.col(k) = (ends_of(doubt.along[k], run, dq) - ends) / ModelDoubt::step;
  }
  return out.allFinite() ? out : Eigen::MatrixXd::Zero(ends.size(), doubt.size());
}

PartMotion motion_of(const Model& model, const MotionNoise& noise, const Trajectory& observed,
                     const Trajectory& start, const ModelDoubt& doubt) {
  const int n = model.joints(), samples = observed.size();
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
  out.ends = ends_of(model, run, run.q);
  // Columns of H^-1 for the configurations that the ends' states are made of.
  Eigen::MatrixXd map = Eigen::MatrixXd::Zero(samples * n, 4 * n);  // d ends / d q, transposed
  for (const bool last : {false, true}) {
    const End end = end_of(samples, last);
    const int at = last ? samples - 1 : 0, to = last ? 2 * n : 0;
    for (int i = 0; i < n; ++i) {
      map(at * n + i, to + i) = 1;
      map(end.second * n + i, to + n + i) += 1 / run.h[end.first];
      map(end.first * n + i, to + n + i) -= 1 / run.h[end.first];
    }
  }
  Eigen::MatrixXd solved = map;
  for (int k = 0; k < 4 * n; ++k)
    run.quadratic.hessian().solve({solved.col(k).data(), static_cast<std::size_t>(samples * n)});
  out.covariance = map.transpose() * solved;
  out.covariance = (0.5 * (out.covariance + out.covariance.transpose())).eval();
  out.by_doubt = change_of_ends(doubt, noise, run, out.ends);
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
                                     ThreadPool& pool, const ModelDoubt& doubt) {
  const SmoothResult start = smooth(parts, {}, pool);
  std::vector<PartMotion> out(parts.runs.size());
  pool.run(static_cast<int>(parts.runs.size()), [&](int k, int) {
    out[k] = motion_of(model, noise, parts.runs[k], start.log.runs[k], doubt);
  });
  return out;
}

}  // namespace mechfit
