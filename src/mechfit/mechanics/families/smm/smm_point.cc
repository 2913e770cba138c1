#include "mechfit/mechanics/families/smm/smm_point.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "mechfit/mechanics/families/smm/smm_lanes.h"

namespace mechfit {

using smm_lanes::entry;

namespace {

// f(n), with n known while compiling where it is small, so that loops over the joints unroll.
template <class Function>
void with_size(int n, const Function& f) {
  if (n == 1) return f(std::integral_constant<int, 1>());
  if (n == 2) return f(std::integral_constant<int, 2>());
  if (n == 3) return f(std::integral_constant<int, 3>());
  f(n);
}

}  // namespace

SmmPoint::SmmPoint(const Smm& model)
    : model_(model),
      mass_(model.mass_net_),
      potential_(model.potential_net_),
      force_(model.force_net_),
      minus_energy_(1, -model.config_.scales.energy),
      phi_(model.features_ + model.n_),
      slope_(model.features_),
      direction_(model.features_),
      x_reverse_(model.features_),
      potential_reverse_(model.features_),
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
  std::size_t at = 0;
  for (int i = 0; i < model.n_; ++i) {
    const bool plain = model.config_.joints[i] == JointType::plain;
    if (plain) slope_[at] = 1.0 / model.config_.scales.q[i];
    at += plain ? 1 : 2;
  }
  plan();
}

// Small networks take turns, layer by layer: while one waits for its results the other computes. Of
// large ones the reverse pass finds in the cache what the forward pass has just left there.
void SmmPoint::plan() {
  const bool in_turns = model_.merged_size() * sizeof(double) <= 32 << 10;
  const double *x = phi_.data(), *xdot = direction_.data();
  const int layers = mass_.layers();
  auto potential_layer = [&](int l) {
    before_.add(potential_.forward(l, x, nullptr, nullptr, nullptr));
  };
  auto reverse = [&](MlpPoint& net, const double* gy, double* x_reverse, PointPlan& to) {
    for (int l = layers - 1; l >= 0; --l) to.add(net.reverse(l, gy, x_reverse));
  };
  auto potential_reverse = [&] {
    reverse(potential_, minus_energy_.data(), potential_reverse_.data(), before_);
  };

  for (int l = 0; model_.config_.force_network && l < layers; ++l)
    before_.add(force_.forward(l, x, nullptr, force_out_.data(), nullptr));
  if (!in_turns) {
    for (int l = 0; l < layers - 1; ++l) potential_layer(l);
    potential_reverse();
  }
  for (int l = 0; l < layers; ++l) {
    before_.add(mass_.forward(l, x, xdot, l_.data(), lv_.data()));
    if (in_turns && l < layers - 1) potential_layer(l);
  }
  if (in_turns) potential_reverse();
  reverse(mass_, l_gradient_.data(), x_reverse_.data(), after_);
}

void SmmPoint::load_features(std::span<const double> q, std::span<const double> v) {
  const auto& scales = model_.config_.scales;
  std::size_t at = 0;
  for (std::size_t i = 0; i < q.size(); ++i) {
    if (model_.config_.joints[i] == JointType::plain) {
      phi_[at] = (q[i] - scales.q_offset[i]) / scales.q[i];
      direction_[at] = slope_[at] * v[i];
      ++at;
    } else {
      const double c = std::cos(q[i]), s = std::sin(q[i]);
      phi_[at] = c;
      phi_[at + 1] = s;
      slope_[at] = -s;
      slope_[at + 1] = c;
      direction_[at] = -s * v[i];
      direction_[at + 1] = c * v[i];
      at += 2;
    }
    v_[i] = v[i];
    w_[i] = model_.d_[i] * v[i];
    phi_[model_.features_ + i] = v[i] * model_.inverse_v_[i];
  }
}

void SmmPoint::forces(std::span<const double> q, std::span<const double> v,
                      std::span<const double> u, std::span<double> f, std::span<double> rate) {
  const int n = model_.n_;
  load_features(q, v);
  before_.run();
  with_size(n, [&](auto size) { kinetic(size, rate); });
  after_.run();
  std::size_t at = 0;
  for (int i = 0; i < n; ++i) {
    f[i] = 0.0;
    for (int k = model_.config_.joints[i] == JointType::periodic ? 2 : 1; k > 0; --k, ++at)
      f[i] += slope_[at] * (x_reverse_[at] + potential_reverse_[at]);
  }
  if (model_.config_.force_network)
    for (int i = 0; i < n; ++i) f[i] += model_.force_scale_[i] * force_out_[i];
  model_.joint_forces_.add(q, v_, u, f);
}

// w = D v, pi = L' w; the gradient of 1/2 v'Mv to L is w pi', and Mdot v = D (Lv pi + L Lv' w)
template <class Size>
void SmmPoint::kinetic(Size n, std::span<double> rate) {
  for (int i = 0; i < n; ++i) {
    l_[i] += 1.0;
    inverse_l_[i] = 1.0 / l_[i];
  }
  for (int j = 0; j < n; ++j) {
    double pi = 0.0, lv_w = 0.0;
    for (int i = j; i < n; ++i) {
      pi += l_[entry(n, i, j)] * w_[i];
      lv_w += lv_[entry(n, i, j)] * w_[i];
    }
    for (int i = j; i < n; ++i) l_gradient_[entry(n, i, j)] = w_[i] * pi;
    pi_[j] = pi;
    lv_w_[j] = lv_w;
  }
  for (int i = 0; i < n; ++i) {
    double sum = 0.0;
    for (int j = 0; j <= i; ++j)
      sum += lv_[entry(n, i, j)] * pi_[j] + l_[entry(n, i, j)] * lv_w_[j];
    rate[i] = model_.d_[i] * sum;
  }
}

// D L L' D x
void SmmPoint::mass_product(std::span<const double> x, std::span<double> y) const {
  const int n = model_.n_;
  std::fill(y.begin(), y.end(), 0.0);
  for (int j = 0; j < n; ++j) {
    double sum = 0.0;
    for (int i = j; i < n; ++i) sum += l_[entry(n, i, j)] * model_.d_[i] * x[i];
    for (int i = j; i < n; ++i) y[i] += model_.d_[i] * l_[entry(n, i, j)] * sum;
  }
}

bool SmmPoint::solve(std::span<const double> b, std::span<double> x) const {
  for (int i = 0; i < model_.n_; ++i)
    if (!(std::fabs(l_[i]) > 0)) return false;
  with_size(model_.n_, [&](auto n) {
    for (int i = 0; i < n; ++i) {  // L y = D^-1 b
      double sum = b[i] * inverse_d_[i];
      for (int j = 0; j < i; ++j) sum -= l_[entry(n, i, j)] * x[j];
      x[i] = sum * inverse_l_[i];
    }
    for (int i = n - 1; i >= 0; --i) {  // L' D x = y
      double sum = x[i];
      for (int j = i + 1; j < n; ++j) sum -= l_[entry(n, j, i)] * x[j];
      x[i] = sum * inverse_l_[i];
    }
    for (int i = 0; i < n; ++i) x[i] *= inverse_d_[i];
  });
  return true;
}

}  // namespace mechfit
