#include "mechfit/fit/joint/joint_laplace.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mechfit {
namespace {

// A combination of constants is undetermined when its relative standard deviation is above this, by
// convention. For the double pendulum with nothing held (log N of joint_problem.h) 0.3 and 3 say
// the same.
constexpr double kVague = 1.0;
// What takes part in it: entries of its direction above this share of the largest. On the same log
// 0.03 no longer tells the masses' combination from that of lengths and gravity, 0.3 leaves out the
// friction of the latter.
constexpr double kShare = 0.1;

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t k = 0; k < names.size(); ++k)
    text += (k == 0 ? "" : k + 1 == names.size() ? " and " : ", ") + names[k];
  return text;
}

// In units where a change of one is a change of the constant's own size; a constant near zero is
// measured by how well it is known for itself.
Eigen::VectorXd relative_units(const FreeParameters& free, const Eigen::VectorXd& phi,
                               const Eigen::MatrixXd& S) {
  Eigen::VectorXd unit(free.size());
  for (int k = 0; k < free.size(); ++k) {
    unit[k] = free.unit(k);
    if (free.bounded(k))
      unit[k] = std::max(std::abs(phi[k]), 10 / std::sqrt(std::max(S(k, k), 1e-300)));
  }
  return unit;
}

}  // namespace

void add_uncertainty(JointGaussNewton& solver, const MotionNoise& noise, JointResult& result) {
  const FreeParameters& free = solver.parameters();
  const int p = solver.model().parameter_count(), size = free.size();
  const bool constants = solver.model().kind() == ParameterKind::constants;
  const Eigen::MatrixXd S = constants ? solver.data_information(noise) : solver.information(noise);
  if (S.size() == 0) return;
  const Eigen::VectorXd phi = free.from_theta(solver.model().parameters());
  const Eigen::VectorXd slope = free.slopes(solver.model().parameters());
  const Eigen::VectorXd unit =
      constants ? relative_units(free, phi, S) : Eigen::VectorXd(Eigen::VectorXd::Ones(size));
  const Eigen::MatrixXd relative = unit.asDiagonal() * S * unit.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(relative);
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(size, size);
  std::vector<bool> vague(size, false);
  for (int k = 0; k < size; ++k) {
    const Eigen::VectorXd direction = eigen.eigenvectors().col(k);
    // Not more than the prior allows
    const double variance = 1 / std::max(eigen.eigenvalues()[k], 1.0 / 9);
    covariance += variance * direction * direction.transpose();
    if (!constants || variance < kVague * kVague) continue;
    std::vector<std::string> names;
    for (int i = 0; i < size; ++i)
      if (std::abs(direction[i]) > kShare * direction.cwiseAbs().maxCoeff()) {
        names.push_back(free.name(i));
        vague[i] = true;
      }
    result.undetermined.push_back(names.size() == 1 ? names[0] + " is not determined by the motion"
                                                    : "the motion determines " + list(names) +
                                                          " only in combination");
  }
  result.covariance.assign(static_cast<std::size_t>(p) * p, 0.0);
  result.standard_errors.assign(p, 0.0);
  for (int k = 0; k < size; ++k) {
    for (int l = 0; l < size; ++l)
      result.covariance[static_cast<std::size_t>(free.index(k)) * p + free.index(l)] =
          slope[k] * slope[l] * unit[k] * unit[l] * covariance(k, l);
    result.standard_errors[free.index(k)] = vague[k]
                                                ? std::numeric_limits<double>::infinity()
                                                : slope[k] * unit[k] * std::sqrt(covariance(k, k));
  }
}

}  // namespace mechfit
