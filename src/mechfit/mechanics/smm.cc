#include "mechfit/mechanics/smm.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/smm_lanes.h"

namespace mechfit {
namespace {

double softplus(double x) { return std::fmax(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }
double logistic(double x) { return 0.5 * (1.0 + std::tanh(0.5 * x)); }
double inverse_softplus(double y) { return std::log(std::expm1(y)); }

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

MlpShape shape(const SmmConfig& config, int inputs, int outputs) {
  return {inputs, config.hidden, config.activations, outputs};
}

double block_sum(const double* x) {
  double sum = 0.0;
  for (int s = 0; s < kBlock; ++s) sum += x[s];
  return sum;
}

}  // namespace

Scales Scales::unit(int n, int m) {
  const auto joints = static_cast<std::size_t>(n);
  Scales scales;
  scales.q_offset.assign(joints, 0.0);
  scales.q.assign(joints, 1.0);
  scales.v.assign(joints, 1.0);
  scales.u.assign(static_cast<std::size_t>(m), 1.0);
  return scales;
}

Smm::Smm(SmmConfig config, const Kernels& kernels)
    : config_(with_scales(std::move(config))),
      n_(static_cast<int>(config_.joints.size())),
      m_(config_.inputs),
      features_(feature_count(config_.joints)),
      mass_net_(shape(config_, features_, smm_lanes::entries(n_)), kernels),
      potential_net_(shape(config_, features_, 1), kernels),
      force_net_(shape(config_, features_ + n_, n_), kernels) {
  const Scales& s = config_.scales;
  for (int i = 0; i < n_; ++i) {
    const double v = s.v[static_cast<std::size_t>(i)];
    d_.push_back(std::sqrt(s.energy) / v);
    force_scale_.push_back(s.energy / (v * s.time));
    inverse_v_.push_back(1.0 / v);
  }
  b_ = config_.input_matrix;
  std::size_t count = input_offset();
  if (m_ > 0 && config_.input_map == InputMap::scaled) count += 1;
  if (config_.input_map == InputMap::learned) count += static_cast<std::size_t>(n_ * m_);
  theta_.assign(count, 0.0);
}

std::size_t Smm::friction_offset() const {
  return static_cast<std::size_t>(mass_net_.parameter_count() + potential_net_.parameter_count() +
                                  (config_.force_network ? force_net_.parameter_count() : 0));
}

std::size_t Smm::input_offset() const {
  return friction_offset() + static_cast<std::size_t>(config_.friction ? 2 * n_ : 0);
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
  if (config_.friction) {
    const auto n = static_cast<std::size_t>(2 * n_);
    std::fill_n(rest.begin(), n, inverse_softplus(0.05));
    rest = rest.subspan(n);
  }
  if (m_ > 0 && config_.input_map == InputMap::scaled) rest[0] = 1.0;
  if (config_.input_map == InputMap::learned)
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < m_; ++j) {
        const auto at = static_cast<std::size_t>(i * m_ + j);
        rest[at] = b_[at] * config_.scales.u[static_cast<std::size_t>(j)] /
                   force_scale_[static_cast<std::size_t>(i)];
      }
  set_parameters(theta);
}

void Smm::set_parameters(std::span<const double> theta) {
  MECHFIT_CHECK(theta.size() == theta_.size(), std::to_string(theta.size()) +
                                                   " parameters given, the model has " +
                                                   std::to_string(theta_.size()));
  std::copy(theta.begin(), theta.end(), theta_.begin());
  auto rest = theta;
  auto set = [&](Mlp& net) {
    net.set_parameters(rest.first(static_cast<std::size_t>(net.parameter_count())));
    rest = rest.subspan(static_cast<std::size_t>(net.parameter_count()));
  };
  set(mass_net_);
  set(potential_net_);
  if (config_.force_network) set(force_net_);
  b_ = input_matrix();
}

double Smm::viscous(int joint) const {
  const auto i = static_cast<std::size_t>(joint);
  return force_scale_[i] * inverse_v_[i] * softplus(theta_[friction_offset() + i]);
}

double Smm::coulomb(int joint) const {
  const auto i = static_cast<std::size_t>(joint);
  return force_scale_[i] * softplus(theta_[friction_offset() + static_cast<std::size_t>(n_) + i]);
}

std::vector<double> Smm::viscous() const {
  std::vector<double> c;
  for (int i = 0; config_.friction && i < n_; ++i) c.push_back(viscous(i));
  return c;
}

std::vector<double> Smm::coulomb() const {
  std::vector<double> c;
  for (int i = 0; config_.friction && i < n_; ++i) c.push_back(coulomb(i));
  return c;
}

std::vector<double> Smm::input_matrix() const {
  std::vector<double> b = config_.input_matrix;
  const double* theta = theta_.data() + input_offset();
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j < m_; ++j) {
      const auto at = static_cast<std::size_t>(i * m_ + j);
      if (config_.input_map == InputMap::scaled) b[at] *= theta[0];
      if (config_.input_map == InputMap::learned)
        b[at] = theta[at] * force_scale_[static_cast<std::size_t>(i)] /
                config_.scales.u[static_cast<std::size_t>(j)];
    }
  return b;
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
  w.v_bar = make_panel(n_);
  w.scratch = make_panel(smm_lanes::pullback_scratch(n_));
  w.minus_energy = make_panel(1);
  std::fill(w.minus_energy.begin(), w.minus_energy.end(), -config_.scales.energy);
  w.q = make_panel(n_);
  w.v = make_panel(n_);
  w.u = make_panel(m_);
  w.f_bar = make_panel(n_);
  w.friction_lanes = make_panel(2 * n_);
  w.friction_tanh = make_panel(n_);
  w.input_lanes = make_panel(n_ * m_);
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
void Smm::along(const double* dq, const Workspace& w, double* direction) const {
  const double* slope = w.slope.data();
  for (int i = 0; i < n_; ++i, dq += kBlock)
    for (int k = config_.joints[static_cast<std::size_t>(i)] == JointType::periodic ? 2 : 1; k > 0;
         --k, slope += kBlock, direction += kBlock)
      for (int s = 0; s < kBlock; ++s) direction[s] = slope[s] * dq[s];
}

namespace {

// out_i (+)= sum over the features of joint i of derivative x_bar
void to_joints(const std::vector<JointType>& joints, const double* derivative, const double* x_bar,
               double* out) {
  for (JointType type : joints) {
    for (int k = type == JointType::periodic ? 2 : 1; k > 0;
         --k, derivative += kBlock, x_bar += kBlock)
      for (int s = 0; s < kBlock; ++s) out[s] += derivative[s] * x_bar[s];
    out += kBlock;
  }
}

// The same with a second factor per joint: the bend of the features along a direction.
void bend_to_joints(const std::vector<JointType>& joints, const double* bend, const double* x_bar,
                    const double* direction, double* out) {
  for (JointType type : joints) {
    for (int k = type == JointType::periodic ? 2 : 1; k > 0; --k, bend += kBlock, x_bar += kBlock)
      for (int s = 0; s < kBlock; ++s) out[s] += bend[s] * x_bar[s] * direction[s];
    out += kBlock;
    direction += kBlock;
  }
}

}  // namespace

void Smm::forces(const Points& x, double* p, double* f, Workspace& w) const {
  load_features(x.q, w);
  std::copy_n(x.v, n_ * kBlock, w.v.begin());
  if (m_ > 0) std::copy_n(x.u, m_ * kBlock, w.u.begin());
  smm_lanes::kinetic(n_, w.mass.y.data(), d_.data(), x.v, w.w.data(), w.pi.data(),
                     w.l_gradient.data(), p);
  mass_net_.reverse(0, w.l_gradient.data(), false, w.mass);
  w.potential.x = w.phi.data();
  potential_net_.forward(w.potential);
  potential_net_.reverse(0, w.minus_energy.data(), false, w.potential);
  // dL/dq: stream 0 keeps dT/dphi in the mass network and -dV/dphi in the potential network
  std::fill_n(f, n_ * kBlock, 0.0);
  to_joints(config_.joints, w.slope.data(), w.mass.x_reverse[0].data(), f);
  to_joints(config_.joints, w.slope.data(), w.potential.x_reverse[0].data(), f);
  add_other_forces(f, w);
}

void Smm::add_other_forces(double* f, Workspace& w) const {
  if (config_.force_network) {
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
  if (config_.friction) {
    double* t = w.friction_tanh.data();
    for (int i = 0; i < n_; ++i) {
      const double inverse = inverse_v_[static_cast<std::size_t>(i)];
      for (int s = 0; s < kBlock; ++s)
        t[i * kBlock + s] =
            w.v[static_cast<std::size_t>(i * kBlock + s)] * (inverse / kCoulombWidth);
    }
    vector_tanh(t, n_ * kBlock, t);
    for (int i = 0; i < n_; ++i) {
      const double viscous_i = viscous(i), coulomb_i = coulomb(i);
      for (int s = 0; s < kBlock; ++s) {
        const int at = i * kBlock + s;
        f[at] -= viscous_i * w.v[static_cast<std::size_t>(at)] + coulomb_i * t[at];
      }
    }
  }
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j < m_; ++j)
      for (int s = 0; s < kBlock; ++s)
        f[i * kBlock + s] += b_[static_cast<std::size_t>(i * m_ + j)] *
                             w.u[static_cast<std::size_t>(j * kBlock + s)];
}

void Smm::mass_rate(double* rate, Workspace& w) const {
  along(w.v.data(), w, w.direction[1].data());
  w.mass.xdot[1] = w.direction[1].data();
  mass_net_.tangent(1, false, true, w.mass);
  smm_lanes::rate(n_, w.mass.y.data(), w.mass.ydot[1].data(), d_.data(), w.w.data(), w.pi.data(),
                  rate);
}

void Smm::pullback(const Covectors& covectors, const Adjoints& adjoints, Workspace& w) const {
  const double *b = covectors.b, *c = covectors.c;
  mass_net_.begin_adjoint(w.mass);
  if (b) {
    along(b, w, w.direction[0].data());
    w.mass.xdot[0] = w.potential.xdot[0] = w.direction[0].data();
    mass_net_.tangent(0, true, true, w.mass);
    potential_net_.begin_adjoint(w.potential);
    potential_net_.tangent(0, true, false, w.potential);
  }
  const smm_lanes::Terms terms{covectors.a,
                               b ? w.mass.ydot[0].data() : nullptr,
                               c,
                               covectors.acc,
                               covectors.left,
                               covectors.right,
                               covectors.pairs};
  smm_lanes::pullback(n_, w.mass.y.data(), w.mass.ydot[1].data(), d_.data(), w.w.data(),
                      w.pi.data(), terms, w.scratch.data(), w.l_bar.data(), w.lv_bar.data(),
                      w.v_bar.data());
  if (c) mass_net_.reverse(1, w.lv_bar.data(), true, w.mass);

  const bool wants_q = adjoints.q != nullptr;
  mass_net_.adjoint(w.l_bar.data(), {b != nullptr, c != nullptr}, wants_q, adjoints.theta, w.mass);
  if (b) potential_net_.adjoint(nullptr, {true, false}, wants_q, adjoints.theta, w.potential);
  if (adjoints.theta_lanes) {
    clear_lanes(w);
    double* lanes = w.merged_lanes.data();
    mass_net_.gradient_lanes(w.l_bar.data(), {b != nullptr, c != nullptr}, w.mass, lanes);
    lanes += mass_net_.merged_size() * kBlock;
    if (b) potential_net_.gradient_lanes(nullptr, {true, false}, w.potential, lanes);
  }

  if (wants_q) {
    std::fill_n(adjoints.q, n_ * kBlock, 0.0);
    to_joints(config_.joints, w.slope.data(), w.mass.x_adjoint.data(), adjoints.q);
    if (b) {
      to_joints(config_.joints, w.slope.data(), w.potential.x_adjoint.data(), adjoints.q);
      bend_to_joints(config_.joints, w.bend.data(), w.mass.x_reverse[0].data(), b, adjoints.q);
      bend_to_joints(config_.joints, w.bend.data(), w.potential.x_reverse[0].data(), b, adjoints.q);
    }
    if (c)
      bend_to_joints(config_.joints, w.bend.data(), w.mass.x_reverse[1].data(), w.v.data(),
                     adjoints.q);
  }
  if (adjoints.v) {
    std::copy_n(w.v_bar.begin(), n_ * kBlock, adjoints.v);
    if (c) to_joints(config_.joints, w.slope.data(), w.mass.x_reverse[1].data(), adjoints.v);
  }
  if (adjoints.u) std::fill_n(adjoints.u, m_ * kBlock, 0.0);
  const bool theta = adjoints.theta || adjoints.theta_lanes;
  if (b) other_forces_pullback(b, adjoints, theta, w);
  if (adjoints.theta_lanes) expand_lanes(w, adjoints.theta_lanes);
}

void Smm::other_forces_pullback(const double* b, const Adjoints& adjoints, bool theta,
                                Workspace& w) const {
  if (config_.force_network) {
    for (int i = 0; i < n_; ++i)
      for (int s = 0; s < kBlock; ++s)
        w.f_bar[static_cast<std::size_t>(i * kBlock + s)] =
            force_scale_[static_cast<std::size_t>(i)] * b[i * kBlock + s];
    force_net_.begin_adjoint(w.force);
    force_net_.adjoint(w.f_bar.data(), {false, false}, adjoints.q || adjoints.v, adjoints.theta,
                       w.force);
    if (adjoints.theta_lanes) {
      const int before = mass_net_.merged_size() + potential_net_.merged_size();
      force_net_.gradient_lanes(w.f_bar.data(), {false, false}, w.force,
                                w.merged_lanes.data() + before * kBlock);
    }
    if (adjoints.q) to_joints(config_.joints, w.slope.data(), w.force.x_adjoint.data(), adjoints.q);
    if (adjoints.v)
      for (int i = 0; i < n_; ++i)
        for (int s = 0; s < kBlock; ++s)
          adjoints.v[i * kBlock + s] +=
              inverse_v_[static_cast<std::size_t>(i)] *
              w.force.x_adjoint[static_cast<std::size_t>((features_ + i) * kBlock + s)];
  }
  if (config_.friction) {
    const double* coefficients = theta_.data() + friction_offset();
    const double* t = w.friction_tanh.data();
    for (int i = 0; i < n_; ++i) {
      const double scale = force_scale_[static_cast<std::size_t>(i)];
      const double inverse = inverse_v_[static_cast<std::size_t>(i)];
      const double viscous = scale * inverse * softplus(coefficients[i]);
      const double coulomb = scale * softplus(coefficients[n_ + i]) * inverse / kCoulombWidth;
      const double d_viscous = scale * inverse * logistic(coefficients[i]);
      const double d_coulomb = scale * logistic(coefficients[n_ + i]);
      for (int s = 0; s < kBlock; ++s) {
        const auto at = static_cast<std::size_t>(i * kBlock + s);
        if (adjoints.v) adjoints.v[at] -= b[at] * (viscous + coulomb * (1.0 - t[at] * t[at]));
        if (theta) {
          w.friction_lanes[at] -= b[at] * d_viscous * w.v[at];
          w.friction_lanes[at + static_cast<std::size_t>(n_ * kBlock)] -= b[at] * d_coulomb * t[at];
        }
      }
    }
  }
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j < m_; ++j)
      for (int s = 0; s < kBlock; ++s) {
        const double covector = b[i * kBlock + s];
        if (adjoints.u)
          adjoints.u[j * kBlock + s] += b_[static_cast<std::size_t>(i * m_ + j)] * covector;
        if (theta)
          w.input_lanes[static_cast<std::size_t>((i * m_ + j) * kBlock + s)] +=
              covector * w.u[static_cast<std::size_t>(j * kBlock + s)];
      }
}

