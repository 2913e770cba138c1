#include "mechfit/estimate/motion/jerk_prior.h"

#include <cmath>

#include "mechfit/base/error.h"

namespace mechfit {

JerkPrior::JerkPrior(std::span<const double> h, std::span<const double> intensity)
    : n_(static_cast<int>(intensity.size())) {
  for (const double S : intensity) precision_.push_back(S > 0 ? 1 / S : 0);
  for (std::size_t k = 0; k + 2 < h.size(); ++k) {
    const double t[4] = {0, h[k], h[k] + h[k + 1], h[k] + h[k + 1] + h[k + 2]};
    for (int i = 0; i < 4; ++i) {
      double c = 6;  // the third derivative of the cubic through four nodes
      for (int j = 0; j < 4; ++j)
        if (j != i) c /= t[i] - t[j];
      coefficients_.push_back(c);
    }
    step_.push_back(t[3] / 3);
    for (const double p : precision_) {
      if (!(p > 0)) continue;
      ++rank_;
      log_weight_ += 0.5 * std::log(step_.back() * p);
    }
  }
}

double JerkPrior::difference(std::span<const double> q, int k, int joint) const {
  double sum = 0;
  for (int i = 0; i < 4; ++i) sum += coefficients_[4 * k + i] * q[(k + i) * n_ + joint];
  return sum;
}

double JerkPrior::value(std::span<const double> q) const {
  double sum = 0;
  for (int k = 0; k < static_cast<int>(step_.size()); ++k)
    for (int j = 0; j < n_; ++j) {
      const double d = difference(q, k, j);
      sum += 0.5 * step_[k] * precision_[j] * d * d;
    }
  return sum;
}

void JerkPrior::add_gradient(std::span<const double> q, std::span<double> g) const {
  for (int k = 0; k < static_cast<int>(step_.size()); ++k)
    for (int j = 0; j < n_; ++j) {
      const double pull = step_[k] * precision_[j] * difference(q, k, j);
      for (int i = 0; i < 4; ++i) g[(k + i) * n_ + j] += coefficients_[4 * k + i] * pull;
    }
}

void JerkPrior::add(Banded& H) const {
  MECHFIT_CHECK(H.half() >= half());
  for (int k = 0; k < static_cast<int>(step_.size()); ++k)
    for (int j = 0; j < n_; ++j) {
      const double weight = step_[k] * precision_[j];
      for (int a = 0; a < 4; ++a)
        for (int b = 0; b <= a; ++b)
          H.at((k + a) * n_ + j, (k + b) * n_ + j) +=
              weight * coefficients_[4 * k + a] * coefficients_[4 * k + b];
    }
}

}  // namespace mechfit
