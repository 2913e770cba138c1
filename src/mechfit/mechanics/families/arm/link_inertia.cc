#include "mechfit/mechanics/families/arm/link_inertia.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

Eigen::Matrix3d spread_of(const Eigen::Matrix3d& inertia) {
  return 0.5 * inertia.trace() * Eigen::Matrix3d::Identity() - inertia;
}
Eigen::Matrix3d inertia_of(const Eigen::Matrix3d& S) {
  return S.trace() * Eigen::Matrix3d::Identity() - S;
}

}  // namespace

LinkInertia link_inertia(std::span<const double> u) {
  MECHFIT_CHECK(u.size() == kLinkNumbers);
  Eigen::Matrix3d U3;
  U3 << u[4], u[5], u[6], 0, u[7], u[8], 0, 0, u[9];
  LinkInertia body;
  body.mass = u[0] * u[0];
  body.centre = Eigen::Vector3d(u[1], u[2], u[3]) / u[0];
  body.inertia = inertia_of(U3 * U3.transpose());
  return body;
}

std::array<double, kLinkNumbers> link_numbers(const LinkInertia& body) {
  MECHFIT_CHECK(body.mass > 0);
  const double d = std::sqrt(body.mass);
  const Eigen::Vector3d t = body.centre * d;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(spread_of(body.inertia));
  const Eigen::Vector3d values = eigen.eigenvalues().cwiseMax(kThinnest * kThinnest * body.mass);
  const Eigen::Matrix3d S =
      eigen.eigenvectors() * values.asDiagonal() * eigen.eigenvectors().transpose();
  // S = U3 U3' with U3 upper triangular: Cholesky from the last row up.
  const double c = std::sqrt(S(2, 2)), bc = S(1, 2) / c, ac = S(0, 2) / c;
  const double b = std::sqrt(S(1, 1) - bc * bc), ab = (S(0, 1) - ac * bc) / b;
  const double a = std::sqrt(S(0, 0) - ab * ab - ac * ac);
  return {d, t[0], t[1], t[2], a, ab, ac, b, bc, c};
}

LinkInertia moved(const LinkInertia& body, const Eigen::Matrix3d& R, const Eigen::Vector3d& p) {
  return {body.mass, R * body.centre + p, R * body.inertia * R.transpose()};
}

LinkInertia joined(const LinkInertia& a, const LinkInertia& b) {
  LinkInertia sum;
  sum.mass = a.mass + b.mass;
  if (!(sum.mass > 0)) return sum;
  sum.centre = (a.mass * a.centre + b.mass * b.centre) / sum.mass;
  for (const LinkInertia* part : {&a, &b}) {
    const Eigen::Vector3d r = part->centre - sum.centre;
    sum.inertia += part->inertia + part->mass * inertia_of(r * r.transpose());
  }
  return sum;
}

}  // namespace mechfit
