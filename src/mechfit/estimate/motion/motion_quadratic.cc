#include "mechfit/estimate/motion/motion_quadratic.h"

#include <cmath>
#include <numbers>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"

namespace mechfit {

void MotionQuadratic::set(int n, std::span<const double> y, std::span<const double> q,
                          std::span<const double> e, std::span<const double> jacobian,
                          const JerkPrior* prior) {
  n_ = n;
  prior_ = prior;
  samples_ = static_cast<int>(q.size()) / n;
  const std::size_t size = q.size();
  MECHFIT_CHECK(y.size() == size && e.size() == size - 2 * n &&
                jacobian.size() == e.size() * 3 * n);
  misfit_.assign(size, 0.0);
  weight_.assign(size, 0.0);
  observed_.assign(n, 0);
  misfit2_.assign(n, 0.0);
  error2_.assign(n, 0.0);
  for (std::size_t k = 0; k < size; ++k) {
    if (std::isnan(y[k])) continue;
    misfit_[k] = y[k] - q[k];
    weight_[k] = 1;
    ++observed_[k % n];
    misfit2_[k % n] += misfit_[k] * misfit_[k];
  }
  normal_.resize(n);
  pull_.resize(n);
  const int width = 3 * n;
  for (int j = 0; j < n; ++j) {
    normal_[j].reset(static_cast<int>(size), prior ? prior->half() : width - 1);
    pull_[j].assign(size, 0.0);
  }
  prior_value_ = prior ? prior->value(q) : 0;
  prior_pull_.assign(prior ? size : 0, 0.0);
  if (prior) prior->add_gradient(q, prior_pull_);
  scratch_.resize(width);
  for (int t = 0; t < samples_ - 2; ++t)
    for (int j = 0; j < n; ++j) {
      double* row = scratch_.data();  // of A, from unknown t n on
      for (int b = 0; b < 3; ++b)
        for (int i = 0; i < n; ++i) row[b * n + i] = jacobian[((t * 3 + b) * n + j) * n + i];
      const double error = e[t * n + j];
      error2_[j] += error * error;
      for (int a = 0; a < width; ++a) {
        pull_[j][t * n + a] += row[a] * error;
        double* out = &normal_[j].at(t * n + a, t * n);
        for (int b = 0; b <= a; ++b) out[b] += row[a] * row[b];
      }
    }
}

double MotionQuadratic::value(const MotionNoise& noise) const {
  double sum = prior_value_;
  for (int j = 0; j < n_; ++j)
    sum += 0.5 * (misfit2_[j] / (noise.sigma[j] * noise.sigma[j]) +
                  error2_[j] / (noise.s[j] * noise.s[j]));
  return sum;
}

bool MotionQuadratic::factor(const MotionNoise& noise, double damping) {
  const int size = samples_ * n_, half = prior_ ? prior_->half() : 3 * n_ - 1;
  hessian_.reset(size, half);
  gradient_.assign(size, 0.0);
  std::span<double> H = hessian_.data();
  for (int j = 0; j < n_; ++j) {
    const double weight = 1 / (noise.s[j] * noise.s[j]);
    std::span<const double> normal = normal_[j].data();
    for (std::size_t k = 0; k < H.size(); ++k) H[k] += weight * normal[k];
    for (int k = 0; k < size; ++k) gradient_[k] += weight * pull_[j][k];
  }
  if (prior_) {
    prior_->add(hessian_);
    for (int k = 0; k < size; ++k) gradient_[k] += prior_pull_[k];
  }
  for (int k = 0; k < size; ++k) {
    const double weight = weight_[k] / (noise.sigma[k % n_] * noise.sigma[k % n_]);
    gradient_[k] -= weight * misfit_[k];
    hessian_.at(k, k) = (hessian_.at(k, k) + weight) * (1 + damping);
  }
  return hessian_.factor();
}

double MotionQuadratic::log_likelihood(const MotionNoise& noise) {
  if (!factor(noise, 0)) return -kInfinity;
  // J at its minimum is J - |L^-1 g|^2 / 2
  scratch_.assign(gradient_.begin(), gradient_.end());
  hessian_.solve_lower(scratch_);
  double sum = -value(noise) - 0.5 * hessian_.log_determinant();
  for (double x : scratch_) sum += 0.5 * x * x;
  // Observations and errors less unknowns
  int dimension = -samples_ * n_ + (prior_ ? prior_->rank() : 0);
  if (prior_) sum += prior_->log_weight();
  for (int j = 0; j < n_; ++j) {
    sum -= observed_[j] * std::log(noise.sigma[j]) + errors() * std::log(noise.s[j]);
    dimension += observed_[j] + errors();
  }
  return sum - 0.5 * dimension * std::log(2 * std::numbers::pi);
}

}  // namespace mechfit