void Smm::clear_lanes(Workspace& w) const {
  w.merged_lanes.assign(static_cast<std::size_t>(merged_size()) * kBlock, 0.0);
  std::fill(w.friction_lanes.begin(), w.friction_lanes.end(), 0.0);
  std::fill(w.input_lanes.begin(), w.input_lanes.end(), 0.0);
}

void Smm::expand_lanes(Workspace& w, double* theta_lanes) const {
  const std::size_t size = w.merged_lanes.size() / kBlock, count = theta_.size();
  double* rest = w.merged_lanes.data() + w.merged_lanes.size() -
                 (count - friction_offset()) * static_cast<std::size_t>(kBlock);
  if (config_.friction) rest = std::copy(w.friction_lanes.begin(), w.friction_lanes.end(), rest);
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j < m_; ++j) {
      const auto at = static_cast<std::size_t>(i * m_ + j);
      const double* lanes = w.input_lanes.data() + at * kBlock;
      for (int s = 0; s < kBlock; ++s) {
        if (config_.input_map == InputMap::scaled) rest[s] += config_.input_matrix[at] * lanes[s];
        if (config_.input_map == InputMap::learned)
          rest[at * kBlock + static_cast<std::size_t>(s)] +=
              lanes[s] * force_scale_[static_cast<std::size_t>(i)] /
              config_.scales.u[static_cast<std::size_t>(j)];
      }
    }
  if (size == count) {  // no layers are merged
    std::copy(w.merged_lanes.begin(), w.merged_lanes.end(), theta_lanes);
    return;
  }
  std::vector<double> merged(size), theta(count);
  for (std::size_t s = 0; s < kBlock; ++s) {
    for (std::size_t k = 0; k < size; ++k) merged[k] = w.merged_lanes[k * kBlock + s];
    std::fill(theta.begin(), theta.end(), 0.0);
    expand_gradient(merged, theta);
    for (std::size_t k = 0; k < count; ++k) theta_lanes[k * kBlock + s] = theta[k];
  }
}

