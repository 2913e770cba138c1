#include "mechfit/mechanics/families/smm/smm.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/families/smm/smm_lanes.h"

namespace mechfit {
namespace {

int feature_count(const std::vector<JointType>& joints) {
  int count = 0;
  for (JointType type : joints) count += type == JointType::periodic ? 2 : 1;
  return count;
}

const SmmConfig& checked(const SmmConfig& config) {
  const int n = static_cast<int>(config.joints.size());
  MECHFIT_CHECK(n > 0, "a model needs at least one joint");
  MECHFIT_CHECK(config.inputs >= 0);
  MECHFIT_CHECK(static_cast<int>(config.input_matrix.size()) == n * config.inputs,
                "input matrix of " + std::to_string(config.input_matrix.size()) + " entries for " +
                    std::to_string(n) + " joints and " + std::to_string(config.inputs) + " inputs");
  for (double b : config.input_matrix) MECHFIT_CHECK(std::isfinite(b));
  const Scales& s = config.scales;
  auto positive = [](const std::vector<double>& x, int size) {
    return static_cast<int>(x.size()) == size &&
           std::all_of(x.begin(), x.end(), [](double y) { return y > 0 && std::isfinite(y); });
  };
  MECHFIT_CHECK(positive(s.q, n) && positive(s.v, n) && positive(s.u, config.inputs),
                "scales must be positive and one per joint and input");
  MECHFIT_CHECK(static_cast<int>(s.q_offset.size()) == n);
  MECHFIT_CHECK(s.energy > 0 && std::isfinite(s.energy) && s.time > 0 && std::isfinite(s.time));
  return config;
}

SmmConfig with_scales(SmmConfig config) {
  if (config.scales.q.empty())
    config.scales = Scales::unit(static_cast<int>(config.joints.size()), config.inputs);
  return checked(config);
}

Mlp network(const SmmConfig& config, int inputs, int outputs, Precision precision) {
  return Mlp({inputs, config.hidden, config.activations, outputs}, simd_kernels(),
             precision == Precision::float32 ? &simd_single_kernels() : nullptr);
}

// Friction acts on each v_i.
JointForces joint_forces(const SmmConfig& config) {
  std::vector<Slip> slips;
  for (int i = 0; config.friction && i < static_cast<int>(config.joints.size()); ++i)
    slips.push_back(
        own_slip(i, config.friction, config.joints[static_cast<std::size_t>(i)], config.scales));
  return JointForces(
      {ForceParameters::softplus, std::move(slips), config.input_map, config.input_matrix},
      config.scales);
}

}  // namespace

Smm::Smm(SmmConfig config, Precision precision)
    : config_(with_scales(std::move(config))),
      n_(static_cast<int>(config_.joints.size())),
      m_(config_.inputs),
      features_(feature_count(config_.joints)),
      mass_net_(network(config_, features_, smm_lanes::entries(n_), precision)),
      potential_net_(network(config_, features_, 1, precision)),
      force_net_(network(config_, features_ + n_, n_, precision)),
      joint_forces_(mechfit::joint_forces(config_)) {
  const Scales& s = config_.scales;
  for (int i = 0; i < n_; ++i) {
    const double v = s.v[static_cast<std::size_t>(i)];
    d_.push_back(std::sqrt(s.energy) / v);
    force_scale_.push_back(s.energy / (v * s.time));
    inverse_v_.push_back(1.0 / v);
  }
  theta_.assign(network_parameters() + static_cast<std::size_t>(joint_forces_.parameter_count()),
                0.0);
  joint_forces_.set_parameters(std::span(theta_).subspan(network_parameters()));
}

std::size_t Smm::network_parameters() const {
  return static_cast<std::size_t>(mass_net_.parameter_count() + potential_net_.parameter_count() +
                                  (config_.force_network ? force_net_.parameter_count() : 0));
}

void Smm::initialise(Random& random) {
  std::vector<double> theta(theta_.size());
  std::span<double> rest(theta);
  auto draw = [&](const Mlp& net) {
    mechfit::initialise(net.shape(), config_.initialisation, random,
                        rest.first(static_cast<std::size_t>(net.parameter_count())));
    rest = rest.subspan(static_cast<std::size_t>(net.parameter_count()));
  };
  draw(mass_net_);
  draw(potential_net_);
  if (config_.force_network) draw(force_net_);
  joint_forces_.initialise(rest);
  set_parameters(theta);
}

void Smm::set_parameters(std::span<const double> theta) {
  MECHFIT_CHECK(theta.size() == theta_.size(), std::to_string(theta.size()) +
                                                   " parameters given, the model has " +
                                                   std::to_string(theta_.size()));
  simd_kernels().copy(static_cast<int>(theta.size()), theta.data(), theta_.data());
  std::span<const double> rest = theta_;
  auto set = [&](Mlp& net) {
    net.set_parameters(rest.first(static_cast<std::size_t>(net.parameter_count())));
    rest = rest.subspan(static_cast<std::size_t>(net.parameter_count()));
  };
  set(mass_net_);
  set(potential_net_);
  if (config_.force_network) set(force_net_);
  joint_forces_.set_parameters(rest);
}

Smm Smm::with_precision(Precision precision) const {
  Smm model(config_, precision);
  model.set_parameters(theta_);
  return model;
}

std::vector<double> Smm::viscous() const {
  std::vector<double> c;
  for (int i = 0; config_.friction && i < n_; ++i) c.push_back(joint_forces_.viscous(i));
  return c;
}

std::vector<double> Smm::coulomb() const {
  std::vector<double> c;
  for (int i = 0; config_.friction && i < n_; ++i) c.push_back(joint_forces_.coulomb(i));
  return c;
}

Smm::Workspace Smm::make_workspace() const {
  Workspace w;
  w.mass = mass_net_.make_workspace();
  w.potential = potential_net_.make_workspace();
  if (config_.force_network) w.force = force_net_.make_workspace();
  w.phi = make_panel(features_ + n_);
  w.slope = make_panel(features_);
  w.bend = make_panel(features_);
  for (auto& direction : w.direction) direction = make_panel(features_);
  w.w = make_panel(n_);
  w.pi = make_panel(n_);
  w.l_gradient = make_panel(smm_lanes::entries(n_));
  w.l_bar = make_panel(smm_lanes::entries(n_));
  w.lv_bar = make_panel(smm_lanes::entries(n_));
  w.scratch = make_panel(smm_lanes::pullback_scratch(n_));
  w.minus_energy = make_panel(1);
  std::fill(w.minus_energy.begin(), w.minus_energy.end(), -config_.scales.energy);
  w.q = make_panel(n_);
  w.v = make_panel(n_);
  w.f_bar = make_panel(n_);
  w.joint_forces = joint_forces_.make_workspace();
  return w;
}

void Smm::load_features(const double* q, Workspace& w) const {
  std::copy_n(q, n_ * kBlock, w.q.begin());
  smm_lanes::features(n_, config_.joints.data(), config_.scales.q_offset.data(),
                      config_.scales.q.data(), q, w.phi.data(), w.slope.data(), w.bend.data());
  w.mass.x = w.phi.data();
  mass_net_.forward(w.mass);
  mass_net_.output(w.mass);
  for (int i = 0; i < n_ * kBlock; ++i) w.mass.y[static_cast<std::size_t>(i)] += 1.0;
}

// Direction of the features when q moves along dq.
void Smm::along(const double* dq, int stream, Workspace& w) const {
  smm_lanes::along(n_, config_.joints.data(), w.slope.data(), dq, w.direction[stream].data());
}

// out_i += sum over the features of joint i of slope x_bar
void Smm::to_joints(const AlignedVector& x_bar, const Workspace& w, double* out) const {
  smm_lanes::to_joints(n_, config_.joints.data(), w.slope.data(), x_bar.data(), out);
}

void Smm::forces(const Points& x, double* p, double* f, Workspace& w) const {
  load_features(x.q, w);
  std::copy_n(x.v, n_ * kBlock, w.v.begin());
  smm_lanes::kinetic(n_, w.mass.y.data(), d_.data(), x.v, w.w.data(), w.pi.data(),
                     w.l_gradient.data(), p);
  mass_net_.reverse(0, w.l_gradient.data(), false, w.mass);
  w.potential.x = w.phi.data();
  potential_net_.forward(w.potential);
  potential_net_.reverse(0, w.minus_energy.data(), false, w.potential);
  // dL/dq: stream 0 keeps dT/dphi in the mass network and -dV/dphi in the potential network
  std::fill_n(f, n_ * kBlock, 0.0);
  to_joints(w.mass.x_reverse[0], w, f);
  to_joints(w.potential.x_reverse[0], w, f);
  if (config_.force_network) add_force_network(f, w);
  joint_forces_.add(x.q, x.v, x.u, f, w.joint_forces);
}

void Smm::add_force_network(double* f, Workspace& w) const {
  double* scaled = w.phi.data() + features_ * kBlock;
  for (int i = 0; i < n_; ++i)
    for (int s = 0; s < kBlock; ++s)
      scaled[i * kBlock + s] =
          w.v[static_cast<std::size_t>(i * kBlock + s)] * inverse_v_[static_cast<std::size_t>(i)];
  w.force.x = w.phi.data();
  force_net_.forward(w.force);
  force_net_.output(w.force);
  for (int i = 0; i < n_; ++i)
    for (int s = 0; s < kBlock; ++s)
      f[i * kBlock + s] += force_scale_[static_cast<std::size_t>(i)] *
                           w.force.y[static_cast<std::size_t>(i * kBlock + s)];
}

void Smm::mass_rate(double* rate, Workspace& w) const {
  along(w.v.data(), 1, w);
  w.mass.xdot[1] = w.direction[1].data();
  mass_net_.tangent(1, false, true, w.mass);
  smm_lanes::rate(n_, w.mass.y.data(), w.mass.ydot[1].data(), d_.data(), w.w.data(), w.pi.data(),
                  rate);
}

void Smm::mass(const double* q, double* m, Workspace& w) const {
  load_features(q, w);
  smm_lanes::mass(n_, w.mass.y.data(), d_.data(), m);
}

void Smm::factor(double* g, Workspace& w) const {
  smm_lanes::factor(n_, w.mass.y.data(), d_.data(), g);
}

void Smm::potential(double* v, Workspace& w) const {
  potential_net_.output(w.potential);
  for (int s = 0; s < kBlock; ++s)
    v[s] = config_.scales.energy * w.potential.y[static_cast<std::size_t>(s)];
}

static_assert(Lagrangian<Smm>);

}  // namespace mechfit
