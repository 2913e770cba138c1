#include "mechfit/mechanics/joint_forces.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/lanes.h"
#include "mechfit/net/kernels.h"

namespace mechfit {
namespace {

// Speed below which Coulomb friction is smoothed, in units of the slip's velocity scale.
constexpr double kCoulombWidth = 0.05;

constexpr const char *kViscous = "viscous friction ", *kCoulomb = "Coulomb friction ";

// Friction that a fit by gradient descent starts with, in the model's units: small against forces
// of size 1, and not so small that softplus is flat.
constexpr double kFirstFriction = 0.05;

double softplus(double x) { return std::fmax(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }
double inverse_softplus(double y) { return std::log(std::expm1(y)); }
double logistic(double x) { return 0.5 * (1.0 + std::tanh(0.5 * x)); }  // softplus'

// Joints and inputs are counted from 1.
std::string slip_name(const char* kind, const Slip& slip) {
  const std::string i = std::to_string(slip.i + 1), j = std::to_string(slip.j + 1);
  return kind + (slip.j < 0 ? i : "between " + i + " and " + j);
}

std::string input_name(int joint, int input) {
  return "input " + std::to_string(input + 1) + " on joint " + std::to_string(joint + 1);
}

}  // namespace

JointForces::JointForces(JointForcesConfig config, const Scales& scales)
    : config_(std::move(config)),
      n_(static_cast<int>(scales.v.size())),
      m_(static_cast<int>(scales.u.size())),
      energy_(scales.energy),
      time_(scales.time),
      u_scale_(scales.u),
      friction_(config_.slips.size()),
      b_(config_.input_matrix) {
  MECHFIT_CHECK(static_cast<int>(b_.size()) == n_ * m_);
  for (const Slip& slip : config_.slips)
    MECHFIT_CHECK(slip.i >= 0 && slip.i < n_ && slip.j >= -1 && slip.j < n_ && slip.v > 0);
  for (double v : scales.v) force_scale_.push_back(energy_ / (v * time_));
  std::vector<double> theta(parameter_count());
  initialise(theta);
  set_parameters(theta);
}

int JointForces::parameter_count() const {
  int inputs = 0;
  if (m_ > 0 && config_.input_map == InputMap::scaled) inputs = 1;
  if (config_.input_map == InputMap::learned) inputs = n_ * m_;
  return friction_count() + inputs;
}

std::vector<std::string> JointForces::parameter_names() const {
  std::vector<std::string> names;
  for (const char* kind : {kViscous, kCoulomb})
    for (const Slip& slip : config_.slips) names.push_back(slip_name(kind, slip));
  if (m_ > 0 && config_.input_map == InputMap::scaled) names.push_back("scale of the inputs");
  for (int i = 0; config_.input_map == InputMap::learned && i < n_; ++i)
    for (int j = 0; j < m_; ++j) names.push_back(input_name(i, j));
  return names;
}

std::vector<Description::Value> JointForces::values(int offset) const {
  std::vector<Description::Value> out;
  const int slips = slip_count();
  for (int s = 0; s < slips; ++s)
    if (const Friction& c = friction_[s]; c.viscous > 0)
      out.push_back({slip_name(kViscous, config_.slips[s]), c.viscous, "", offset + s,
                     c.d_viscous / c.d_speed});
  for (int s = 0; s < slips; ++s)
    if (const Friction& c = friction_[s]; c.coulomb > 0)
      out.push_back(
          {slip_name(kCoulomb, config_.slips[s]), c.coulomb, "", offset + slips + s, c.d_coulomb});
  const int inputs = offset + friction_count();
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j < m_; ++j) {
      const int at = i * m_ + j;
      Description::Value value{input_name(i, j), b_[at], "", -1, 1.0};
      if (config_.input_map == InputMap::learned) {
        value.parameter = inputs + at;
        value.slope = force_scale_[i] / u_scale_[j];
      } else if (config_.input_map == InputMap::scaled) {
        value.parameter = inputs;
        value.slope = config_.input_matrix[at];
      }
      if (b_[at] != 0) out.push_back(std::move(value));
    }
  return out;
}

bool JointForces::nonnegative(int parameter) const {
  return config_.parameters == ForceParameters::linear && parameter < friction_count();
}

void JointForces::initialise(std::span<double> theta) const {
  MECHFIT_CHECK(static_cast<int>(theta.size()) == parameter_count());
  const bool linear = config_.parameters == ForceParameters::linear;
  std::fill_n(theta.begin(), friction_count(), linear ? 0.0 : inverse_softplus(kFirstFriction));
  const std::span<double> inputs = theta.subspan(friction_count());
  if (config_.input_map == InputMap::learned)
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < m_; ++j)
        inputs[i * m_ + j] = config_.input_matrix[i * m_ + j] * u_scale_[j] / force_scale_[i];
  else
    std::fill(inputs.begin(), inputs.end(), 1.0);
}

