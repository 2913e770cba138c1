#include "mechfit/fit/contact/model_doubt.h"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <cmath>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

// Of the correlations' eigenvalues, which are p on average: below, rounding.
constexpr double kLeast = 1e-10;

// theta + change or theta - change, which say the same: what stays within the parameters' ranges;
// else nothing.
std::vector<double> moved_within(const Model& model, const Eigen::VectorXd& change) {
  const std::vector<ParameterInfo> info = model.parameters_info();
  for (const double side : {1.0, -1.0}) {
    std::vector<double> theta(model.parameters().begin(), model.parameters().end());
    bool within = true;
    for (std::size_t i = 0; i < theta.size(); ++i) {
      theta[i] += side * change[static_cast<Eigen::Index>(i)];
      const Range range = info[i].range;
      within = within && !(range == Range::nonnegative && theta[i] < 0) &&
               !(range == Range::positive && theta[i] <= 0);
    }
    if (within) return theta;
  }
  return {};
}

}  // namespace

ModelDoubt model_doubt(const Model& model, std::span<const double> covariance) {
  ModelDoubt out;
  const int p = model.parameter_count();
  if (covariance.empty()) return out;
  MECHFIT_CHECK(covariance.size() == static_cast<std::size_t>(p) * p);
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const Rows> all(covariance.data(), p, p);
  // Parameters have units of their own: by correlations.
  const Eigen::VectorXd sd = all.diagonal().cwiseMax(0).cwiseSqrt();
  const Eigen::VectorXd unit = sd.unaryExpr([](double x) { return x > 0 ? 1 / x : 0; });
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(unit.asDiagonal() * all *
                                                             unit.asDiagonal());
  for (int k = 0; k < p; ++k) {
    if (!(eigen.eigenvalues()[k] > kLeast)) continue;
    const Eigen::VectorXd r =
        std::sqrt(eigen.eigenvalues()[k]) * sd.cwiseProduct(eigen.eigenvectors().col(k));
    const std::vector<double> theta = moved_within(model, ModelDoubt::step * r);
    if (theta.empty()) continue;
    Model moved = model;
    moved.set_parameters(theta);
    out.along.push_back(std::move(moved));
  }
  return out;
}

}  // namespace mechfit
