#include "mechfit/mechanics/joint_forces.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/lanes.h"
#include "mechfit/net/kernels.h"

namespace mechfit {
namespace {

using Kind = FrictionFunction::Kind;

// Speed below which Coulomb friction is smoothed where no width is given, in units of the slip's
// velocity scale.
constexpr double kCoulombWidth = 0.05;

// Spread of the prior of terms that depend on the position, in units of the machine's forces: they
// are what is left of friction, and the data may hold few turns of the joint.
constexpr double kPositionSpread = 0.3;

// Friction that a fit by gradient descent starts with, in the model's units: small against forces
// of size 1, and not so small that softplus is flat.
constexpr double kFirstFriction = 0.05;

double softplus(double x) { return std::fmax(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }
double inverse_softplus(double y) { return std::log(std::expm1(y)); }
double logistic(double x) { return 0.5 * (1.0 + std::tanh(0.5 * x)); }  // softplus'

// Joints and inputs are counted from 1.
std::string slip_name(const Slip& slip) {
  const std::string i = std::to_string(slip.i + 1), j = std::to_string(slip.j + 1);
  return slip.j < 0 ? i : "between " + i + " and " + j;
}

std::string input_name(int joint, int input) {
  return "input " + std::to_string(input + 1) + " on joint " + std::to_string(joint + 1);
}

bool starts_positive(const FrictionFunction& f) {
  return f.kind == Kind::viscous || f.kind == Kind::coulomb;
}

}  // namespace

Slip own_slip(int i, const FrictionTerms& terms, JointType type, const Scales& scales) {
  Slip slip{i, -1, scales.v[i], terms};
  if (type == JointType::plain) {
    slip.origin = scales.q_offset[i];
    slip.rate = 1.0 / scales.q[i];
  }
  return slip;
}

JointForces::JointForces(JointForcesConfig config, const Scales& scales)
    : config_(std::move(config)),
      n_(static_cast<int>(scales.v.size())),
      m_(static_cast<int>(scales.u.size())),
      energy_(scales.energy),
      time_(scales.time),
      u_scale_(scales.u),
      b_(config_.input_matrix) {
  MECHFIT_CHECK(static_cast<int>(b_.size()) == n_ * m_);
  for (const Slip& slip : config_.slips)
    MECHFIT_CHECK(slip.i >= 0 && slip.i < n_ && slip.j >= -1 && slip.j < n_ && slip.v > 0);
  for (double v : scales.v) force_scale_.push_back(energy_ / (v * time_));
  make_terms();
  std::vector<double> theta(parameter_count());
  initialise(theta);
  set_parameters(theta);
}

void JointForces::make_terms() {
  for (int s = 0; s < slip_count(); ++s) {
    Slip& slip = config_.slips[s];
    if (slip.terms.width > 0) slip.terms.width = std::min(slip.terms.width, kCoulombWidth * slip.v);
    FrictionTerms terms = slip.terms;
    if (slip.j >= 0) terms.offset = terms.asymmetric = terms.stribeck = terms.position = false;
    first_term_.push_back(static_cast<int>(terms_.size()));
    for (const FrictionFunction& f : friction_functions(terms))
      terms_.push_back({s, f, 0, starts_positive(f) ? -1 : extras_++});
    const bool linear = config_.parameters == ForceParameters::linear;
    const double width = slip.terms.width;
    sharpness_.push_back(width > 0 ? 1 / width
                         : linear  ? 1 / (kCoulombWidth * slip.v)
                                   : 1.0 / slip.v / kCoulombWidth);
  }
  first_term_.push_back(static_cast<int>(terms_.size()));
  // Parameters function by function; those of one slip are in the functions' order.
  std::vector<int> order(terms_.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<int>(k);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return terms_[a].function.kind < terms_[b].function.kind; });
  for (std::size_t k = 0; k < order.size(); ++k) terms_[order[k]].parameter = static_cast<int>(k);
}

std::span<const JointForces::Term> JointForces::terms_of(int slip) const {
  return std::span(terms_).subspan(first_term_[slip], first_term_[slip + 1] - first_term_[slip]);
}

double JointForces::coefficient(int slip, FrictionFunction::Kind kind) const {
  for (const Term& term : terms_of(slip))
    if (term.function.kind == kind) return term.c;
  return 0.0;
}

int JointForces::parameter_count() const {
  int inputs = 0;
  if (m_ > 0 && config_.input_map == InputMap::scaled) inputs = 1;
  if (m_ > 0 && config_.input_map == InputMap::gains) inputs = m_ - 1;
  if (config_.input_map == InputMap::learned) inputs = n_ * m_;
  return friction_count() + inputs;
}

std::vector<std::string> JointForces::parameter_names() const {
  std::vector<std::string> names(friction_count());
  for (const Term& term : terms_)
    names[term.parameter] = term.function.name(slip_name(config_.slips[term.slip]));
  if (m_ > 0 && config_.input_map == InputMap::scaled) names.push_back("scale of the inputs");
  for (int j = 1; config_.input_map == InputMap::gains && j < m_; ++j)
    names.push_back("gain of input " + std::to_string(j + 1));
  for (int i = 0; config_.input_map == InputMap::learned && i < n_; ++i)
    for (int j = 0; j < m_; ++j) names.push_back(input_name(i, j));
  return names;
}

// Terms by position are many: a reader is told how large they are together.
std::vector<Description::Value> JointForces::friction_values(int offset) const {
  std::vector<Description::Value> out;
  const std::vector<std::string> names = parameter_names();
  std::vector<const Term*> by_parameter(friction_count());
  for (const Term& term : terms_) by_parameter[term.parameter] = &term;
  for (const Term* term : by_parameter)
    if (term->function.kind != Kind::position && term->c != 0)
      out.push_back(
          {names[term->parameter], term->c, "", offset + term->parameter, term->d / term->d_speed});
  for (int s = 0; s < slip_count(); ++s) {
    double square = 0.0;
    for (const Term& term : terms_of(s))
      if (term.function.kind == Kind::position) {
        const double force = term.function.has_speed() ? term.c * config_.slips[s].v : term.c;
        square += 0.5 * force * force;  // the mean of cos^2
      }
    if (square > 0)
      out.push_back({"friction " + slip_name(config_.slips[s]) + " by position, rms",
                     std::sqrt(square), "", -1, 1.0});
  }
  return out;
}

std::vector<Description::Value> JointForces::values(int offset) const {
  std::vector<Description::Value> out = friction_values(offset);
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
      } else if (config_.input_map == InputMap::gains && j > 0) {
        value.parameter = inputs + j - 1;
        value.slope = config_.input_matrix[at];
      }
      if (b_[at] != 0) out.push_back(std::move(value));
    }
  return out;
}

