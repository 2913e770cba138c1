#include "mechfit/fit/arm/link_cone.h"

#include <array>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"

namespace mechfit {
namespace {

// J = sum of pi_k E_k.
const std::array<Eigen::Matrix4d, kLinkNumbers>& basis() {
  static const std::array<Eigen::Matrix4d, kLinkNumbers> E = [] {
    std::array<Eigen::Matrix4d, kLinkNumbers> out;
    for (int k = 0; k < kLinkNumbers; ++k) out[k] = pseudo_inertia(LinkMoments::Unit(k));
    return out;
  }();
  return E;
}

// Of J, or +infinity outside the cone.
double minus_log_det(const Eigen::Matrix4d& J) {
  const Eigen::LLT<Eigen::Matrix4d> cholesky(J);
  if (cholesky.info() != Eigen::Success) return kInfinity;
  const double sum = cholesky.matrixLLT().diagonal().array().log().sum();
  return std::isfinite(sum) ? -2 * sum : kInfinity;
}

}  // namespace

Eigen::Matrix4d pseudo_inertia(const LinkMoments& pi) {
  Eigen::Matrix3d I;
  I << pi[4], pi[5], pi[6], pi[5], pi[7], pi[8], pi[6], pi[8], pi[9];
  Eigen::Matrix4d J;
  J.topLeftCorner<3, 3>() = 0.5 * I.trace() * Eigen::Matrix3d::Identity() - I;
  J.topRightCorner<3, 1>() = pi.segment<3>(1);
  J.bottomLeftCorner<1, 3>() = pi.segment<3>(1).transpose();
  J(3, 3) = pi[0];
  return J;
}

// With J = L L' the matrix 1 + t L^-1 dJ L^-T turns singular at t = -1 / its least eigenvalue.
double room_of(const LinkMoments& pi, const LinkMoments& step) {
  const Eigen::LLT<Eigen::Matrix4d> cholesky(pseudo_inertia(pi));
  MECHFIT_CHECK(cholesky.info() == Eigen::Success);
  const Eigen::Matrix4d half = cholesky.matrixL().solve(pseudo_inertia(step));
  const Eigen::Matrix4d turned = cholesky.matrixL().solve(half.transpose());
  const double least =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d>(turned, Eigen::EigenvaluesOnly)
          .eigenvalues()[0];
  return least < 0 ? -1 / least : kInfinity;
}

LinkDivergence::LinkDivergence(const LinkMoments& expected) {
  const Eigen::Matrix4d J = pseudo_inertia(expected);
  log_det_ = -minus_log_det(J);
  MECHFIT_CHECK(std::isfinite(log_det_));
  inverse_ = J.inverse();
}

double LinkDivergence::value(const LinkMoments& pi) const {
  const Eigen::Matrix4d J = pseudo_inertia(pi);
  return inverse_.cwiseProduct(J).sum() + minus_log_det(J) + log_det_ - 4;
}

// dD/dpi_k = tr((J0^-1 - J^-1) E_k),   d2D/dpi_k dpi_l = tr(J^-1 E_k J^-1 E_l)
void LinkDivergence::add_derivatives(const LinkMoments& pi, double weight,
                                     Eigen::Ref<Eigen::VectorXd> g,
                                     Eigen::Ref<Eigen::MatrixXd> H) const {
  const Eigen::Matrix4d inverse = pseudo_inertia(pi).inverse(), pull = inverse_ - inverse;
  std::array<Eigen::Matrix4d, kLinkNumbers> A;
  for (int k = 0; k < kLinkNumbers; ++k) {
    A[k] = inverse * basis()[k];
    g[k] += weight * pull.cwiseProduct(basis()[k]).sum();
  }
  for (int k = 0; k < kLinkNumbers; ++k)
    for (int l = 0; l < kLinkNumbers; ++l)
      H(k, l) += weight * A[k].cwiseProduct(A[l].transpose()).sum();
}

}  // namespace mechfit
