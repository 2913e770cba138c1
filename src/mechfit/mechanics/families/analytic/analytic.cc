#include "mechfit/mechanics/families/analytic/analytic.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/lanes.h"

namespace mechfit {

namespace {

void copy(int rows, const double* from, double* to) { std::copy_n(from, rows * kBlock, to); }
void clear(AlignedVector& panel) { std::fill(panel.begin(), panel.end(), 0.0); }

bool gathers(const Adjoints& adjoints) { return adjoints.theta || adjoints.theta_lanes; }

// A covector row, zeros when null.
const double* row(const double* panel, int i) { return panel ? panel + i * kBlock : nullptr; }

void check_range(const ConstantDefinition& constant, double value) {
  const bool inside =
      constant.range == Range::any || (constant.range == Range::positive ? value > 0 : value >= 0);
  if (std::isfinite(value) && inside) return;
  throw InputError("constant '" + constant.name + "' is " + std::to_string(value) +
                   ", expected a finite number" +
                   (constant.range == Range::any        ? ""
                    : constant.range == Range::positive ? " > 0"
                                                        : " >= 0"));
}

}  // namespace

AnalyticSystem::AnalyticSystem(Equations equations)
    : equations_(std::make_shared<const Equations>(std::move(equations))),
      n_(static_cast<int>(equations_->joints.size())),
      m_(static_cast<int>(equations_->inputs.size())),
      theta_(equations_->constants.size()),
      uniforms_(equations_->tape.uniforms()) {
  std::vector<double> theta;
  for (const auto& constant : equations_->constants) theta.push_back(constant.value);
  set_parameters(theta);
}

std::vector<JointType> AnalyticSystem::joint_types() const {
  std::vector<JointType> types;
  for (const auto& joint : equations_->joints) types.push_back(joint.type);
  return types;
}

std::vector<std::string> AnalyticSystem::joint_names() const {
  std::vector<std::string> names;
  for (const auto& joint : equations_->joints) names.push_back(joint.name);
  return names;
}

std::vector<std::string> AnalyticSystem::input_names() const {
  std::vector<std::string> names;
  for (const auto& input : equations_->inputs) names.push_back(input.name);
  return names;
}

namespace {

std::size_t find_constant(const Equations& equations, const std::string& name) {
  std::string valid;
  for (std::size_t k = 0; k < equations.constants.size(); ++k) {
    if (equations.constants[k].name == name) return k;
    valid += (k ? ", " : "") + equations.constants[k].name;
  }
  throw InputError("system '" + equations.name + "' has no constant '" + name +
                   "', expected one of " + valid);
}

}  // namespace

double AnalyticSystem::constant(const std::string& constant_name) const {
  return theta_[find_constant(*equations_, constant_name)];
}

void AnalyticSystem::set_constant(const std::string& constant_name, double value) {
  std::vector<double> theta = theta_;
  theta[find_constant(*equations_, constant_name)] = value;
  set_parameters(theta);
}

void AnalyticSystem::set_parameters(std::span<const double> theta) {
  MECHFIT_CHECK(theta.size() == theta_.size(), name() + " has " + std::to_string(theta_.size()) +
                                                   " constants, got " +
                                                   std::to_string(theta.size()));
  for (std::size_t k = 0; k < theta.size(); ++k) check_range(equations_->constants[k], theta[k]);
  std::copy(theta.begin(), theta.end(), theta_.begin());
  equations_->tape.evaluate_uniforms(theta_, uniforms_);
}

AnalyticSystem::Workspace AnalyticSystem::make_workspace() const {
  const Tape& tape = equations_->tape;
  Workspace w;
  w.values = w.tangents = w.rate = w.adjoints = w.tangent_adjoints = make_panel(tape.nodes());
  w.uniform_adjoints = make_panel(tape.uniforms());
  w.uniform_sums = AlignedVector(tape.uniforms());
  w.theta = AlignedVector(theta_.size());
  w.mass = w.mass_tangent = w.mass_bar = make_panel(n_ * n_);
  w.product = make_panel(n_);
  return w;
}

void AnalyticSystem::load_mass(Workspace& w) const {
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j <= i; ++j)
      equations_->tape.output(mass_output(i, j), uniforms_.data(), w.values.data(),
                              w.mass.data() + (i * n_ + j) * kBlock);
}