void Smm::mass(const double* q, double* m, Workspace& w) const {
  load_features(q, w);
  smm_lanes::mass(n_, w.mass.y.data(), d_.data(), m);
}

void Smm::factor(double* g, Workspace& w) const {
  smm_lanes::factor(n_, w.mass.y.data(), d_.data(), g);
}

void Smm::mass_pullback(const double* weights, const Adjoints& adjoints, Workspace& w) const {
  smm_lanes::mass_pullback(n_, w.mass.y.data(), d_.data(), weights, w.l_bar.data());
  mass_net_.begin_adjoint(w.mass);
  mass_net_.adjoint(w.l_bar.data(), {false, false}, adjoints.q != nullptr, adjoints.theta, w.mass);
  if (adjoints.theta_lanes) {
    clear_lanes(w);
    mass_net_.gradient_lanes(w.l_bar.data(), {false, false}, w.mass, w.merged_lanes.data());
    expand_lanes(w, adjoints.theta_lanes);
  }
  if (adjoints.q) {
    std::fill_n(adjoints.q, n_ * kBlock, 0.0);
    to_joints(config_.joints, w.slope.data(), w.mass.x_adjoint.data(), adjoints.q);
  }
  if (adjoints.v) std::fill_n(adjoints.v, n_ * kBlock, 0.0);
  if (adjoints.u) std::fill_n(adjoints.u, m_ * kBlock, 0.0);
}

