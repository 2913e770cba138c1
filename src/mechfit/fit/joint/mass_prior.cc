#include "mechfit/fit/joint/mass_prior.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "mechfit/base/error.h"
#include "mechfit/base/gram.h"
#include "mechfit/mechanics/lanes.h"

namespace mechfit {

MassPrior::MassPrior(const Model& model, std::span<const double> points, std::vector<double> v,
                     bool free_scale, double beta)
    : n_(model.joints()),
      count_(static_cast<int>(points.size()) / n_),
      points_(points.begin(), points.end()),
      v_(std::move(v)),
      free_scale_(free_scale),
      beta_(beta),
      w_(model.make_workspace()),
      q_(make_panel(n_)),
      mass_(make_panel(n_ * n_)),
      factor_(mass_),
      weights_(mass_),
      column_(make_panel(n_)) {
  MECHFIT_CHECK(count_ > 0 && static_cast<int>(v_.size()) == n_);
}

bool MassPrior::block(const Model& model, int first) {
  for (int lane = 0; lane < kBlock; ++lane)
    for (int i = 0; i < n_; ++i)
      q_[i * kBlock + lane] = points_[std::min(first + lane, count_ - 1) * n_ + i];
  model.mass(q_.data(), mass_.data(), w_);
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j <= i; ++j)
      for (int lane = 0; lane < kBlock; ++lane)
        mass_[(i * n_ + j) * kBlock + lane] *= v_[i] * v_[j];
  cholesky(n_, mass_.data(), factor_.data());
  for (int lane = 0; lane < kBlock; ++lane)
    if (!std::isfinite(factor_[(n_ * n_ - 1) * kBlock + lane])) return false;
  return true;
}

double MassPrior::value(const Model& model) {
  double sum = 0;
  for (int first = 0; first < count_; first += kBlock) {
    if (!block(model, first)) return std::numeric_limits<double>::infinity();
    for (int lane = 0; lane < std::min(kBlock, count_ - first); ++lane)
      for (int i = 0; i < n_; ++i) {
        const int at = (i * n_ + i) * kBlock + lane;
        sum += c_ * mass_[at] - std::log(c_) - 2 * std::log(factor_[at]);
      }
  }
  return beta_ * sum / count_;
}

void MassPrior::settle(const Model& model) {
  if (free_scale_) return;
  double trace = 0;
  for (int first = 0; first < count_; first += kBlock) {
    if (!block(model, first)) return;
    for (int lane = 0; lane < std::min(kBlock, count_ - first); ++lane)
      for (int i = 0; i < n_; ++i) trace += mass_[(i * n_ + i) * kBlock + lane];
  }
  c_ = n_ * count_ / trace;
}

