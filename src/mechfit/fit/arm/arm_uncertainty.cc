#include "mechfit/fit/arm/arm_uncertainty.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/evaluate/torque_error.h"
#include "mechfit/evaluate/torque_window.h"
#include "mechfit/mechanics/families/arm/arm.h"

namespace mechfit {
namespace {

// Correlations below this are noise of their estimate.
constexpr double kLeastCorrelation = 0.05;
// A combination is not told by the torques when its relative standard deviation is above this, and
// has a part of those entries that are above this share of its largest: as for analytic systems.
constexpr double kVague = 1.0, kShare = 0.1;

// Stretches of samples that count as one, 1 + 2 sum of the correlations of the torque's mean error
// [n].
std::vector<double> stretches_per_one(const Model& model, const Samples& s, ThreadPool& pool) {
  const MotionView points = motion_view(s);
  const Torques torques = predict_torques(model, points, pool);
  const std::vector<Stretch> parts = stretches(points, torque_window(points));
  const std::vector<double> applied = stretch_means(parts, torques.applied, s.n);
  const std::vector<double> predicted = stretch_means(parts, torques.predicted, s.n);
  const int size = static_cast<int>(parts.size());
  std::vector<double> out(s.n, 1.0);
  pool.run(s.n, [&](int j, int) {
    std::vector<double> error(size);
    double variance = 0;
    for (int k = 0; k < size; ++k) {
      const std::size_t at = static_cast<std::size_t>(k) * s.n + j;
      error[k] = predicted[at] - applied[at];
      variance += error[k] * error[k];
    }
    for (int lag = 1; lag < size / 4; ++lag) {
      double product = 0;
      for (int k = lag; k < size; ++k) product += error[k] * error[k - lag];
      if (!(product > kLeastCorrelation * variance)) break;
      out[j] += 2 * product / variance;
    }
  });
  return out;
}

}  // namespace

void add_arm_uncertainty(const FreeParameters& free, const ConsistentFit& found,
                         const Samples& samples, ThreadPool& pool, TorqueFit& fit) {
  const std::vector<double> alike = stretches_per_one(fit.model, samples, pool);
  const int size = free.size(), p = fit.model.parameter_count();
  Eigen::MatrixXd S = Eigen::MatrixXd::Zero(size, size);
  for (std::size_t i = 0; i < alike.size(); ++i) S += found.joint_information[i] / alike[i];
  // Each parameter in units of its own size; friction, which may be zero, in those of its error.
  Eigen::VectorXd unit(size);
  for (int k = 0; k < size; ++k)
    unit[k] = free.index(k) < kLinkNumbers * fit.model.joints()
                  ? free.unit(k)
                  : 1 / std::sqrt(std::max(S(k, k), 1e-300));
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(unit.asDiagonal() * S *
                                                             unit.asDiagonal());
  // What the torques do not tell is as unsure as it was before.
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> known(
      unit.asDiagonal() * (S + found.prior_information) * unit.asDiagonal());
  const Eigen::MatrixXd covariance = known.eigenvectors() *
                                     known.eigenvalues()
                                         .cwiseMax(1e-12 * known.eigenvalues().maxCoeff())
                                         .cwiseInverse()
                                         .asDiagonal() *
                                     known.eigenvectors().transpose();
  std::vector<bool> vague(size, false);
  int told = 0;
  for (int k = 0; k < size; ++k) {
    const Eigen::VectorXd direction = eigen.eigenvectors().col(k);
    const double value = eigen.eigenvalues()[k];
    const double links =
        direction.head(std::min(size, kLinkNumbers * fit.model.joints())).squaredNorm();
    if (value * kVague * kVague > 1 || links < 0.5) {
      told += links > 0.5;
      continue;
    }
    for (int i = 0; i < size; ++i)
      vague[i] = vague[i] || std::abs(direction[i]) > kShare * direction.cwiseAbs().maxCoeff();
  }
  fit.covariance.assign(static_cast<std::size_t>(p) * p, 0.0);
  fit.standard_errors.assign(p, 0.0);
  for (int k = 0; k < size; ++k) {
    for (int l = 0; l < size; ++l)
      fit.covariance[static_cast<std::size_t>(free.index(k)) * p + free.index(l)] =
          unit[k] * unit[l] * covariance(k, l);
    fit.standard_errors[free.index(k)] =
        vague[k] ? kInfinity : unit[k] * std::sqrt(covariance(k, k));
  }
  fit.notes.push_back(fmt::format(
      "the torques tell {} combinations of the links' masses, moments and inertias, of {} that act "
      "on any motion of this arm; the others keep what the fit began with",
      told, base_parameter_count(*fit.model.as<Arm>())));
}

}  // namespace mechfit