void Smm::potential(double* v, Workspace& w) const {
  potential_net_.output(w.potential);
  for (int s = 0; s < kBlock; ++s)
    v[s] = config_.scales.energy * w.potential.y[static_cast<std::size_t>(s)];
}

int Smm::merged_size() const {
  return mass_net_.merged_size() + potential_net_.merged_size() +
         (config_.force_network ? force_net_.merged_size() : 0) +
         static_cast<int>(theta_.size() - friction_offset());
}

void Smm::clear_gradient(Workspace& w) const {
  mass_net_.clear_gradient(w.mass);
  potential_net_.clear_gradient(w.potential);
  if (config_.force_network) force_net_.clear_gradient(w.force);
  std::fill(w.friction_lanes.begin(), w.friction_lanes.end(), 0.0);
  std::fill(w.input_lanes.begin(), w.input_lanes.end(), 0.0);
}

void Smm::add_gradient(const Workspace& w, std::span<double> merged) const {
  MECHFIT_CHECK(static_cast<int>(merged.size()) == merged_size());
  auto rest = merged;
  auto add = [&](const Mlp& net, const Mlp::Workspace& workspace) {
    net.add_gradient(workspace, rest.first(static_cast<std::size_t>(net.merged_size())));
    rest = rest.subspan(static_cast<std::size_t>(net.merged_size()));
  };
  add(mass_net_, w.mass);
  add(potential_net_, w.potential);
  if (config_.force_network) add(force_net_, w.force);
  if (config_.friction) {
    for (int i = 0; i < 2 * n_; ++i)
      rest[static_cast<std::size_t>(i)] += block_sum(w.friction_lanes.data() + i * kBlock);
    rest = rest.subspan(static_cast<std::size_t>(2 * n_));
  }
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j < m_; ++j) {
      const auto at = static_cast<std::size_t>(i * m_ + j);
      const double sum = block_sum(w.input_lanes.data() + at * kBlock);
      if (config_.input_map == InputMap::scaled) rest[0] += config_.input_matrix[at] * sum;
      if (config_.input_map == InputMap::learned)
        rest[at] += sum * force_scale_[static_cast<std::size_t>(i)] /
                    config_.scales.u[static_cast<std::size_t>(j)];
    }
}

void Smm::expand_gradient(std::span<const double> merged, std::span<double> theta) const {
  MECHFIT_CHECK(theta.size() == theta_.size());
  auto expand = [&](const Mlp& net) {
    const auto size = static_cast<std::size_t>(net.merged_size());
    const auto count = static_cast<std::size_t>(net.parameter_count());
    net.expand_gradient(merged.first(size), theta.first(count));
    merged = merged.subspan(size);
    theta = theta.subspan(count);
  };
  expand(mass_net_);
  expand(potential_net_);
  if (config_.force_network) expand(force_net_);
  for (std::size_t i = 0; i < theta.size(); ++i) theta[i] += merged[i];
}

static_assert(Lagrangian<Smm>);

}  // namespace mechfit
