#include "mechfit/mechanics/families/arm/regressor.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/families/arm/arm_geometry.h"

namespace mechfit {
namespace {

using Eigen::Matrix3d, Eigen::Vector3d;

// x'(I w) as a row of I's six numbers.
void inertia_row(const Vector3d& x, const Vector3d& w, double* row) {
  row[0] += x[0] * w[0];
  row[1] += x[0] * w[1] + x[1] * w[0];
  row[2] += x[0] * w[2] + x[2] * w[0];
  row[3] += x[1] * w[1];
  row[4] += x[1] * w[2] + x[2] * w[1];
  row[5] += x[2] * w[2];
}

Vector3d inertia_times(const double* I, const Vector3d& w) {
  return {I[0] * w[0] + I[1] * w[1] + I[2] * w[2], I[1] * w[0] + I[3] * w[1] + I[4] * w[2],
          I[2] * w[0] + I[4] * w[1] + I[5] * w[2]};
}

// Turn about an axis of length one.
Matrix3d turn_about(const Vector3d& z, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  Matrix3d R = (1 - c) * z * z.transpose();
  R.diagonal().array() += c;
  R(0, 1) -= s * z[2], R(1, 0) += s * z[2];
  R(0, 2) += s * z[1], R(2, 0) -= s * z[1];
  R(1, 2) -= s * z[0], R(2, 1) += s * z[0];
  return R;
}

}  // namespace

// With S = U3 U3' + t t' about the origin: I = tr(S) 1 - S.
Eigen::Matrix<double, kLinkNumbers, 1> link_moments(std::span<const double> u) {
  MECHFIT_CHECK(u.size() == kLinkNumbers);
  const double d = u[0], t1 = u[1], t2 = u[2], t3 = u[3];
  const double xx = u[4] * u[4] + u[5] * u[5] + u[6] * u[6] + t1 * t1;
  const double xy = u[5] * u[7] + u[6] * u[8] + t1 * t2;
  const double xz = u[6] * u[9] + t1 * t3;
  const double yy = u[7] * u[7] + u[8] * u[8] + t2 * t2;
  const double yz = u[8] * u[9] + t2 * t3;
  const double zz = u[9] * u[9] + t3 * t3;
  Eigen::Matrix<double, kLinkNumbers, 1> pi;
  pi << d * d, d * t1, d * t2, d * t3, yy + zz, -xy, -xz, xx + zz, -yz, xx + yy;
  return pi;
}

Eigen::Matrix<double, kLinkNumbers, kLinkNumbers> link_moments_slope(std::span<const double> u) {
  MECHFIT_CHECK(u.size() == kLinkNumbers);
  // Rows of the second moments xx xy xz yy yz zz to u.
  Eigen::Matrix<double, 6, kLinkNumbers> S = Eigen::Matrix<double, 6, kLinkNumbers>::Zero();
  S(0, 4) = 2 * u[4], S(0, 5) = 2 * u[5], S(0, 6) = 2 * u[6], S(0, 1) = 2 * u[1];
  S(1, 5) = u[7], S(1, 7) = u[5], S(1, 6) = u[8], S(1, 8) = u[6], S(1, 1) = u[2], S(1, 2) = u[1];
  S(2, 6) = u[9], S(2, 9) = u[6], S(2, 1) = u[3], S(2, 3) = u[1];
  S(3, 7) = 2 * u[7], S(3, 8) = 2 * u[8], S(3, 2) = 2 * u[2];
  S(4, 8) = u[9], S(4, 9) = u[8], S(4, 2) = u[3], S(4, 3) = u[2];
  S(5, 9) = 2 * u[9], S(5, 3) = 2 * u[3];
  Eigen::Matrix<double, kLinkNumbers, kLinkNumbers> out;
  out.setZero();
  out(0, 0) = 2 * u[0];
  for (int k = 1; k < 4; ++k) out(k, 0) = u[k], out(k, k) = u[0];
  out.row(4) = S.row(3) + S.row(5);
  out.row(5) = -S.row(1);
  out.row(6) = -S.row(2);
  out.row(7) = S.row(0) + S.row(5);
  out.row(8) = -S.row(4);
  out.row(9) = S.row(0) + S.row(3);
  return out;
}

// [S h; h' m] = [U3 t; 0 d] [U3 t; 0 d]': Cholesky from the last row up.
std::array<double, kLinkNumbers> link_numbers(const Eigen::Matrix<double, kLinkNumbers, 1>& pi) {
  const double d = std::sqrt(pi[0]);
  const Vector3d t = pi.segment<3>(1) / d;
  const double half = 0.5 * (pi[4] + pi[7] + pi[9]);
  const double xx = half - pi[4] - t[0] * t[0], xy = -pi[5] - t[0] * t[1];
  const double xz = -pi[6] - t[0] * t[2], yy = half - pi[7] - t[1] * t[1];
  const double yz = -pi[8] - t[1] * t[2], zz = half - pi[9] - t[2] * t[2];
  const double c = std::sqrt(zz), bc = yz / c, ac = xz / c;
  const double b = std::sqrt(yy - bc * bc), ab = (xy - ac * bc) / b;
  const double a = std::sqrt(xx - ab * ab - ac * ac);
  MECHFIT_CHECK(d > 0 && a > 0 && b > 0 && c > 0, "no body has such moments");
  return {d, t[0], t[1], t[2], a, ab, ac, b, bc, c};
}

ArmRegressor::ArmRegressor(const ArmKinematics& kinematics)
    : n_(kinematics.n()), gravity_(vector3(kinematics.gravity)), carries_(n_ * n_, 0) {
  for (int k = 0; k < n_; ++k) {
    const ArmJoint& joint = kinematics.joints[k];
    joints_.push_back({matrix3(joint.rotation), vector3(joint.place), vector3(joint.axis),
                       joint.parent, joint.kind == JointKind::revolute});
    for (int i = k; i >= 0; i = kinematics.joints[i].parent) carries_[i * n_ + k] = 1;
  }
}

ArmRegressor::Workspace ArmRegressor::make_workspace() const {
  Workspace w;
  w.links.resize(n_);
  w.axis.assign(n_ * n_, Vector3d::Zero());
  w.lever = w.axis;
  return w;
}

// Velocities and accelerations of the frames, each along its own axes.
void ArmRegressor::move(std::span<const double> q, std::span<const double> v,
                        std::span<const double> a, Workspace& w) const {
  for (int k = 0; k < n_; ++k) {
    const Joint& joint = joints_[k];
    Workspace::Link& link = w.links[k];
    link.R = joint.rotation;
    link.p = joint.place;
    if (joint.turns)
      link.R *= turn_about(joint.axis, q[k]);
    else
      link.p += joint.rotation * joint.axis * q[k];
    const bool base = joint.parent < 0;
    const Vector3d turn = base ? Vector3d::Zero() : w.links[joint.parent].turn;
    const Vector3d rate = base ? Vector3d::Zero() : w.links[joint.parent].turn_rate;
    const Vector3d before = base ? Vector3d(-gravity_) : w.links[joint.parent].acceleration;
    link.turn = link.R.transpose() * turn;
    link.turn_rate = link.R.transpose() * rate;
    link.acceleration =
        link.R.transpose() * (before + rate.cross(link.p) + turn.cross(turn.cross(link.p)));
    const Vector3d along = joint.axis * v[k];
    if (joint.turns) {
      link.turn_rate += joint.axis * a[k] + link.turn.cross(along);
      link.turn += along;
    } else {
      link.acceleration += joint.axis * a[k] + 2 * link.turn.cross(along);
    }
  }
}

// The wrench that link k needs, f = m acc + wd x h + w x (w x h), t = h x acc + I wd + w x I w,
// does work with the motion that joint j of speed one gives it: origin along `lever`, turning by
// `axis`.
void ArmRegressor::rows(std::span<const double> q, std::span<const double> v,
                        std::span<const double> a, double* y, Workspace& w) const {
  move(q, v, a, w);
  const int columns = kLinkNumbers * n_;
  std::fill_n(y, n_ * columns, 0.0);
  for (int k = 0; k < n_; ++k) {
    const Workspace::Link& link = w.links[k];
    const int parent = joints_[k].parent;
    for (int j = 0; j <= k; ++j) {
      if (!carries(j, k)) continue;
      Vector3d &axis = w.axis[k * n_ + j], &lever = w.lever[k * n_ + j];
      if (j == k) {
        axis = joints_[k].turns ? joints_[k].axis : Vector3d::Zero();
        lever = joints_[k].turns ? Vector3d::Zero() : joints_[k].axis;
      } else {
        const Vector3d& before = w.axis[parent * n_ + j];
        axis = link.R.transpose() * before;
        lever = link.R.transpose() * (w.lever[parent * n_ + j] + before.cross(link.p));
      }
      double* row = y + j * columns + k * kLinkNumbers;
      row[0] = lever.dot(link.acceleration);
      // lever'(wd x h) = (lever x wd)'h, lever'(w x (w x h)) = ((lever x w) x w)'h
      const Vector3d h = lever.cross(link.turn_rate) + lever.cross(link.turn).cross(link.turn) -
                         axis.cross(link.acceleration);
      for (int i = 0; i < 3; ++i) row[1 + i] = h[i];
      inertia_row(axis, link.turn_rate, row + 4);
      inertia_row(axis.cross(link.turn), link.turn, row + 4);
    }
  }
}

void ArmRegressor::torques(std::span<const double> q, std::span<const double> v,
                           std::span<const double> a, std::span<const double> pi, double* tau,
                           Workspace& w) const {
  move(q, v, a, w);
  for (int k = 0; k < n_; ++k) {
    Workspace::Link& link = w.links[k];
    const double* own = pi.data() + k * kLinkNumbers;
    const Vector3d h(own[1], own[2], own[3]);
    link.force =
        own[0] * link.acceleration + link.turn_rate.cross(h) + link.turn.cross(link.turn.cross(h));
    link.moment = h.cross(link.acceleration) + inertia_times(own + 4, link.turn_rate) +
                  link.turn.cross(inertia_times(own + 4, link.turn));
  }
  for (int k = n_ - 1; k >= 0; --k) {
    const Workspace::Link& link = w.links[k];
    tau[k] = joints_[k].axis.dot(joints_[k].turns ? link.moment : link.force);
    if (joints_[k].parent < 0) continue;
    Workspace::Link& before = w.links[joints_[k].parent];
    const Vector3d force = link.R * link.force;
    before.force += force;
    before.moment += link.R * link.moment + link.p.cross(force);
  }
}

}  // namespace mechfit