void AnalyticSystem::load_mass_tangent(const AlignedVector& tangents, Workspace& w) const {
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j <= i; ++j)
      equations_->tape.output_tangent(mass_output(i, j), tangents.data(),
                                      w.mass_tangent.data() + (i * n_ + j) * kBlock);
}

// p = M v,  f = d/dq (1/2 v' M v - V) + F
void AnalyticSystem::forces(const Points& x, double* p, double* f, Workspace& w) const {
  MECHFIT_CHECK(x.q && x.v && (x.u || m_ == 0), "system " + name());
  const Tape& tape = equations_->tape;
  double* v = w.values.data() + n_ * kBlock;
  copy(n_, x.q, w.values.data());
  copy(n_, x.v, v);
  if (m_ > 0) copy(m_, x.u, w.values.data() + 2 * n_ * kBlock);
  tape.forward(uniforms_.data(), w.values.data());
  w.has_rate = false;
  load_mass(w);
  symmetric_product(n_, w.mass.data(), v, p);

  clear(w.adjoints);
  double seed[kBlock];
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j <= i; ++j) {
      const double weight = i == j ? 0.5 : 1;
      for_lanes([&](int l) { seed[l] = weight * v[i * kBlock + l] * v[j * kBlock + l]; });
      tape.seed(mass_output(i, j), seed, w.adjoints.data(), nullptr);
    }
  for_lanes([&](int l) { seed[l] = -1; });
  tape.seed(potential_output(), seed, w.adjoints.data(), nullptr);
  tape.reverse(uniforms_.data(), w.values.data(), w.adjoints.data(), nullptr);
  for (int i = 0; i < n_; ++i) {
    double* fi = f + i * kBlock;
    const double* dq = w.adjoints.data() + i * kBlock;
    tape.output(force_output(i), uniforms_.data(), w.values.data(), fi);
    for_lanes([=](int l) { fi[l] += dq[l]; });
  }
}

// With Mb, Vb the derivatives of M, V along q' = b and Mv that of M along q' = v,
//   s = a' M v + 1/2 v' Mb v - Vb + b' F + left' M right   +   c' Mv v + c' M acc
// Each half is a linear function of the tape's outputs and their tangents, so one reverse sweep
// through both gives its gradient to q, theta and the direction.
void AnalyticSystem::pullback(const Covectors& covectors, const Adjoints& adjoints,
                              Workspace& w) const {
  const Tape& tape = equations_->tape;
  const double* v = w.values.data() + n_ * kBlock;
  if (adjoints.theta_lanes) clear(w.uniform_adjoints);
  double* uniform_adjoints = gathers(adjoints) ? w.uniform_adjoints.data() : nullptr;
  clear(w.adjoints);
  clear(w.tangent_adjoints);
  std::fill_n(w.tangents.data(), tape.inputs() * kBlock, 0.0);
  if (covectors.b) copy(n_, covectors.b, w.tangents.data());
  tape.tangent(uniforms_.data(), w.values.data(), w.tangents.data());

  double seed[kBlock];
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j <= i; ++j) {
      const double *vi = v + i * kBlock, *vj = v + j * kBlock;
      if (covectors.b) {
        const double weight = i == j ? 0.5 : 1;
        for_lanes([&](int l) { seed[l] = weight * vi[l] * vj[l]; });
        tape.seed_tangent(mass_output(i, j), seed, w.tangent_adjoints.data());
      }
      if (covectors.a) {
        const double *ai = row(covectors.a, i), *aj = row(covectors.a, j);
        if (i == j)
          for_lanes([&](int l) { seed[l] = ai[l] * vi[l]; });
        else
          for_lanes([&](int l) { seed[l] = ai[l] * vj[l] + aj[l] * vi[l]; });
        tape.seed(mass_output(i, j), seed, w.adjoints.data(), uniform_adjoints);
      }
      for (int k = 0; covectors.left && k < covectors.pairs; ++k) {
        const double weight = i == j ? 0.5 : 1;
        const double *li = row(covectors.left, k * n_ + i), *lj = row(covectors.left, k * n_ + j);
        const double *ri = row(covectors.right, k * n_ + i), *rj = row(covectors.right, k * n_ + j);
        for_lanes([&](int l) { seed[l] = weight * (li[l] * rj[l] + lj[l] * ri[l]); });
        tape.seed(mass_output(i, j), seed, w.adjoints.data(), uniform_adjoints);
      }
    }
  if (covectors.b) {
    for_lanes([&](int l) { seed[l] = -1; });
    tape.seed_tangent(potential_output(), seed, w.tangent_adjoints.data());
    for (int i = 0; i < n_; ++i)
      tape.seed(force_output(i), row(covectors.b, i), w.adjoints.data(), uniform_adjoints);
  }
  tape.reverse_tangent(uniforms_.data(), w.values.data(), w.tangents.data(), w.adjoints.data(),
                       w.tangent_adjoints.data(), uniform_adjoints);
  store_adjoints(adjoints, w);

  // ds/dv += M a + Mb v
  if (adjoints.v && covectors.a) {
    symmetric_product(n_, w.mass.data(), covectors.a, w.product.data());
    for (int i = 0; i < n_ * kBlock; ++i) adjoints.v[i] += w.product[i];
  }
  if (adjoints.v && covectors.b) {
    load_mass_tangent(w.tangents, w);
    symmetric_product(n_, w.mass_tangent.data(), v, w.product.data());
    for (int i = 0; i < n_ * kBlock; ++i) adjoints.v[i] += w.product[i];
  }
  if (covectors.c) add_rate_pullback(covectors, adjoints, w);
  if (adjoints.theta_lanes) store_lanes(adjoints.theta_lanes, w);
}

