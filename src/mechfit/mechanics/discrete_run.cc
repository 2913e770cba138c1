#include "mechfit/mechanics/discrete_run.h"

#include <algorithm>
#include <string>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

int check_run(const Model& model, const RunView& x) {
  const std::size_t n = model.joints(), m = model.inputs(), steps = x.h.size();
  MECHFIT_CHECK(steps >= 2, "a run needs at least three configurations");
  MECHFIT_CHECK(x.q.size() == (steps + 1) * n, "q has " + std::to_string(x.q.size()) +
                                                   " numbers, expected " +
                                                   std::to_string((steps + 1) * n));
  MECHFIT_CHECK(x.u.empty() || x.u.size() >= steps * m, "u has " + std::to_string(x.u.size()) +
                                                            " numbers, expected " +
                                                            std::to_string(steps * m) + " or none");
  return static_cast<int>(steps) + 1;
}

// Adds what the block's steps contribute to the Jacobian blocks:
//   P+- = p +- (h/2) f,   dqm/dq = 1/2,   dvm/dq = -+1/h
//   dP/dq_k = gq/2 - gv/h,   dP/dq_{k+1} = gq/2 + gv/h    where gq = dP/dqm, gv = dP/dvm
//   r_k = P+(step k-1) - P-(step k)
void add_jacobians(const Model& model, int first, int steps, DelRun& run) {
  const int n = model.joints(), lanes = std::min(kBlock, steps - first);
  DelWorkspace& w = run.block;
  Covectors covectors;
  covectors.a = w.a.data();
  covectors.b = w.b.data();
  Adjoints adjoints;
  adjoints.q = w.q_bar.data();
  adjoints.v = w.v_bar.data();
  for (int arriving = 0; arriving < 2; ++arriving)
    for (int i = 0; i < n; ++i) {
      std::fill(w.a.begin(), w.a.end(), 0.0);
      std::fill(w.b.begin(), w.b.end(), 0.0);
      const double sign = arriving ? 1 : -1;
      for (int lane = 0; lane < kBlock; ++lane) {
        w.a[i * kBlock + lane] = sign;
        w.b[i * kBlock + lane] = 0.5 * w.h[lane];
      }
      model.pullback(covectors, adjoints, w.model);  // of P+ or of -P-
      for (int lane = 0; lane < lanes; ++lane) {
        const int r = first + lane + arriving - 1;  // row of w.r that this step enters
        if (r < 0 || r >= steps - 1) continue;
        double* start = &run.jacobian[((r * 3 + 1 - arriving) * n + i) * n];
        double* end = start + n * n;
        for (int j = 0; j < n; ++j) {
          const double gq = 0.5 * w.q_bar[j * kBlock + lane];
          const double gv = w.v_bar[j * kBlock + lane] / w.h[lane];
          start[j] += gq - gv;
          end[j] += gq + gv;
        }
      }
    }
}

}  // namespace

void evaluate_steps(const Model& model, const RunView& x, int first, DelWorkspace& w) {
  const int n = model.joints(), m = model.inputs(), steps = static_cast<int>(x.h.size());
  for (int lane = 0; lane < kBlock; ++lane) {
    const int k = std::min(first + lane, steps - 1);
    const double *q = &x.q[k * n], *q_next = q + n;
    w.h[lane] = x.h[k];
    for (int i = 0; i < n; ++i) {
      w.q[i * kBlock + lane] = 0.5 * (q[i] + q_next[i]);
      w.v[i * kBlock + lane] = (q_next[i] - q[i]) / w.h[lane];
    }
    for (int i = 0; i < m; ++i) w.u[i * kBlock + lane] = x.u.empty() ? 0 : x.u[k * m + i];
  }
  model.forces({w.q.data(), w.v.data(), w.u.data()}, w.p.data(), w.f.data(), w.model);
}

DelRun::DelRun(const Model& model, int samples) : block(model) {
  if (samples < 3) return;
  const std::size_t n = model.joints(), rows = samples;
  p.reserve((rows - 1) * n);
  f.reserve((rows - 1) * n);
  r.reserve((rows - 2) * n);
  jacobian.reserve((rows - 2) * 3 * n * n);
}

void del_run(const Model& model, const RunView& x, bool jacobian, DelRun& w) {
  const int n = model.joints(), samples = check_run(model, x), steps = samples - 1;
  const std::size_t rows = samples;
  w.p.resize((rows - 1) * n);
  w.f.resize((rows - 1) * n);
  w.r.resize((rows - 2) * n);
  if (jacobian) w.jacobian.assign((rows - 2) * 3 * n * n, 0.0);
  for (int first = 0; first < steps; first += kBlock) {
    evaluate_steps(model, x, first, w.block);
    for (int lane = 0; lane < std::min(kBlock, steps - first); ++lane)
      for (int i = 0; i < n; ++i) {
        w.p[(first + lane) * n + i] = w.block.p[i * kBlock + lane];
        w.f[(first + lane) * n + i] = w.block.f[i * kBlock + lane];
      }
    if (jacobian) add_jacobians(model, first, steps, w);
  }
  // r = p1 - p2 + (h1 f1 + h2 f2) / 2
  for (int k = 0; k + 1 < steps; ++k)
    for (int i = 0; i < n; ++i) {
      const int first = k * n + i, second = first + n;
      w.r[first] =
          w.p[first] - w.p[second] + 0.5 * (x.h[k] * w.f[first] + x.h[k + 1] * w.f[second]);
    }
}

void del_run_pullback(const Model& model, const RunView& x, std::span<const double> lambda,
                      std::span<double> q_bar, bool theta, DelRun& run) {
  const int n = model.joints(), samples = check_run(model, x), steps = samples - 1;
  MECHFIT_CHECK(lambda.size() == static_cast<std::size_t>((samples - 2) * n));
  MECHFIT_CHECK(q_bar.empty() || q_bar.size() == x.q.size());
  std::fill(q_bar.begin(), q_bar.end(), 0.0);
  DelWorkspace& w = run.block;
  Covectors covectors;
  covectors.a = w.a.data();
  covectors.b = w.b.data();
  Adjoints adjoints;
  adjoints.theta = theta;
  if (!q_bar.empty()) {
    adjoints.q = w.q_bar.data();
    adjoints.v = w.v_bar.data();
  }
  for (int first = 0; first < steps; first += kBlock) {
    evaluate_steps(model, x, first, w);
    // Step k has lambda_{k+1} on its P+ and -lambda_k on its P-.
    for (int lane = 0; lane < kBlock; ++lane)
      for (int i = 0; i < n; ++i) {
        const int k = first + lane;
        const double arriving = k < steps - 1 ? lambda[k * n + i] : 0;
        const double leaving = k > 0 && k < steps ? lambda[(k - 1) * n + i] : 0;
        w.a[i * kBlock + lane] = arriving - leaving;
        w.b[i * kBlock + lane] = 0.5 * w.h[lane] * (arriving + leaving);
      }
    model.pullback(covectors, adjoints, w.model);
    if (q_bar.empty()) continue;
    for (int lane = 0; lane < std::min(kBlock, steps - first); ++lane)
      for (int i = 0; i < n; ++i) {
        const int k = first + lane;
        const double gq = 0.5 * w.q_bar[i * kBlock + lane];
        const double gv = w.v_bar[i * kBlock + lane] / w.h[lane];
        q_bar[k * n + i] += gq - gv;
        q_bar[(k + 1) * n + i] += gq + gv;
      }
  }
}

}  // namespace mechfit
