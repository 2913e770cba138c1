#include "mechfit/evaluate/ensemble.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/base/random.h"
#include "mechfit/log/refine.h"
#include "mechfit/log/steps.h"

namespace mechfit {
namespace {

// Models drawn where a file holds a covariance: one for each prediction (predictions.h).
constexpr int kDraws = 39;
// Directions with a larger relative deviation are not drawn along: a normal distribution so wide
// would change the sign of a constant in one draw of forty. Those that the data do not determine
// have a deviation of 3 (the prior's, joint_laplace.cc), so 0.2 and 1 give the same draws; 10 draws
// along them too, and the 90 % band of a double pendulum's accelerations then holds 99 %.
constexpr double kWidestDraw = 0.5;

// Error of an inner step relative to its motion. That of a model without data, whose equations are
// what they are: 15 steps a radian of the fastest turn, 1.5 for Runge-Kutta's method.
constexpr double kExact = 1e-3;
// A model that was fitted on steps of the midpoint rule has learned their error with the rest, and
// predicts best on such steps; only where the rule has little to do with the motion, from about
// 1.5 steps a radian, it is helped.
constexpr double kFitted = 0.02;
// Pieces of a step on which an input that is not held is given.
constexpr int kInputPieces = 4;

}  // namespace

std::vector<Model> draw_members(const Model& model, std::span<const double> covariance, int count,
                                std::uint64_t seed) {
  const int p = model.parameter_count();
  MECHFIT_CHECK(covariance.size() == static_cast<std::size_t>(p) * p);
  const bool constants = model.kind() == ParameterKind::constants;
  const std::vector<ParameterInfo> info = model.parameters_info();
  const auto theta = model.parameters();
  Eigen::VectorXd unit = Eigen::VectorXd::Ones(p);
  for (int k = 0; constants && k < p; ++k)
    if (theta[k] != 0) unit[k] = std::abs(theta[k]);
  Eigen::MatrixXd relative(p, p);
  for (int k = 0; k < p; ++k)
    for (int l = 0; l < p; ++l) relative(k, l) = covariance[k * p + l] / (unit[k] * unit[l]);
  // relative = U d U': theta + unit U sqrt(d) z
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(relative);
  Eigen::VectorXd deviation = eigen.eigenvalues().cwiseMax(0.0).cwiseSqrt();
  for (double& d : deviation)
    if (constants && d > kWidestDraw) d = 0;
  std::vector<Model> members;
  for (int k = 0; k < count; ++k) {
    Random random(seed, static_cast<std::uint64_t>(k));
    Eigen::VectorXd z(p);
    for (double& x : z) x = random.normal();
    const Eigen::VectorXd step =
        unit.cwiseProduct(eigen.eigenvectors() * deviation.cwiseProduct(z));
    std::vector<double> drawn(theta.begin(), theta.end());
    for (int i = 0; i < p; ++i) {
      drawn[i] += step[i];
      const Range range = constants ? info[i].range : Range::any;
      if (range == Range::nonnegative) drawn[i] = std::max(0.0, drawn[i]);
      if (range == Range::positive && drawn[i] <= 0) drawn[i] = theta[i];
    }
    members.push_back(model);
    members.back().set_parameters(drawn);
  }
  return members;
}

int substeps_for(const Ensemble& ensemble, double h) {
  if (!(ensemble.grid() > 0)) return 1;
  return std::clamp(static_cast<int>(std::ceil(h / ensemble.grid() - kSameStep)), 1, kMostParts);
}

RolloutSteps rollout_steps(const Ensemble& ensemble, int asked, double h) {
  if (asked > 0) return {asked, {}};
  const bool held = !ensemble.timing || ensemble.timing->as_logged();
  return {std::max(substeps_for(ensemble, h), held ? 1 : kInputPieces),
          {ensemble.grid(), ensemble.knowledge ? kFitted : kExact}};
}

Ensemble ensemble_of(const ModelRecord& record) {
  Ensemble ensemble{record.model,     record.members, !record.members.empty(),
                    record.knowledge, record.timing,  record.contacts};
  if (!ensemble.mean && !record.covariance.empty())
    ensemble.members = draw_members(record.model, record.covariance, kDraws, 0);
  return ensemble;
}

}  // namespace mechfit
