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
  misfit_.resize(size);
  observed_.assign(n, 0);
  misfit2_.assign(n, 0.0);
  error2_.assign(n, 0.0);
  for (std::size_t k = 0; k < size; ++k) {
    misfit_[k] = y[k] - q[k];
    if (std::isnan(y[k])) continue;
    ++observed_[k % n];
    misfit2_[k % n] += misfit_[k] * misfit_[k];
  }
  e_.assign(e.begin(), e.end());
  jacobian_.assign(jacobian.begin(), jacobian.end());
  for (std::size_t k = 0; k < e_.size(); ++k) error2_[k % n] += e_[k] * e_[k];
  prior_value_ = prior ? prior->value(q) : 0;
  prior_pull_.assign(prior ? size : 0, 0.0);
  if (prior) prior->add_gradient(q, prior_pull_);
}

double MotionQuadratic::value(const MotionNoise& noise) const {
  double sum = prior_value_;
  for (int j = 0; j < n_; ++j)
    sum += 0.5 * (misfit2_[j] / (noise.sigma[j] * noise.sigma[j]) +
                  error2_[j] / (noise.s[j] * noise.s[j]));
  return sum;
}

void MotionQuadratic::add_pulled_back(const MotionNoise& noise, std::span<const double> x,
                                      std::span<double> out) const {
  const std::size_t n = n_, errors = samples_ - 2;
  MECHFIT_CHECK(x.size() == errors * n && out.size() == misfit_.size());
  for (std::size_t t = 0; t < errors; ++t)
    for (std::size_t j = 0; j < n; ++j) {
      const double pull = x[t * n + j] / (noise.s[j] * noise.s[j]);
      for (std::size_t a = 0; a < 3; ++a) {
        const double* row = &jacobian_[((t * 3 + a) * n + j) * n];
        for (std::size_t i = 0; i < n; ++i) out[(t + a) * n + i] += pull * row[i];
      }
    }
}

bool MotionQuadratic::factor(const MotionNoise& noise, double damping) {
  const int size = samples_ * n_, width = 3 * n_;
  hessian_.reset(size, prior_ ? prior_->half() : width - 1);
  gradient_.assign(size, 0.0);
  add_pulled_back(noise, e_, gradient_);
  scratch_.resize(width);
  double* row = scratch_.data();  // of A / s, from unknown t n on
  for (int t = 0; t < samples_ - 2; ++t)
    for (int j = 0; j < n_; ++j) {
      const double weight = 1 / noise.s[j];
      for (int b = 0; b < 3; ++b) {
        const double* from = &jacobian_[((static_cast<std::size_t>(t) * 3 + b) * n_ + j) * n_];
        for (int i = 0; i < n_; ++i) row[b * n_ + i] = weight * from[i];
      }
      for (int a = 0; a < width; ++a) {
        double* out = &hessian_.at(t * n_ + a, t * n_);
        for (int b = 0; b <= a; ++b) out[b] += row[a] * row[b];
      }
    }
  if (prior_) {
    prior_->add(hessian_);
    for (int k = 0; k < size; ++k) gradient_[k] += prior_pull_[k];
  }
  for (int k = 0; k < size; ++k) {
    double weight = 0;
    if (!std::isnan(misfit_[k])) {
      weight = 1 / (noise.sigma[k % n_] * noise.sigma[k % n_]);
      gradient_[k] -= weight * misfit_[k];
    }
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