bool JointForces::nonnegative(int parameter) const {
  if (config_.parameters != ForceParameters::linear) return false;
  return std::any_of(terms_.begin(), terms_.end(), [&](const Term& term) {
    return term.parameter == parameter && starts_positive(term.function);
  });
}

double JointForces::prior_precision(int parameter) const {
  for (const Term& term : terms_)
    if (term.parameter == parameter && term.function.kind == Kind::position)
      return 1 / (kPositionSpread * kPositionSpread);
  return 0.0;
}

bool JointForces::fixes_scale() const {
  return m_ > 0 && (config_.input_map == InputMap::fixed || config_.input_map == InputMap::gains);
}

void JointForces::initialise(std::span<double> theta) const {
  MECHFIT_CHECK(static_cast<int>(theta.size()) == parameter_count());
  const bool linear = config_.parameters == ForceParameters::linear;
  for (const Term& term : terms_)
    theta[term.parameter] =
        linear || !starts_positive(term.function) ? 0.0 : inverse_softplus(kFirstFriction);
  const std::span<double> inputs = theta.subspan(friction_count());
  if (config_.input_map == InputMap::learned)
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < m_; ++j)
        inputs[i * m_ + j] = config_.input_matrix[i * m_ + j] * u_scale_[j] / force_scale_[i];
  else
    std::fill(inputs.begin(), inputs.end(), 1.0);
}

void JointForces::read_linear(double theta, Term& term) const {
  const Slip& slip = config_.slips[term.slip];
  const bool speed = term.function.has_speed();
  term.c = speed ? theta * energy_ / (slip.v * slip.v * time_) : theta * energy_ / (slip.v * time_);
  term.d = energy_ / (slip.v * time_);
  term.d_speed = speed ? slip.v : 1.0;
  term.slope = slip.terms.width > 0 ? term.c / slip.terms.width : term.c / (kCoulombWidth * slip.v);
}

