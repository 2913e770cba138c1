#include "mechfit/mechanics/families/trig/trig.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/lanes.h"

namespace mechfit {
namespace {

TrigConfig checked(TrigConfig config) {
  const int n = static_cast<int>(config.joints.size());
  MECHFIT_CHECK(n > 0, "a model needs at least one joint");
  MECHFIT_CHECK(static_cast<int>(config.input_matrix.size()) == n * config.inputs,
                "input matrix of " + std::to_string(config.input_matrix.size()) + " entries for " +
                    std::to_string(n) + " joints and " + std::to_string(config.inputs) + " inputs");
  if (config.scales.q.empty()) config.scales = Scales::unit(n, config.inputs);
  const Scales& s = config.scales;
  MECHFIT_CHECK(static_cast<int>(s.q.size()) == n && static_cast<int>(s.v.size()) == n &&
                static_cast<int>(s.q_offset.size()) == n &&
                static_cast<int>(s.u.size()) == config.inputs);
  MECHFIT_CHECK(s.energy > 0 && s.time > 0);
  config = with_default_terms(std::move(config));
  MECHFIT_CHECK(config.mass_joints <= config.potential_joints);
  return config;
}

JointForces joint_forces(const TrigConfig& config) {
  const std::vector<double>& v = config.scales.v;
  std::vector<Slip> slips;
  for (int i = 0; config.friction && i < static_cast<int>(config.joints.size()); ++i) {
    slips.push_back(own_slip(i, config.friction, config.joints[i], config.scales));
    for (int j = 0; j < i; ++j)
      if (config.joints[i] == config.joints[j])
        slips.push_back({i, j, std::max(v[i], v[j]), config.friction});
  }
  return JointForces(
      {ForceParameters::linear, std::move(slips), config.input_map, config.input_matrix},
      config.scales);
}

}  // namespace

TrigConfig with_default_terms(TrigConfig config) {
  const int n = static_cast<int>(config.joints.size());
  if (config.mass_joints == 0) config.mass_joints = n <= 3 ? n : 2;
  if (config.potential_joints == 0)
    config.potential_joints = std::max(config.mass_joints, std::min(n, 4));
  return config;
}

double trig_coefficients(const TrigConfig& config) {
  const double n = static_cast<double>(config.joints.size());
  const auto functions = [&](int joints) {
    return TrigBasis::count(config.joints, {config.degree, joints});
  };
  return n * (n + 1) / 2 * functions(config.mass_joints) + functions(config.potential_joints) - 1;
}

Trig::Trig(TrigConfig config)
    : config_(checked(std::move(config))),
      n_(static_cast<int>(config_.joints.size())),
      m_(config_.inputs),
      basis_(config_.joints, config_.scales.q_offset, config_.scales.q,
             {config_.degree, config_.potential_joints}),
      joint_forces_(mechfit::joint_forces(config_)) {
  mass_functions_ = basis_.size(config_.mass_joints);
  for (double v : config_.scales.v) d_.push_back(std::sqrt(config_.scales.energy) / v);
  theta_.assign(friction_offset() + joint_forces_.parameter_count(), 0.0);
  for (int i = 0; i < n_; ++i) theta_[entry(i, i) * mass_functions_] = 1;
  joint_forces_.initialise(std::span(theta_).subspan(friction_offset()));
}

std::vector<double> Trig::parameters_of(const Trig& poorer) const {
  MECHFIT_CHECK(poorer.n_ == n_ && poorer.slips().size() == slips().size() &&
                poorer.config_.scales == config_.scales &&
                poorer.config_.input_map == config_.input_map);
  std::vector<double> theta(theta_.size(), 0.0);
  for (int f = 0; f < poorer.basis_.size(); ++f) {
    const int own = basis_.find(poorer.basis_, f);
    MECHFIT_CHECK(own >= 0, "the other model has functions that this one has not");
    if (f > 0)
      theta[potential_offset() + own - 1] = poorer.theta_[poorer.potential_offset() + f - 1];
    if (f >= poorer.mass_functions_) continue;
    MECHFIT_CHECK(own < mass_functions_);
    for (int entry = 0; entry < entries(); ++entry)
      theta[entry * mass_functions_ + own] = poorer.theta_[entry * poorer.mass_functions_ + f];
  }
  std::copy(poorer.theta_.begin() + poorer.friction_offset(), poorer.theta_.end(),
            theta.begin() + friction_offset());
  return theta;
}

void Trig::set_parameters(std::span<const double> theta) {
  MECHFIT_CHECK(theta.size() == theta_.size(), std::to_string(theta.size()) +
                                                   " parameters given, the model has " +
                                                   std::to_string(theta_.size()));
  std::copy(theta.begin(), theta.end(), theta_.begin());
  joint_forces_.set_parameters(theta.subspan(friction_offset()));
}

Trig::Workspace Trig::make_workspace() const {
  Workspace w;
  w.basis = basis_.make_workspace();
  w.q = w.v = w.w = w.slope = w.scratch = make_panel(n_);
  w.mass = w.a_terms = w.c_terms = make_panel(entries());
  w.mass_slope = make_panel(entries() * n_);
  w.hessian = w.curvature = make_panel(n_ * n_);
  w.weights = make_panel(basis_.size());
  w.lanes = w.sums = make_panel(friction_offset());
  w.joint_forces = joint_forces_.make_workspace();
  return w;
}

// y = D S D x for a symmetric S [entries][kBlock]
void Trig::multiply(const double* matrix, const double* x, double* y) const {
  for (int i = 0; i < n_; ++i) {
    double sum[kBlock] = {};
    for (int j = 0; j < n_; ++j) {
      const double *s = matrix + entry(i, j) * kBlock, *xj = x + j * kBlock, d = d_[i] * d_[j];
      for_lanes([&](int l) { sum[l] += d * s[l] * xj[l]; });
    }
    for_lanes([&](int l) { y[i * kBlock + l] = sum[l]; });
  }
}

// terms_e += the derivative of left' D M D right to entry e
void Trig::add_pairs(const double* left, const double* right, double* terms) const {
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j <= i; ++j) {
      const double *li = left + i * kBlock, *lj = left + j * kBlock;
      const double *ri = right + i * kBlock, *rj = right + j * kBlock;
      double* t = terms + entry(i, j) * kBlock;
      const double d = d_[i] * d_[j];
      if (i == j)
        for_lanes([=](int l) { t[l] += d * li[l] * ri[l]; });
      else
        for_lanes([=](int l) { t[l] += d * (li[l] * rj[l] + lj[l] * ri[l]); });
    }
}

