#include "mechfit/fit/joint/free_parameters.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

// For S that is positive definite but for rounding.
Eigen::VectorXd solve(const Eigen::MatrixXd& S, const Eigen::VectorXd& b) {
  const Eigen::LLT<Eigen::MatrixXd> cholesky(S);
  if (cholesky.info() == Eigen::Success) return cholesky.solve(b);
  return S.ldlt().solve(b);
}

}  // namespace

FreeParameters::FreeParameters(const Model& model, std::span<const int> fixed) {
  std::vector<ParameterInfo> all = model.parameters_info();
  for (int k = 0; k < model.parameter_count(); ++k)
    if (std::find(fixed.begin(), fixed.end(), k) == fixed.end())
      entries_.push_back({k, std::move(all[k])});
}

std::vector<double> FreeParameters::precisions() const {
  std::vector<double> out;
  for (const Entry& entry : entries_) out.push_back(entry.info.prior_precision);
  return out;
}

Eigen::VectorXd FreeParameters::from_theta(std::span<const double> theta) const {
  Eigen::VectorXd phi(size());
  for (int k = 0; k < size(); ++k) {
    const double x = theta[entries_[k].index];
    phi[k] = entries_[k].info.range == Range::positive ? std::log(x) : x;
  }
  return phi;
}

void FreeParameters::to_theta(const Eigen::VectorXd& phi, std::span<double> theta) const {
  for (int k = 0; k < size(); ++k)
    theta[entries_[k].index] = entries_[k].info.range == Range::positive ? std::exp(phi[k])
                               : entries_[k].info.range == Range::nonnegative
                                   ? std::max(0.0, phi[k])
                                   : phi[k];
}

Eigen::VectorXd FreeParameters::slopes(std::span<const double> theta) const {
  Eigen::VectorXd slope(size());
  for (int k = 0; k < size(); ++k)
    slope[k] = entries_[k].info.range == Range::positive ? theta[entries_[k].index] : 1;
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
    const Eigen::MatrixXd part = S(moving, moving);
    const Eigen::VectorXd target = solve(part, -slope(moving));
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