void JointForces::read_softplus(double theta, Term& term) const {
  const Slip& slip = config_.slips[term.slip];
  const double force = energy_ / (slip.v * time_), inverse_v = 1.0 / slip.v;
  const double unit = term.function.has_speed() ? force * inverse_v : force;
  const bool positive = starts_positive(term.function);
  term.c = unit * (positive ? softplus(theta) : theta);
  term.d = unit * (positive ? logistic(theta) : 1.0);
  term.d_speed = 1.0;
  term.slope =
      slip.terms.width > 0 ? term.c / slip.terms.width : term.c * inverse_v / kCoulombWidth;
}

void JointForces::set_parameters(std::span<const double> theta) {
  MECHFIT_CHECK(static_cast<int>(theta.size()) == parameter_count());
  for (Term& term : terms_)
    if (config_.parameters == ForceParameters::linear)
      read_linear(theta[term.parameter], term);
    else
      read_softplus(theta[term.parameter], term);
  const std::span<const double> inputs = theta.subspan(friction_count());
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j < m_; ++j) {
      const int at = i * m_ + j;
      if (config_.input_map == InputMap::scaled) b_[at] = config_.input_matrix[at] * inputs[0];
      if (config_.input_map == InputMap::gains && j > 0)
        b_[at] = config_.input_matrix[at] * inputs[j - 1];
      if (config_.input_map == InputMap::learned)
        b_[at] = inputs[at] * force_scale_[i] / u_scale_[j];
    }
}

void JointForces::add(std::span<const double> q, std::span<const double> v,
                      std::span<const double> u, std::span<double> f) const {
  for (int s = 0; s < slip_count(); ++s) {
    const Slip& slip = config_.slips[s];
    const double w = slip.j < 0 ? v[slip.i] : v[slip.i] - v[slip.j];
    const double step =
        std::tanh(slip.terms.width > 0 ? w / slip.terms.width : w * (1.0 / slip.v) / kCoulombWidth);
    double force = 0.0;
    std::optional<FrictionPoint> point;
    for (const Term& term : terms_of(s)) {
      if (term.extra >= 0) {
        if (!point) point.emplace(w, step, sharpness_[s], slip.rate * (q[slip.i] - slip.origin));
        force += term.c * evaluate(term.function, *point).value;
      } else {
        force += term.c * (term.function.kind == Kind::viscous ? w : step);
      }
    }
    f[slip.i] -= force;
    if (slip.j >= 0) f[slip.j] += force;
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
  w.value = w.along_w = w.along_x = make_panel(extras_);
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

const double* JointForces::value_of(const Term& term, const Workspace& w) const {
  if (term.extra >= 0) return w.value.data() + term.extra * kBlock;
  return (term.function.kind == Kind::viscous ? w.slip : w.slip_tanh).data() + term.slip * kBlock;
}

void JointForces::load_extras(const double* q, Workspace& w) const {
  for (int s = 0; extras_ > 0 && s < slip_count(); ++s) {
    const Slip& slip = config_.slips[s];
    if (slip.j >= 0) continue;
    for (int l = 0; l < kBlock; ++l) {
      const FrictionPoint point(w.slip[s * kBlock + l], w.slip_tanh[s * kBlock + l], sharpness_[s],
                                slip.rate * (q[slip.i * kBlock + l] - slip.origin));
      for (const Term& term : terms_of(s)) {
        if (term.extra < 0) continue;
        const FrictionValue g = evaluate(term.function, point);
        w.value[term.extra * kBlock + l] = g.value;
        w.along_w[term.extra * kBlock + l] = g.along_w;
        w.along_x[term.extra * kBlock + l] = g.along_x * slip.rate;
      }
    }
  }
}

void JointForces::add(const double* q, const double* v, const double* u, double* f,
                      Workspace& w) const {
  const int slips = slip_count();
  for (int s = 0; s < slips; ++s) {
    double *slip = w.slip.data() + s * kBlock, *t = w.slip_tanh.data() + s * kBlock;
    const double sharpness = sharpness_[s];
    along(config_.slips[s], v, slip);
    for_lanes([=](int l) { t[l] = slip[l] * sharpness; });
  }
  if (slips > 0) vector_tanh(w.slip_tanh.data(), slips * kBlock, w.slip_tanh.data());
  load_extras(q, w);
  for (int s = 0; s < slips; ++s) {
    double force[kBlock] = {};
    for (const Term& term : terms_of(s)) {
      const double *g = value_of(term, w), c = term.c;
      for_lanes([&](int l) { force[l] += c * g[l]; });
    }
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
