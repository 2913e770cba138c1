#include "mechfit/fit/joint/free_parameters.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

// Constants of machines are known up to factors of e^3 before data are seen; coefficients of a
// trigonometric model, in its own units, up to a few.
constexpr double kConstantSpread = 3, kCoefficientSpread = 3;

double squared(double x) { return x * x; }

// For S that is positive definite but for rounding.
Eigen::VectorXd solve(const Eigen::MatrixXd& S, const Eigen::VectorXd& b) {
  const Eigen::LLT<Eigen::MatrixXd> cholesky(S);
  if (cholesky.info() == Eigen::Success) return cholesky.solve(b);
  return S.ldlt().solve(b);
}

}  // namespace

FreeParameters::FreeParameters(const Model& model, std::span<const int> fixed) {
  const auto held = [&](int k) { return std::find(fixed.begin(), fixed.end(), k) != fixed.end(); };
  const std::span<const double> theta = model.parameters();
  if (const AnalyticSystem* system = model.as<AnalyticSystem>()) {
    const auto& constants = system->constants();
    for (int k = 0; k < model.parameter_count(); ++k) {
      if (held(k)) continue;
      const Range range = constants[k].range;
      const double size = std::max(std::abs(theta[k]), 1e-3);
      Entry entry{k, range, constants[k].name, theta[k], 1 / squared(kConstantSpread * size), size};
      if (range == Range::positive)
        entry = {k, range, constants[k].name, std::log(theta[k]), 1 / squared(kConstantSpread), 1};
      if (range == Range::nonnegative) entry.precision = 0;
      entries_.push_back(entry);
    }
    return;
  }
  if (model.as<Smm>()) {
    for (int k = 0; k < model.parameter_count(); ++k)
      entries_.push_back({k, Range::any, "theta " + std::to_string(k), 0, kWeightDecay, 1});
    return;
  }
  const Trig* trig = model.as<Trig>();
  const int functions = trig->mass_functions();
  for (int k = 0; k < model.parameter_count(); ++k) {
    if (held(k)) continue;
    Entry entry{k, Range::any, "theta " + std::to_string(k), 0, 1 / squared(kCoefficientSpread), 1};
    const bool friction = k >= trig->friction_offset() && k < trig->input_offset();
    const bool constant_of_mass = k < trig->potential_offset() && k % functions == 0;
    if (friction) entry.range = Range::nonnegative;
    if (friction || constant_of_mass || k >= trig->input_offset()) entry.precision = 0;
    entry.prunable = !constant_of_mass && k < trig->input_offset();
    entries_.push_back(entry);
  }
}

Eigen::VectorXd FreeParameters::of(std::span<const double> theta) const {
  Eigen::VectorXd phi(size());
  for (int k = 0; k < size(); ++k) {
    const double x = theta[entries_[k].index];
    phi[k] = entries_[k].range == Range::positive ? std::log(x) : x;
  }
  return phi;
}

void FreeParameters::put(const Eigen::VectorXd& phi, std::span<double> theta) const {
  for (int k = 0; k < size(); ++k)
    theta[entries_[k].index] = entries_[k].range == Range::positive      ? std::exp(phi[k])
                               : entries_[k].range == Range::nonnegative ? std::max(0.0, phi[k])
                                                                         : phi[k];
}

Eigen::VectorXd FreeParameters::slopes(std::span<const double> theta) const {
  Eigen::VectorXd slope(size());
  for (int k = 0; k < size(); ++k)
    slope[k] = entries_[k].range == Range::positive ? theta[entries_[k].index] : 1;
  return slope;
}

// Primal active-set method: on the entries that are not held at their bounds the minimum, or as far
// towards it as the first bound; at a minimum, what would rather leave its bound is released.
Eigen::VectorXd FreeParameters::step(const Eigen::MatrixXd& S, const Eigen::VectorXd& g,
                                     const Eigen::VectorXd& phi) const {
  Eigen::VectorXd d = Eigen::VectorXd::Zero(size());
  std::vector<bool> held(size());
  for (int k = 0; k < size(); ++k) held[k] = bounded(k) && phi[k] <= 0 && g[k] > 0;
  for (int round = 0; round < 10 * size(); ++round) {
    std::vector<int> moving;
    for (int k = 0; k < size(); ++k)
      if (!held[k]) moving.push_back(k);
    const Eigen::VectorXd slope = g + S * d;
    const Eigen::MatrixXd own = S(moving, moving);
    const Eigen::VectorXd target = solve(own, -slope(moving));
    double length = 1;
    int first = -1;
    for (std::size_t i = 0; i < moving.size(); ++i) {
      const int k = moving[i];
      const double room = phi[k] + d[k], move = target[static_cast<int>(i)];
      if (bounded(k) && room + length * move < 0) {
        length = std::max(0.0, room / -move);
        first = k;
      }
    }
    for (std::size_t i = 0; i < moving.size(); ++i)
      d[moving[i]] += length * target[static_cast<int>(i)];
    if (first >= 0) {
      d[first] = -phi[first];
      held[first] = true;
      continue;
    }
    const Eigen::VectorXd after = g + S * d;
    int release = -1;
    for (int k = 0; k < size(); ++k)
      if (held[k] && after[k] < -1e-9 * std::abs(g[k]) &&
          (release < 0 || after[k] < after[release]))
        release = k;
    if (release < 0) break;
    held[release] = false;
  }
  return d;
}

}  // namespace mechfit