JointForces::Friction JointForces::read_linear(const Slip& slip, double viscous,
                                               double coulomb) const {
  Friction c;
  c.viscous = viscous * energy_ / (slip.v * slip.v * time_);
  c.coulomb = coulomb * energy_ / (slip.v * time_);
  c.sharpness = 1 / (kCoulombWidth * slip.v);
  c.steepness = c.coulomb / (kCoulombWidth * slip.v);
  c.d_viscous = c.d_coulomb = energy_ / (slip.v * time_);
  c.d_speed = slip.v;
  return c;
}

JointForces::Friction JointForces::read_softplus(const Slip& slip, double viscous,
                                                 double coulomb) const {
  const double force = energy_ / (slip.v * time_), inverse_v = 1.0 / slip.v;
  Friction c;
  c.viscous = force * inverse_v * softplus(viscous);
  c.coulomb = force * softplus(coulomb);
  c.sharpness = inverse_v / kCoulombWidth;
  c.steepness = c.coulomb * inverse_v / kCoulombWidth;
  c.d_viscous = force * inverse_v * logistic(viscous);
  c.d_coulomb = force * logistic(coulomb);
  c.d_speed = 1.0;
  return c;
}

void JointForces::set_parameters(std::span<const double> theta) {
  MECHFIT_CHECK(static_cast<int>(theta.size()) == parameter_count());
  const bool linear = config_.parameters == ForceParameters::linear;
  for (int s = 0; s < slip_count(); ++s) {
    const double viscous = theta[s], coulomb = theta[slip_count() + s];
    friction_[s] = linear ? read_linear(config_.slips[s], viscous, coulomb)
                          : read_softplus(config_.slips[s], viscous, coulomb);
  }
  const std::span<const double> inputs = theta.subspan(friction_count());
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j < m_; ++j) {
      const int at = i * m_ + j;
      if (config_.input_map == InputMap::scaled) b_[at] = config_.input_matrix[at] * inputs[0];
      if (config_.input_map == InputMap::learned)
        b_[at] = inputs[at] * force_scale_[i] / u_scale_[j];
    }
}

void JointForces::add(std::span<const double> v, std::span<const double> u,
                      std::span<double> f) const {
  for (int s = 0; s < slip_count(); ++s) {
    const auto [i, j, scale] = config_.slips[s];
    const Friction& c = friction_[s];
    const double slip = j < 0 ? v[i] : v[i] - v[j];
    const double step = std::tanh(slip * (1.0 / scale) / kCoulombWidth);
    const double force = c.viscous * slip + c.coulomb * step;
    f[i] -= force;
    if (j >= 0) f[j] += force;
  }
  if (u.empty()) return;
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j < m_; ++j) f[i] += b_[i * m_ + j] * u[j];
}

int JointForces::accumulators() const {
  return friction_count() + (config_.input_map == InputMap::fixed ? 0 : n_ * m_);
}

JointForces::Workspace JointForces::make_workspace() const {
  Workspace w;
  w.slip = w.slip_tanh = make_panel(slip_count());
  w.u = make_panel(m_);
  w.sums = w.lanes = make_panel(accumulators());
  return w;
}

// out = s'x of a panel x [n][kBlock]
void JointForces::along(const Slip& slip, const double* x, double* out) {
  const double* xi = x + slip.i * kBlock;
  if (slip.j < 0) {
    std::copy_n(xi, kBlock, out);
    return;
  }
  const double* xj = x + slip.j * kBlock;
  for_lanes([=](int l) { out[l] = xi[l] - xj[l]; });
}

// out -= s x of a row x [kBlock]
void JointForces::subtract(const Slip& slip, const double* x, double* out) {
  double* oi = out + slip.i * kBlock;
  for_lanes([=](int l) { oi[l] -= x[l]; });
  if (slip.j < 0) return;
  double* oj = out + slip.j * kBlock;
  for_lanes([=](int l) { oj[l] += x[l]; });
}

void JointForces::add(const double* v, const double* u, double* f, Workspace& w) const {
  const int slips = slip_count();
  for (int s = 0; s < slips; ++s) {
    double *slip = w.slip.data() + s * kBlock, *t = w.slip_tanh.data() + s * kBlock;
    const double sharpness = friction_[s].sharpness;
    along(config_.slips[s], v, slip);
    for_lanes([=](int l) { t[l] = slip[l] * sharpness; });
  }
  if (slips > 0) vector_tanh(w.slip_tanh.data(), slips * kBlock, w.slip_tanh.data());
  for (int s = 0; s < slips; ++s) {
    const double *slip = w.slip.data() + s * kBlock, *t = w.slip_tanh.data() + s * kBlock;
    const double viscous = friction_[s].viscous, coulomb = friction_[s].coulomb;
    double force[kBlock];
    for_lanes([&](int l) { force[l] = viscous * slip[l] + coulomb * t[l]; });
    subtract(config_.slips[s], force, f);
  }
  if (m_ > 0) std::copy_n(u, m_ * kBlock, w.u.begin());
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j < m_; ++j) {
      const double b = b_[i * m_ + j], *uj = w.u.data() + j * kBlock;
      double* fi = f + i * kBlock;
      for_lanes([=](int l) { fi[l] += b * uj[l]; });
    }
}

}  // namespace mechfit
