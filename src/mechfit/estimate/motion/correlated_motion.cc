#include "mechfit/estimate/motion/correlated_motion.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "mechfit/base/random.h"

namespace mechfit {
namespace {

// As MotionRun's.
constexpr int kTries = 10;
constexpr double kFirstDamping = 1e-3, kMore = 10, kLess = 0.1, kNegligible = 1e-6;
constexpr int kOrder = 2;  // errors before that one depends on

// w_k = weight (e_k - before e_{k-1} - earlier e_{k-2})
struct Whitening {
  double before, earlier, weight;
};

// The first two errors have the process's own variance s^2 and correlation 2 phi / (1 + phi^2).
Whitening whitening(const CorrelatedNoise& noise, int joint, int k, std::span<const double> h) {
  const double s = noise.s[joint], tau = noise.tau[joint];
  if (k == 0) return {0, 0, 1 / s};
  const double phi = std::exp(-h[k] / tau), rest = -std::expm1(-2 * h[k] / tau);  // 1 - phi^2
  if (k == 1) return {2 * phi / (1 + phi * phi), 0, (1 + phi * phi) / (s * rest)};
  return {2 * phi, -phi * std::exp(-h[k - 1] / tau),
          std::sqrt((1 + phi * phi) / (rest * rest * rest)) / s};
}

double whitened(const Whitening& x, const std::vector<double>& e, std::span<const double> size,
                int n, int k, int j) {
  return x.weight *
         (e[k * n + j] / size[k] - (k > 0 ? x.before * e[(k - 1) * n + j] / size[k - 1] : 0) -
          (k > 1 ? x.earlier * e[(k - 2) * n + j] / size[k - 2] : 0));
}

}  // namespace

CorrelatedMotion::CorrelatedMotion(const Model& model, const Trajectory& observed,
                                   std::span<const double> start)
    : run(model, observed, start), size(observed.t.size() - 2, 1.0), n_(model.joints()) {}

double CorrelatedMotion::value(std::span<const double> motion, const CorrelatedNoise& noise) const {
  double sum = 0;
  for (std::size_t k = 0; k < run.y.size(); ++k) {
    if (std::isnan(run.y[k])) continue;
    const double x = (run.y[k] - motion[k]) / noise.sigma[k % n_];
    sum += x * x;
  }
  for (int k = 0; k < run.samples() - 2; ++k)
    for (int j = 0; j < n_; ++j) {
      const double w = whitened(whitening(noise, j, k, run.h), run.error.e, size, n_, k, j);
      sum += w * w;
    }
  return 0.5 * sum;
}

bool CorrelatedMotion::linearise(const Model& model) {
  return del_run_error(model, run.view(run.q), RunDerivatives::configurations, run.error);
}

// Rows B dq + w and (dq - (y - q)) / sigma, in the order of their first configuration: an
// observation comes with the last error that reaches back to it.
bool CorrelatedMotion::factor(const CorrelatedNoise& noise, double damping) {
  const int n = n_, samples = run.samples(), errors = samples - 2;
  qr_.reset(samples * n, (3 + kOrder) * n);
  diagonal_.assign(static_cast<std::size_t>(samples) * n, 0.0);
  scratch_.resize(static_cast<std::size_t>(2 * n) * ((3 + kOrder) * n + 1));
  for (int k = 0; k < errors; ++k) {
    const int begin = std::max(k - kOrder, 0), columns = (k + 3 - begin) * n, stride = columns + 1;
    std::fill(scratch_.begin(), scratch_.end(), 0.0);
    for (int j = 0; j < n; ++j) {
      const Whitening x = whitening(noise, j, k, run.h);
      const double factors[] = {x.weight, -x.weight * x.before, -x.weight * x.earlier};
      double* row = &scratch_[j * stride];
      for (int back = 0; back <= k - begin; ++back)
        for (int b = 0; b < 3; ++b)
          for (int i = 0; i < n; ++i)
            row[(k - back - begin + b) * n + i] +=
                factors[back] / size[k - back] *
                run.error.jacobian[(((k - back) * 3 + b) * n + j) * n + i];
      row[columns] = whitened(x, run.error.e, size, n, k, j);
      for (int i = 0; i < columns; ++i) diagonal_[begin * n + i] += row[i] * row[i];
    }
    const int observed = k >= kOrder ? n : 0;
    for (int j = 0; j < observed; ++j)
      observation(noise, begin * n + j, damping, &scratch_[(n + j) * stride + j],
                  &scratch_[(n + j) * stride + columns]);
    qr_.add(begin * n, n + observed, columns, scratch_);
  }
  for (int k = std::max(errors - kOrder, 0) * n; k < samples * n; ++k) {
    const int columns = samples * n - k;
    std::fill(scratch_.begin(), scratch_.end(), 0.0);
    observation(noise, k, damping, &scratch_[0], &scratch_[columns]);
    qr_.add(k, 1, columns, scratch_);
  }
  return qr_.full_rank();
}

// The row of unknown k: slope times dq_k + value. Damping adds slope^2 and leaves slope times
// value.
void CorrelatedMotion::observation(const CorrelatedNoise& noise, int k, double damping,
                                   double* slope, double* value) const {
  const double weight = std::isnan(run.y[k]) ? 0 : 1 / noise.sigma[k % n_];
  *slope = std::sqrt(weight * weight + damping * (diagonal_[k] + weight * weight));
  if (weight > 0) *value = weight * weight * (run.q[k] - run.y[k]) / *slope;
}

MotionRun::Outcome CorrelatedMotion::solve(const Model& model, const CorrelatedNoise& noise,
                                           const MotionRun::Options& options) {
  MotionRun::Outcome outcome;
  outcome.objective = std::numeric_limits<double>::infinity();
  double damping = 0;
  for (; outcome.iterations < options.iterations; ++outcome.iterations) {
    if (!linearise(model)) return outcome;
    const double before = value(run.q, noise);
    outcome.objective = before;
    const std::vector<double> error = run.error.e;
    bool better = false;
    for (int attempt = 0; attempt < kTries && !better; ++attempt) {
      double promised = std::numeric_limits<double>::infinity();
      run.error.e = error;  // the last trial's are there
      if (factor(noise, damping)) {
        // R dq = -d
        step_.assign(qr_.d().begin(), qr_.d().end());
        promised = 0;
        for (double x : step_) promised += 0.5 * x * x;
        qr_.solve(step_);
        trial_ = run.q;
        for (std::size_t k = 0; k < trial_.size(); ++k) trial_[k] -= step_[k];
        double after = std::numeric_limits<double>::infinity();
        if (del_run_error(model, run.view(trial_), RunDerivatives::none, run.error))
          after = value(trial_, noise);
        better = after <= before;
        if (better) {
          run.q.swap(trial_);
          outcome.objective = after;
        }
      }
      if (damping == 0 && promised < options.tolerance) {
        outcome.converged = true;
        return outcome;
      }
      damping = better ? (damping * kLess < kNegligible ? 0 : damping * kLess)
                       : std::fmax(kFirstDamping, damping * kMore);
    }
    if (!better) return outcome;
  }
  return outcome;
}

double CorrelatedMotion::log_likelihood(const CorrelatedNoise& noise) {
  if (!factor(noise, 0)) return -std::numeric_limits<double>::infinity();
  double sum = -0.5 * qr_.residual2() - 0.5 * qr_.log_determinant();
  for (std::size_t k = 0; k < run.y.size(); ++k)
    if (!std::isnan(run.y[k])) sum -= std::log(noise.sigma[k % n_]);
  for (int k = 0; k < run.samples() - 2; ++k)
    for (int j = 0; j < n_; ++j) sum += std::log(whitening(noise, j, k, run.h).weight);
  return sum;
}

bool CorrelatedMotion::draw(const CorrelatedNoise& noise, int draws, std::uint64_t seed,
                            Draws& out) {
  const int n = n_;
  out.error2.assign(static_cast<std::size_t>(draws) * n, 0.0);
  out.acceleration2 = out.error2;
  out.mean2.assign(n, 0.0);
  out.last.assign(run.error.e.size(), 0.0);
  if (!factor(noise, 0)) return false;
  // R dq = z - d; draw -1 is the mean, z = 0
  Random random(seed);
  for (int d = -1; d < draws; ++d) {
    step_.assign(qr_.d().size(), 0.0);
    for (std::size_t k = 0; k < step_.size(); ++k)
      step_[k] = (d < 0 ? 0 : random.normal()) - qr_.d()[k];
    qr_.solve(step_);
    if (d < 0)
      add_squares(step_, out.mean2.data(), nullptr);
    else
      add_squares(step_, &out.error2[d * n], &out.acceleration2[d * n], out.last.data());
  }
  return true;
}

void CorrelatedMotion::add_squares(std::span<const double> dq, double* error2,
                                   double* acceleration2, double* errors) const {
  const int n = n_;
  for (int k = 0; k < run.samples() - 2; ++k)
    for (int j = 0; j < n; ++j) {
      double e = run.error.e[k * n + j];
      for (int b = 0; b < 3; ++b)
        for (int i = 0; i < n; ++i)
          e += run.error.jacobian[((k * 3 + b) * n + j) * n + i] * dq[(k + b) * n + i];
      error2[j] += e * e;
      if (errors) errors[k * n + j] = e;
      if (!acceleration2) continue;
      const double h1 = run.h[k], h2 = run.h[k + 1];
      const auto q = [&](int b) { return run.q[(k + b) * n + j] + dq[(k + b) * n + j]; };
      const double a = ((q(2) - q(1)) / h2 - (q(1) - q(0)) / h1) / (0.5 * (h1 + h2));
      acceleration2[j] += a * a;
    }
}

}  // namespace mechfit
