#include "mechfit/estimate/motion/model_smoother.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/estimate/motion/motion_noise.h"
#include "mechfit/log/acting_input.h"
#include "mechfit/mechanics/lanes.h"
#include "mechfit/mechanics/point.h"

namespace mechfit {
namespace {

// What the model says at the states, less its error there, which the ends share with their
// neighbours: differences of q are those of a whole step, and miss how accelerations change within.
// Where M is not positive definite at a sample the second difference has to do.
void accelerations(const Model& model, const MotionRun& run, const Trajectory& observed,
                   Trajectory& out) {
  const int n = model.joints(), m = model.inputs(), samples = run.samples();
  PointDynamics dynamics(model);
  std::vector<double> acting = sample_inputs(observed, m, InputAtSample::mean);
  acting.resize(static_cast<std::size_t>(samples) * m, 0.0);
  out.qdd.assign(run.q.size(), 0.0);
  for (int t = 0; t < samples; ++t) {
    const int inner = std::clamp(t, 1, samples - 2);
    const auto row = [&](std::vector<double>& x) { return std::span(x).subspan(t * n, n); };
    const bool positive = dynamics.acceleration(row(out.q), row(out.qd),
                                                std::span(acting).subspan(t * m, m), row(out.qdd));
    for (int i = 0; i < n; ++i) {
      const double* q = &run.q[inner * n + i];
      const double h1 = run.h[inner - 1], h2 = run.h[inner];
      double& a = out.qdd[t * n + i];
      if (positive)  // e in units of an acceleration
        a -= run.error.e[(inner - 1) * n + i] *
             (run.reference > 0 ? std::sqrt(run.reference / (0.5 * (h1 + h2))) : 1);
      else
        a = ((q[n] - q[0]) / h2 - (q[0] - q[-n]) / h1) / (0.5 * (h1 + h2));
    }
  }
}

// Standard deviations of q, of the slope over the two steps around a sample and of the second
// difference there.
void deviations(const MotionRun& run, int n, const Banded& covariance, Trajectory& out) {
  const int samples = run.samples();
  for (auto* sd : {&out.q_sd, &out.qd_sd, &out.qdd_sd}) sd->assign(run.q.size(), 0.0);
  const auto deviation = [&](int t, int i, const double(&c)[3]) {  // of c'(q_{t-1}, q_t, q_{t+1})
    double sum = 0;
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b <= a; ++b)
        if (c[a] != 0 && c[b] != 0)
          sum += (a == b ? 1 : 2) * c[a] * c[b] *
                 covariance.at((t - 1 + a) * n + i, (t - 1 + b) * n + i);
    return std::sqrt(std::max(0.0, sum));
  };
  for (int t = 0; t < samples; ++t)
    for (int i = 0; i < n; ++i) {
      out.q_sd[t * n + i] = deviation(t, i, {0, 1, 0});
      const int inner = std::clamp(t, 1, samples - 2);
      const double h1 = run.h[inner - 1], h2 = run.h[inner], mean = 0.5 * (h1 + h2);
      out.qd_sd[t * n + i] = deviation(inner, i, {-0.5 / mean, 0, 0.5 / mean});
      out.qdd_sd[t * n + i] =
          deviation(inner, i, {1 / (h1 * mean), -(1 / h1 + 1 / h2) / mean, 1 / (h2 * mean)});
    }
}

}  // namespace

std::vector<double> motion_velocities(const Model& model, const MotionRun& run) {
  const int n = model.joints(), samples = run.samples();
  const auto& [p, f, r, jacobian, block] = run.error.run;
  std::vector<double> v(run.q.size(), 0.0);
  for (int t = 0; t < samples; ++t)
    for (int i = 0; i < n; ++i) {
      const int before = (t - 1) * n + i, after = t * n + i;
      const double arriving = t > 0 ? p[before] + 0.5 * run.h[t - 1] * f[before] : 0;
      const double leaving = t + 1 < samples ? p[after] - 0.5 * run.h[t] * f[after] : 0;
      v[t * n + i] = (arriving + leaving) / (t == 0 || t + 1 == samples ? 1 : 2);
    }
  auto w = model.make_workspace();
  AlignedVector q = make_panel(n), momentum = make_panel(n), m = make_panel(n * n), g = m;
  for (int first = 0; first < samples; first += kBlock) {
    for (int lane = 0; lane < kBlock; ++lane)
      for (int i = 0; i < n; ++i) {
        const int at = std::min(first + lane, samples - 1) * n + i;
        q[i * kBlock + lane] = run.q[at];
        momentum[i * kBlock + lane] = v[at];
      }
    model.mass(q.data(), m.data(), w);
    model.factor(g.data(), w);
    solve(n, g.data(), momentum.data(), momentum.data());
    for (int lane = 0; lane < std::min(kBlock, samples - first); ++lane)
      for (int i = 0; i < n; ++i) {
        const int t = first + lane;
        double& velocity = v[t * n + i] = momentum[i * kBlock + lane];
        if (std::isfinite(velocity)) continue;
        // M is positive definite at the midpoints and not here: the slope has to do.
        const int before = std::max(t - 1, 0), after = std::min(t + 1, samples - 1);
        double time = 0;
        for (int k = before; k < after; ++k) time += run.h[k];
        velocity = (run.q[after * n + i] - run.q[before * n + i]) / time;
      }
  }
  return v;
}

ModelSmoothResult smooth_with_model(const Model& model, const Log& observed, const Log& start,
                                    const MotionNoise& noise, ThreadPool& pool) {
  const int n = model.joints();
  MECHFIT_CHECK(observed.n() == n && observed.runs.size() == start.runs.size());
  MECHFIT_CHECK(noise.sigma.size() == static_cast<std::size_t>(n) &&
                noise.s.size() == noise.sigma.size());
  ModelSmoothResult result;
  result.noise = noise;
  result.log = observed;
  result.runs.resize(observed.runs.size());
  pool.run(static_cast<int>(observed.runs.size()), [&](int task, int) {
    const Trajectory& from = observed.runs[task];
    Trajectory& out = result.log.runs[task];
    ModelSmoothRun& summary = result.runs[task];
    MotionRun run(model, from, start.runs[task].q);
    const auto outcome = run.solve(model, noise, {});
    summary.objective = outcome.objective;
    summary.converged = outcome.converged;
    if (!run.linearise(model, RunDerivatives::configurations))
      throw InputError("run '" + from.name +
                       "': the model's mass matrix is not positive definite on it");
    summary.log_likelihood = run.quadratic.log_likelihood(noise);
    if (!run.quadratic.factor(noise, 0))
      throw InputError("run '" + from.name + "' has too few observations to tell its motion");
    out.q = run.q;
    out.qd = motion_velocities(model, run);
    accelerations(model, run, from, out);
    deviations(run, n, run.quadratic.hessian().inverse(), out);
  });
  return result;
}

ModelSmoothResult smooth_with_model(const Model& model, const Log& observed, ThreadPool& pool) {
  const SmoothResult start = smooth(observed, {}, pool);
  return smooth_with_model(model, observed, start.log, likely_noise(model, observed, start, pool),
                           pool);
}

}  // namespace mechfit