void Trig::load_mass(const double* q, Workspace& w) const {
  std::copy_n(q, n_ * kBlock, w.q.begin());
  basis_.evaluate(q, w.basis);
  w.has_hessian = false;
  std::fill(w.mass.begin(), w.mass.end(), 0.0);
  std::fill(w.mass_slope.begin(), w.mass_slope.end(), 0.0);
  for (int e = 0; e < entries(); ++e)
    for (int f = 0; f < mass_functions_; ++f) {
      const double t = theta_[e * mass_functions_ + f];
      const double* value = w.basis.value.data() + f * kBlock;
      double* mass = w.mass.data() + e * kBlock;
      for_lanes([=](int l) { mass[l] += t * value[l]; });
      const double* slope = w.basis.slope.data() + f * n_ * kBlock;
      double* mass_slope = w.mass_slope.data() + e * n_ * kBlock;
      for (int k = 0; k < n_ * kBlock; ++k) mass_slope[k] += t * slope[k];
    }
}

// p = D M D v,  f = 1/2 w' dM/dq w - E dV/dq + F  with w = D v
void Trig::forces(const Points& x, double* p, double* f, Workspace& w) const {
  load_mass(x.q, w);
  std::copy_n(x.v, n_ * kBlock, w.v.begin());
  multiply(w.mass.data(), x.v, p);
  std::fill(w.slope.begin(), w.slope.end(), 0.0);
  for (int k = 1; k < basis_.size(); ++k) {
    const double t = config_.scales.energy * theta_[potential_offset() + k - 1];
    const double* slope = w.basis.slope.data() + k * n_ * kBlock;
    for (int l = 0; l < n_ * kBlock; ++l) w.slope[l] += t * slope[l];
  }
  // c_terms: kinetic energy's derivative to the entries of M
  std::fill(w.c_terms.begin(), w.c_terms.end(), 0.0);
  add_pairs(x.v, x.v, w.c_terms.data());
  for (int i = 0; i < n_; ++i) {
    double* fi = f + i * kBlock;
    for_lanes([&](int l) { fi[l] = -w.slope[i * kBlock + l]; });
    for (int e = 0; e < entries(); ++e) {
      const double* t = w.c_terms.data() + e * kBlock;
      const double* slope = w.mass_slope.data() + (e * n_ + i) * kBlock;
      for_lanes([=](int l) { fi[l] += 0.5 * t[l] * slope[l]; });
    }
  }
  joint_forces_.add(x.q, x.v, x.u, f, w.joint_forces);
}