// Gradient of c' Mv v + c' M acc.
void AnalyticSystem::add_rate_pullback(const Covectors& covectors, const Adjoints& adjoints,
                                       Workspace& w) const {
  MECHFIT_CHECK(w.has_rate, "mass_rate comes before a pullback with c");
  const Tape& tape = equations_->tape;
  const double* v = w.values.data() + n_ * kBlock;
  double* uniform_adjoints = gathers(adjoints) ? w.uniform_adjoints.data() : nullptr;
  clear(w.adjoints);
  clear(w.tangent_adjoints);
  double seed[kBlock];
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j <= i; ++j) {
      const double *ci = row(covectors.c, i), *cj = row(covectors.c, j);
      const double weight = i == j ? 0.5 : 1;
      const double *vi = v + i * kBlock, *vj = v + j * kBlock;
      for_lanes([&](int l) { seed[l] = weight * (ci[l] * vj[l] + cj[l] * vi[l]); });
      tape.seed_tangent(mass_output(i, j), seed, w.tangent_adjoints.data());
      if (covectors.acc) {
        const double *acci = row(covectors.acc, i), *accj = row(covectors.acc, j);
        for_lanes([&](int l) { seed[l] = weight * (ci[l] * accj[l] + cj[l] * acci[l]); });
        tape.seed(mass_output(i, j), seed, w.adjoints.data(), uniform_adjoints);
      }
    }
  tape.reverse_tangent(uniforms_.data(), w.values.data(), w.rate.data(), w.adjoints.data(),
                       w.tangent_adjoints.data(), uniform_adjoints);
  if (adjoints.q)
    for (int i = 0; i < n_ * kBlock; ++i) adjoints.q[i] += w.adjoints[i];
  if (adjoints.v) {
    // The direction is v itself; ds/dv += Mv c
    load_mass_tangent(w.rate, w);
    symmetric_product(n_, w.mass_tangent.data(), covectors.c, w.product.data());
    for (int i = 0; i < n_ * kBlock; ++i) adjoints.v[i] += w.product[i] + w.tangent_adjoints[i];
  }
}

void AnalyticSystem::store_adjoints(const Adjoints& adjoints, const Workspace& w) const {
  const double* inputs = w.adjoints.data();
  if (adjoints.q) copy(n_, inputs, adjoints.q);
  if (adjoints.v) copy(n_, inputs + n_ * kBlock, adjoints.v);
  if (adjoints.u) copy(m_, inputs + 2 * n_ * kBlock, adjoints.u);
}

