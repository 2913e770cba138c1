#include "mechfit/fit/contact/model_doubt.h"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <cmath>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

// Of the correlations' eigenvalues, which are p on average: below, rounding.
constexpr double kLeast = 1e-10;

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
    std::vector<double> theta(model.parameters().begin(), model.parameters().end());
    for (int i = 0; i < p; ++i) theta[i] += ModelDoubt::step * r[i];
    Model moved = model;
    moved.set_parameters(theta);
    out.along.push_back(std::move(moved));
  }
  return out;
}

}  // namespace mechfit
