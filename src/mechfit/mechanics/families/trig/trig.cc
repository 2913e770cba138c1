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

}  // namespace

TrigConfig with_default_terms(TrigConfig config) {
  const int n = static_cast<int>(config.joints.size());
  if (config.mass_joints == 0) config.mass_joints = n <= 3 ? n : 2;
  if (config.potential_joints == 0)
    config.potential_joints = std::max(config.mass_joints, std::min(n, 4));
  return config;
}

Trig::Trig(TrigConfig config)
    : config_(checked(std::move(config))),
      n_(static_cast<int>(config_.joints.size())),
      m_(config_.inputs),
      basis_(config_.joints, config_.scales.q_offset, config_.scales.q,
             {config_.degree, config_.potential_joints}) {
  mass_functions_ = basis_.size(config_.mass_joints);
  const Scales& s = config_.scales;
  for (int i = 0; i < n_; ++i) {
    d_.push_back(std::sqrt(s.energy) / s.v[i]);
    force_scale_.push_back(s.energy / (s.v[i] * s.time));
  }
  if (config_.friction)
    for (int i = 0; i < n_; ++i) {
      slips_.push_back({i, -1, s.v[i]});
      for (int j = 0; j < i; ++j)
        if (config_.joints[i] == config_.joints[j])
          slips_.push_back({i, j, std::max(s.v[i], s.v[j])});
    }
  int count = input_offset();
  if (m_ > 0 && config_.input_map == InputMap::scaled) count += 1;
  if (config_.input_map == InputMap::learned) count += n_ * m_;
  theta_.assign(count, 0.0);
  for (int i = 0; i < n_; ++i) theta_[entry(i, i) * mass_functions_] = 1;
  if (m_ > 0 && config_.input_map == InputMap::scaled) theta_[input_offset()] = 1;
  if (config_.input_map == InputMap::learned)
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < m_; ++j)
        theta_[input_offset() + i * m_ + j] =
            config_.input_matrix[i * m_ + j] * s.u[j] / force_scale_[i];
  b_ = input_matrix();
}

std::vector<double> Trig::parameters_of(const Trig& poorer) const {
  MECHFIT_CHECK(poorer.n_ == n_ && poorer.slips_.size() == slips_.size() &&
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
  b_ = input_matrix();
}

double Trig::viscous(int slip) const {
  const Slip& s = slips_.at(slip);
  return theta_[friction_offset() + slip] * config_.scales.energy /
         (s.v * s.v * config_.scales.time);
}

double Trig::coulomb(int slip) const {
  return theta_[friction_offset() + static_cast<int>(slips_.size()) + slip] *
         config_.scales.energy / (slips_.at(slip).v * config_.scales.time);
}

std::vector<double> Trig::input_matrix() const {
  std::vector<double> b = config_.input_matrix;
  const double* theta = theta_.data() + input_offset();
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j < m_; ++j) {
      if (config_.input_map == InputMap::scaled) b[i * m_ + j] *= theta[0];
      if (config_.input_map == InputMap::learned)
        b[i * m_ + j] = theta[i * m_ + j] * force_scale_[i] / config_.scales.u[j];
    }
  return b;
}

Trig::Workspace Trig::make_workspace() const {
  const int slips = static_cast<int>(slips_.size());
  Workspace w;
  w.basis = basis_.make_workspace();
  w.q = w.v = w.w = w.slope = w.scratch = make_panel(n_);
  w.u = make_panel(m_);
  w.mass = w.a_terms = w.c_terms = make_panel(entries());
  w.mass_slope = make_panel(entries() * n_);
  w.hessian = w.curvature = make_panel(n_ * n_);
  w.weights = make_panel(basis_.size());
  w.slip = w.slip_tanh = make_panel(slips);
  w.lanes = w.sums = make_panel(parameter_count());
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
  if (m_ > 0) std::copy_n(x.u, m_ * kBlock, w.u.begin());
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
  add_other_forces(f, w);
}

void Trig::add_other_forces(double* f, Workspace& w) const {
  const int slips = static_cast<int>(slips_.size());
  for (int s = 0; s < slips; ++s) {
    const auto [i, j, scale] = slips_[s];
    double *slip = w.slip.data() + s * kBlock, *t = w.slip_tanh.data() + s * kBlock;
    const double* vi = w.v.data() + i * kBlock;
    const double* vj = j < 0 ? nullptr : w.v.data() + j * kBlock;
    const double inverse = 1 / (kCoulombWidth * scale);
    for_lanes([=](int l) { slip[l] = vj ? vi[l] - vj[l] : vi[l]; });
    for_lanes([=](int l) { t[l] = slip[l] * inverse; });
  }
  vector_tanh(w.slip_tanh.data(), slips * kBlock, w.slip_tanh.data());
  for (int s = 0; s < slips; ++s) {
    const double *slip = w.slip.data() + s * kBlock, *t = w.slip_tanh.data() + s * kBlock;
    const double linear = viscous(s), dry = coulomb(s);
    double* fi = f + slips_[s].i * kBlock;
    for_lanes([=](int l) { fi[l] -= linear * slip[l] + dry * t[l]; });
    if (slips_[s].j < 0) continue;
    double* fj = f + slips_[s].j * kBlock;
    for_lanes([=](int l) { fj[l] += linear * slip[l] + dry * t[l]; });
  }
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j < m_; ++j) {
      const double b = b_[i * m_ + j];
      for_lanes([&](int l) { f[i * kBlock + l] += b * w.u[j * kBlock + l]; });
    }
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

void Trig::clear_gradient(Workspace& w) const { std::fill(w.sums.begin(), w.sums.end(), 0.0); }

void Trig::add_gradient(Workspace& w, std::span<double> merged, bool add) const {
  MECHFIT_CHECK(merged.size() == theta_.size());
  for (std::size_t k = 0; k < theta_.size(); ++k) {
    double sum = 0.0;
    for (int l = 0; l < kBlock; ++l) sum += w.sums[k * kBlock + l];
    merged[k] = add ? merged[k] + sum : sum;
  }
}

void Trig::expand_gradient(std::span<const double> merged, std::span<double> theta) const {
  MECHFIT_CHECK(merged.size() == theta_.size() && theta.size() == theta_.size());
  std::copy(merged.begin(), merged.end(), theta.begin());
}

}  // namespace mechfit