void AnalyticSystem::store_lanes(double* theta, Workspace& w) const {
  for (int lane = 0; lane < kBlock; ++lane) {
    for (std::size_t k = 0; k < w.uniform_sums.size(); ++k)
      w.uniform_sums[k] = w.uniform_adjoints[k * kBlock + lane];
    std::fill(w.theta.begin(), w.theta.end(), 0.0);
    equations_->tape.reverse_uniforms(uniforms_, w.uniform_sums, w.theta);
    for (std::size_t k = 0; k < w.theta.size(); ++k) theta[k * kBlock + lane] = w.theta[k];
  }
}

void AnalyticSystem::mass_rate(double* mass_rate, Workspace& w) const {
  const double* v = w.values.data() + n_ * kBlock;
  std::fill_n(w.rate.data(), equations_->tape.inputs() * kBlock, 0.0);
  copy(n_, v, w.rate.data());
  equations_->tape.tangent(uniforms_.data(), w.values.data(), w.rate.data());
  w.has_rate = true;
  load_mass_tangent(w.rate, w);
  symmetric_product(n_, w.mass_tangent.data(), v, mass_rate);
}

void AnalyticSystem::mass(const double* q, double* M, Workspace& w) const {
  copy(n_, q, w.values.data());
  std::fill_n(w.values.data() + n_ * kBlock, (n_ + m_) * kBlock, 0.0);
  equations_->tape.forward(uniforms_.data(), w.values.data());
  w.has_rate = false;
  load_mass(w);
  for (int i = 0; i < n_; ++i) copy(i + 1, w.mass.data() + i * n_ * kBlock, M + i * n_ * kBlock);
}

void AnalyticSystem::factor(double* G, Workspace& w) const { cholesky(n_, w.mass.data(), G); }

void AnalyticSystem::mass_pullback(const double* W, const Adjoints& adjoints, Workspace& w) const {
  const Tape& tape = equations_->tape;
  if (adjoints.theta_lanes) clear(w.uniform_adjoints);
  double* uniform_adjoints = gathers(adjoints) ? w.uniform_adjoints.data() : nullptr;
  clear(w.adjoints);
  double seed[kBlock];
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j <= i; ++j) {
      const double* weight = W + (i * n_ + j) * kBlock;
      const double count = i == j ? 1 : 2;
      for_lanes([&](int l) { seed[l] = count * weight[l]; });
      tape.seed(mass_output(i, j), seed, w.adjoints.data(), uniform_adjoints);
    }
  tape.reverse(uniforms_.data(), w.values.data(), w.adjoints.data(), uniform_adjoints);
  store_adjoints(adjoints, w);
  if (adjoints.theta_lanes) store_lanes(adjoints.theta_lanes, w);
}

void AnalyticSystem::potential(double* V, Workspace& w) const {
  equations_->tape.output(potential_output(), uniforms_.data(), w.values.data(), V);
}

void AnalyticSystem::clear_gradient(Workspace& w) const { clear(w.uniform_adjoints); }

void AnalyticSystem::add_gradient(Workspace& w, std::span<double> merged, bool add) const {
  const int uniforms = equations_->tape.uniforms();
  for (int k = 0; k < uniforms; ++k) {
    double sum = 0;
    for (int l = 0; l < kBlock; ++l) sum += w.uniform_adjoints[k * kBlock + l];
    w.uniform_sums[k] = sum;
  }
  MECHFIT_CHECK(merged.size() == theta_.size());
  std::fill(w.theta.begin(), w.theta.end(), 0.0);
  equations_->tape.reverse_uniforms(uniforms_, w.uniform_sums, w.theta);
  for (std::size_t i = 0; i < merged.size(); ++i)
    merged[i] = add ? merged[i] + w.theta[i] : w.theta[i];
}

void AnalyticSystem::expand_gradient(std::span<const double> merged,
                                     std::span<double> theta) const {
  MECHFIT_CHECK(merged.size() == theta_.size() && theta.size() == theta_.size());
  std::copy(merged.begin(), merged.end(), theta.begin());
}

}  // namespace mechfit