void Trig::mass_rate(double* rate, Workspace& w) const {
  // a_terms is free here: Mdot = dM/dq along v
  std::fill(w.a_terms.begin(), w.a_terms.end(), 0.0);
  for (int e = 0; e < entries(); ++e)
    for (int i = 0; i < n_; ++i)
      for_lanes([&](int l) {
        w.a_terms[e * kBlock + l] += w.mass_slope[(e * n_ + i) * kBlock + l] * w.v[i * kBlock + l];
      });
  multiply(w.a_terms.data(), w.v.data(), rate);
}

// d2L/dq2 with L = 1/2 w'Mw - E V
void Trig::load_hessian(Workspace& w) const {
  if (w.has_hessian) return;
  w.has_hessian = true;
  std::fill(w.a_terms.begin(), w.a_terms.end(), 0.0);
  add_pairs(w.v.data(), w.v.data(), w.a_terms.data());
  std::fill(w.weights.begin(), w.weights.end(), 0.0);
  for (int f = 0; f < basis_.size(); ++f) {
    double* weight = w.weights.data() + f * kBlock;
    if (f < mass_functions_)
      for (int e = 0; e < entries(); ++e) {
        const double* t = w.a_terms.data() + e * kBlock;
        const double half = 0.5 * theta_[e * mass_functions_ + f];
        for_lanes([=](int l) { weight[l] += half * t[l]; });
      }
    if (f == 0) continue;
    const double energy = config_.scales.energy * theta_[potential_offset() + f - 1];
    for_lanes([=](int l) { weight[l] -= energy; });
  }
  basis_.hessian(basis_.size(), w.weights.data(), w.basis, w.hessian.data());
}

void Trig::mass(const double* q, double* m, Workspace& w) const {
  load_mass(q, w);
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j <= i; ++j) {
      const double d = d_[i] * d_[j];
      const double* mass = w.mass.data() + entry(i, j) * kBlock;
      for_lanes([&](int l) { m[(i * n_ + j) * kBlock + l] = d * mass[l]; });
    }
}

void Trig::factor(double* g, Workspace& w) const {
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j <= i; ++j) {
      const double d = d_[i] * d_[j];
      const double* mass = w.mass.data() + entry(i, j) * kBlock;
      for_lanes([&](int l) { g[(i * n_ + j) * kBlock + l] = d * mass[l]; });
    }
  cholesky(n_, g, g);
}

void Trig::potential(double* v, Workspace& w) const {
  for_lanes([=](int l) { v[l] = 0; });
  for (int f = 1; f < basis_.size(); ++f) {
    const double t = config_.scales.energy * theta_[potential_offset() + f - 1];
    const double* value = w.basis.value.data() + f * kBlock;
    for_lanes([=](int l) { v[l] += t * value[l]; });
  }
}

void Trig::clear_gradient(Workspace& w) const {
  std::fill(w.sums.begin(), w.sums.end(), 0.0);
  joint_forces_.clear_gradient(w.joint_forces);
}

void Trig::add_gradient(Workspace& w, std::span<double> merged, bool add) const {
  MECHFIT_CHECK(merged.size() == theta_.size());
  for (int k = 0; k < friction_offset(); ++k) {
    double sum = 0.0;
    for (int l = 0; l < kBlock; ++l) sum += w.sums[k * kBlock + l];
    merged[k] = add ? merged[k] + sum : sum;
  }
  joint_forces_.add_gradient(w.joint_forces, merged.subspan(friction_offset()), add);
}

void Trig::expand_gradient(std::span<const double> merged, std::span<double> theta) const {
  MECHFIT_CHECK(merged.size() == theta_.size() && theta.size() == theta_.size());
  std::copy(merged.begin(), merged.end(), theta.begin());
}

}  // namespace mechfit
