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
// Groups of parts are so many times as long as errors are alike, which misses a tenth of their
// correlation, unless fewer groups would be left than these: they tell a variance to a third.
constexpr double kLong = 4;
constexpr int kFewestGroups = 16;

// Stretches of samples whose errors are alike, 1 + 2 sum of the correlations of the torque's mean
// error, of the joint with most of them.
double stretches_alike(const Model& model, const Samples& s, ThreadPool& pool) {
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
  return *std::max_element(out.begin(), out.end());
}

// V of the scores of parts that follow each other, groups of them as long as `length` parts or
// more.
Eigen::MatrixXd scatter(const Eigen::MatrixXd& scores, double length) {
  const int parts = static_cast<int>(scores.cols());
  const int fewest = std::min(parts, kFewestGroups);
  const int groups = std::clamp(static_cast<int>(parts / length), fewest, parts);
  Eigen::MatrixXd V = Eigen::MatrixXd::Zero(scores.rows(), scores.rows());
  for (int k = 0; k < groups; ++k) {
    const int first = k * parts / groups, end = (k + 1) * parts / groups;
    const Eigen::VectorXd sum = scores.middleCols(first, end - first).rowwise().sum();
    V += sum * sum.transpose();
  }
  return V * (groups / std::max(1.0, groups - 1.0));
}

}  // namespace

void add_arm_uncertainty(const FreeParameters& free, const ConsistentFit& found,
                         const Samples& samples, ThreadPool& pool, TorqueFit& fit) {
  const int size = free.size(), p = fit.model.parameter_count();
  const Eigen::MatrixXd& S = found.information;
  // Each parameter in units of its own size; friction, which may be zero, in those of its error.
  Eigen::VectorXd unit(size);
  for (int k = 0; k < size; ++k)
    unit[k] = free.index(k) < kLinkNumbers * fit.model.joints()
                  ? free.unit(k)
                  : 1 / std::sqrt(std::max(S(k, k), 1e-300));
  const auto scaled = [&](const Eigen::MatrixXd& X) -> Eigen::MatrixXd {
    return unit.asDiagonal() * X * unit.asDiagonal();
  };
  const double stretches = found.stretches;
  const Eigen::MatrixXd V =
      scaled(scatter(found.scores, kLong * stretches_alike(fit.model, samples, pool) *
                                       static_cast<double>(found.scores.cols()) / stretches));
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(scaled(S));
  // What the torques do not tell is as unsure as it was before.
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> known(scaled(S + found.prior_information));
  const Eigen::MatrixXd inverse = known.eigenvectors() *
                                  known.eigenvalues()
                                      .cwiseMax(1e-12 * known.eigenvalues().maxCoeff())
                                      .cwiseInverse()
                                      .asDiagonal() *
                                  known.eigenvectors().transpose();
  const Eigen::MatrixXd covariance = inverse * (V + scaled(found.prior_information)) * inverse;
  std::vector<bool> vague(size, false);
  int told = 0;
  for (int k = 0; k < size; ++k) {
    const Eigen::VectorXd direction = eigen.eigenvectors().col(k);
    const double white = std::max(0.0, eigen.eigenvalues()[k]);
    const double value = white * white / std::max(direction.dot(V * direction), 1e-300);
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