// d/dM of tr(c M) - log det M is c - M^-1; the second derivative of -log det along dM_k, dM_l is
// <G^-1 dM_k G^-T, G^-1 dM_l G^-T>.
bool MassPrior::add_derivatives(const Model& model, Eigen::Ref<Eigen::VectorXd> gradient,
                                Eigen::MatrixXd* hessian) {
  const int p = model.parameter_count();
  const double weight = beta_ / count_;
  std::vector<double> merged(model.merged_size());
  model.clear_gradient(w_);
  // G^-1 dM^/dtheta G^-T of all points
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> slopes;
  if (hessian) slopes.resize(count_ * n_ * n_, p);
  std::vector<double> dM(n_ * n_);
  if (hessian) lanes_.resize(static_cast<std::size_t>(n_ * n_) * p * kBlock);
  for (int first = 0; first < count_; first += kBlock) {
    const int lanes = std::min(kBlock, count_ - first);
    if (!block(model, first)) return false;
    std::fill(weights_.begin(), weights_.end(), 0.0);
    for (int j = 0; j < n_; ++j) {  // column j of M^^-1
      std::fill(column_.begin(), column_.end(), 0.0);
      for_lanes([&](int l) { column_[j * kBlock + l] = 1; });
      solve(n_, factor_.data(), column_.data(), column_.data());
      for (int i = j; i < n_; ++i)
        for (int l = 0; l < lanes; ++l)
          weights_[(i * n_ + j) * kBlock + l] =
              weight * v_[i] * v_[j] * ((i == j ? c_ : 0) - column_[i * kBlock + l]);
    }
    model.mass_pullback(weights_.data(), {.theta = true}, w_);
    if (!hessian) continue;
    // The accumulator may be used up by gradients per lane, so it is emptied first.
    model.add_gradient(w_, merged);
    model.clear_gradient(w_);
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j <= i; ++j) {
        std::fill(weights_.begin(), weights_.end(), 0.0);
        for_lanes([&](int l) {
          weights_[(i * n_ + j) * kBlock + l] = (i == j ? 1.0 : 0.5) * v_[i] * v_[j];
        });
        model.mass_pullback(
            weights_.data(),
            {.theta_lanes = &lanes_[static_cast<std::size_t>(i * n_ + j) * p * kBlock]}, w_);
      }
    model.clear_gradient(w_);
    // G^-1 dM G^-T, forward substitution on the columns of dM and then on its rows
    const auto substitute = [&](int l, double* x, int stride) {
      for (int i = 0; i < n_; ++i) {
        double sum = x[i * stride];
        for (int k = 0; k < i; ++k) sum -= factor_[(i * n_ + k) * kBlock + l] * x[k * stride];
        x[i * stride] = sum / factor_[(i * n_ + i) * kBlock + l];
      }
    };
    for (int k = 0; k < p; ++k)
      for (int l = 0; l < lanes; ++l) {
        for (int i = 0; i < n_; ++i)
          for (int j = 0; j <= i; ++j)
            dM[i * n_ + j] = dM[j * n_ + i] =
                lanes_[(static_cast<std::size_t>(i * n_ + j) * p + k) * kBlock + l];
        for (int j = 0; j < n_; ++j) substitute(l, &dM[j], n_);
        for (int i = 0; i < n_; ++i) substitute(l, &dM[i * n_], 1);
        for (int i = 0; i < n_ * n_; ++i) slopes((first + l) * n_ * n_ + i, k) = dM[i];
      }
  }
  model.add_gradient(w_, merged);
  std::vector<double> theta(p);
  model.expand_gradient(merged, theta);
  for (int k = 0; k < p; ++k) gradient[k] += theta[k];
  if (hessian) {  // by rows its lower triangle is Eigen's upper one
    Eigen::MatrixXd upper = Eigen::MatrixXd::Zero(p, p);
    add_gram(static_cast<int>(slopes.rows()), p, slopes.data(), weight, upper.data());
    *hessian += Eigen::MatrixXd(upper.selfadjointView<Eigen::Upper>());
  }
  return true;
}

// A Kronecker sequence, whose points are spread evenly in any number of dimensions: multiples of
// the powers of 1/g, g the root of g^(n+1) = g + 1.
std::vector<double> spread_points(const std::vector<JointType>& joints, std::span<const double> q,
                                  int count) {
  const int n = static_cast<int>(joints.size());
  double g = 2;
  for (int round = 0; round < 60; ++round) g = std::pow(1 + g, 1.0 / (n + 1));
  std::vector<double> points;
  for (int k = 0; k < count; ++k)
    for (int i = 0; i < n; ++i) {
      const double whole = 0.5 + (k + 1) * std::pow(g, -(i + 1));
      const double x = whole - std::floor(whole);
      double least = -std::numbers::pi, most = std::numbers::pi;
      if (joints[i] == JointType::plain) {
        least = most = q[i];
        for (std::size_t l = i; l < q.size(); l += n) {
          least = std::min(least, q[l]);
          most = std::max(most, q[l]);
        }
      }
      points.push_back(least + (most - least) * x);
    }
  return points;
}

}  // namespace mechfit
