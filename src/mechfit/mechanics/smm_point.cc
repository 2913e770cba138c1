#include "mechfit/mechanics/smm_point.h"

#include <algorithm>
#include <cmath>

#include "mechfit/mechanics/smm_lanes.h"

namespace mechfit {

using smm_lanes::entry;

SmmPoint::SmmPoint(const Smm& model)
    : model_(model),
      mass_(model.mass_net_),
      potential_(model.potential_net_),
      force_(model.force_net_),
      together_(model.merged_size() * sizeof(double) <= 32 << 10),
      phi_(model.features_ + model.n_),
      slope_(model.features_),
      direction_(model.features_),
      x_reverse_(model.features_),
      l_(smm_lanes::entries(model.n_)),
      lv_(l_.size()),
      l_gradient_(l_.size()),
      v_(model.n_),
      w_(model.n_),
      pi_(model.n_),
      lv_w_(model.n_),
      force_out_(model.n_),
      inverse_l_(model.n_) {
  for (double d : model.d_) inverse_d_.push_back(1.0 / d);
}

double SmmPoint::l(int i, int j) const { return l_[entry(model_.n_, i, j)]; }

void SmmPoint::load_features(std::span<const double> q) {
  const auto& config = model_.config_;
  std::size_t at = 0;
  for (int i = 0; i < model_.n_; ++i) {
    if (config.joints[i] == JointType::plain) {
      phi_[at] = (q[i] - config.scales.q_offset[i]) / config.scales.q[i];
      slope_[at++] = 1.0 / config.scales.q[i];
    } else {
      phi_[at] = std::cos(q[i]);
      phi_[at + 1] = std::sin(q[i]);
      slope_[at] = -phi_[at + 1];
      slope_[at + 1] = phi_[at];
      at += 2;
    }
  }
}

// out_i += sum over the features of joint i of slope x_bar
void SmmPoint::to_joints(const std::vector<double>& x_bar, std::span<double> out) const {
  std::size_t at = 0;
  for (int i = 0; i < model_.n_; ++i)
    for (int k = model_.config_.joints[i] == JointType::periodic ? 2 : 1; k > 0; --k, ++at)
      out[i] += slope_[at] * x_bar[at];
}

void SmmPoint::forces(std::span<const double> q, std::span<const double> v,
                      std::span<const double> u, std::span<double> f, std::span<double> rate) {
  const int n = model_.n_;
  load_features(q);
  std::size_t at = 0;
  for (int i = 0; i < n; ++i) {
    v_[i] = v[i];
    w_[i] = model_.d_[i] * v[i];
    phi_[model_.features_ + i] = v[i] * model_.inverse_v_[i];
    for (int k = model_.config_.joints[i] == JointType::periodic ? 2 : 1; k > 0; --k, ++at)
      direction_[at] = slope_[at] * v[i];
  }
  const double* x = phi_.data();
  const PointPass nets[] = {{mass_.layers(), x, rate.empty() ? nullptr : direction_.data()},
                            {potential_.layers(), x, nullptr},
                            {force_.layers(), x, nullptr}};
  const std::span<const PointPass> used(nets, model_.config_.force_network ? 3 : 2);
  std::fill(f.begin(), f.end(), 0.0);
  if (together_) {
    point_forward(used);
  } else {  // the reverse pass of a network finds in the cache what its forward pass has left
    point_forward(used.subspan(1));
    potential_force(f);
    point_forward(used.first(1));
  }
  point_output(nets[0], l_.data(), lv_.data());
  if (together_) potential_force(f);  // does not wait for L
  for (int i = 0; i < n; ++i) {
    l_[i] += 1.0;
    inverse_l_[i] = 1.0 / l_[i];
  }
  // w = D v, pi = L' w; the gradient of 1/2 v'Mv to L is w pi'
  for (int j = 0; j < n; ++j) {
    pi_[j] = 0.0;
    for (int i = j; i < n; ++i) pi_[j] += l(i, j) * w_[i];
    for (int i = j; i < n; ++i) l_gradient_[entry(n, i, j)] = w_[i] * pi_[j];
  }
  point_reverse(mass_.layers(), l_gradient_.data(), x_reverse_.data());
  to_joints(x_reverse_, f);
  if (!rate.empty()) mass_rate(rate);
  add_other_forces(u, f);
}

// f += -dV/dq
void SmmPoint::potential_force(std::span<double> f) {
  const double minus_energy = -model_.config_.scales.energy;
  point_reverse(potential_.layers(), &minus_energy, x_reverse_.data());
  to_joints(x_reverse_, f);
}

void SmmPoint::add_other_forces(std::span<const double> u, std::span<double> f) {
  const int n = model_.n_, m = model_.m_;
  if (model_.config_.force_network) {
    point_output({force_.layers(), phi_.data(), nullptr}, force_out_.data(), nullptr);
    for (int i = 0; i < n; ++i) f[i] += model_.force_scale_[i] * force_out_[i];
  }
  if (model_.config_.friction)
    for (int i = 0; i < n; ++i)
      f[i] -= model_.viscous(i) * v_[i] +
              model_.coulomb(i) * std::tanh(v_[i] * model_.inverse_v_[i] / Smm::kCoulombWidth);
  if (u.empty()) return;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) f[i] += model_.b_[i * m + j] * u[j];
}

// D (Lv pi + L Lv' w)
void SmmPoint::mass_rate(std::span<double> rate) {
  const int n = model_.n_;
  for (int j = 0; j < n; ++j) {
    lv_w_[j] = 0.0;
    for (int i = j; i < n; ++i) lv_w_[j] += lv_[entry(n, i, j)] * w_[i];
  }
  for (int i = 0; i < n; ++i) {
    double sum = 0.0;
    for (int j = 0; j <= i; ++j) sum += lv_[entry(n, i, j)] * pi_[j] + l(i, j) * lv_w_[j];
    rate[i] = model_.d_[i] * sum;
  }
}

// D L L' D x
void SmmPoint::mass_product(std::span<const double> x, std::span<double> y) const {
  const int n = model_.n_;
  std::fill(y.begin(), y.end(), 0.0);
  for (int j = 0; j < n; ++j) {
    double sum = 0.0;
    for (int i = j; i < n; ++i) sum += l(i, j) * model_.d_[i] * x[i];
    for (int i = j; i < n; ++i) y[i] += model_.d_[i] * l(i, j) * sum;
  }
}

bool SmmPoint::solve(std::span<const double> b, std::span<double> x) const {
  const int n = model_.n_;
  for (int i = 0; i < n; ++i)
    if (!(std::fabs(l(i, i)) > 0)) return false;
  for (int i = 0; i < n; ++i) {  // L y = D^-1 b
    double sum = b[i] * inverse_d_[i];
    for (int j = 0; j < i; ++j) sum -= l(i, j) * x[j];
    x[i] = sum * inverse_l_[i];
  }
  for (int i = n - 1; i >= 0; --i) {  // L' D x = y
    double sum = x[i];
    for (int j = i + 1; j < n; ++j) sum -= l(j, i) * x[j];
    x[i] = sum * inverse_l_[i];
  }
  for (int i = 0; i < n; ++i) x[i] *= inverse_d_[i];
  return true;
}

}  // namespace mechfit
