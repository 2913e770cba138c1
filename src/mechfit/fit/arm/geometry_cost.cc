#include "mechfit/fit/arm/geometry_cost.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

// Links of an arm whose torques are 15 N m: sizes of mass, first moment and inertia.
constexpr double kTorque = 15, kMass = 3, kMoment = 0.5, kInertia = 0.1;
// Of one over the samples' number: weak against any torque that a link makes.
constexpr double kRidge = 1e-4;
// Of a torque's own size: less is rounding.
constexpr double kSmallestError = 1e-4;

}  // namespace

GeometryCost::GeometryCost(const Arm& forces, const Samples& samples,
                           const std::vector<Stretch>& stretches)
    : n_(forces.joints()), size_(static_cast<int>(stretches.size())) {
  MECHFIT_CHECK(size_ > 0);
  const TorqueRows rows(forces);
  auto w = rows.make_workspace();
  y_ = Eigen::VectorXd::Zero(n_ * size_);
  std::vector<Eigen::MatrixXd> own(n_);
  const int bodies = kLinkNumbers * n_;
  for (int i = 0; i < n_; ++i) {
    int count = 0;
    for (const int k : rows.columns(i)) count += k >= bodies;
    own[i] = Eigen::MatrixXd::Zero(size_, count);
  }
  for (int s = 0; s < size_; ++s) {
    const auto [first, count] = stretches[s];
    for (int k = 0; k < count; k += kBlock) {
      rows.load(samples, first + k, std::min(kBlock, count - k), w);
      for (int i = 0; i < n_; ++i) {
        y_[i * size_ + s] += w.y.col(i).sum() / count;
        int to = 0;
        for (std::size_t c = 0; c < rows.columns(i).size(); ++c)
          if (rows.columns(i)[c] >= bodies)
            own[i](s, to++) += w.X[i].col(static_cast<int>(c)).sum() / count;
      }
    }
  }
  q_ = stretch_means(stretches, samples.q, n_);
  v_ = stretch_means(stretches, samples.v, n_);
  a_ = stretch_means(stretches, samples.a, n_);
  double largest = 0;
  for (int i = 0; i < n_; ++i) {
    auto torque = y_.segment(i * size_, size_);
    const double sd = std::sqrt((torque.array() - torque.mean()).square().mean());
    weight_.push_back(1 / std::max(sd, 1e-12));
    largest = std::max(largest, sd);
    // An orthonormal basis of the friction's functions, those that do not move left out.
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(own[i]);
    qr.setThreshold(1e-9);
    friction_.push_back(
        Eigen::MatrixXd(qr.householderQ() * Eigen::MatrixXd::Identity(size_, qr.rank())));
    Eigen::MatrixXd column = torque * weight_[i];
    project(i, column);
    torque = column;
  }
  unit_.resize(bodies);
  for (int k = 0; k < bodies; ++k)
    unit_[k] = (k % kLinkNumbers == 0  ? kMass
                : k % kLinkNumbers < 4 ? kMoment
                                       : kInertia) *
               largest / kTorque;
  ridge_ = kRidge * size_;
}

GeometryCost::Workspace GeometryCost::make_workspace() const {
  Workspace w;
  const int bodies = kLinkNumbers * n_;
  w.X = Eigen::MatrixXd::Zero(n_ * size_, bodies);
  w.row.resize(static_cast<std::size_t>(n_) * bodies);
  w.tau.resize(n_);
  return w;
}

void GeometryCost::weigh_by_errors(const ArmKinematics& kinematics) {
  Workspace w = make_workspace();
  value(kinematics, w);
  for (int i = 0; i < n_; ++i) {
    auto y = y_.segment(i * size_, size_);
    const double rms = std::max(w.e.segment(i * size_, size_).norm(), kSmallestError * y.norm()) /
                       std::sqrt(size_);
    weight_[i] /= rms;
    y /= rms;
  }
  ridge_ = 1;
}

void GeometryCost::project(int joint, Eigen::Ref<Eigen::MatrixXd> columns) const {
  const Eigen::MatrixXd& Q = friction_[joint];
  columns.noalias() -= Q * (Q.transpose() * columns).eval();
}

double GeometryCost::value(const ArmKinematics& kinematics, Workspace& w) const {
  const ArmRegressor regressor(kinematics);
  auto memory = regressor.make_workspace();
  const int bodies = kLinkNumbers * n_;
  for (int s = 0; s < size_; ++s) {
    const std::size_t at = static_cast<std::size_t>(s) * n_;
    regressor.rows({q_.data() + at, static_cast<std::size_t>(n_)},
                   {v_.data() + at, static_cast<std::size_t>(n_)},
                   {a_.data() + at, static_cast<std::size_t>(n_)}, w.row.data(), memory);
    for (int i = 0; i < n_; ++i)
      for (int k = kLinkNumbers * i; k < bodies; ++k)
        w.X(i * size_ + s, k) =
            w.row[static_cast<std::size_t>(i) * bodies + k] * weight_[i] * unit_[k];
  }
  // Joint i of a chain moves links i and later.
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(bodies, bodies);
  Eigen::VectorXd b = Eigen::VectorXd::Zero(bodies);
  for (int i = 0; i < n_; ++i) {
    const int first = kLinkNumbers * i, count = bodies - first;
    auto block = w.X.block(i * size_, first, size_, count);
    project(i, block);
    G.bottomRightCorner(count, count).selfadjointView<Eigen::Lower>().rankUpdate(block.transpose());
    b.tail(count).noalias() += block.transpose() * y_.segment(i * size_, size_);
  }
  G.diagonal().array() += ridge_;
  w.gram.compute(G);
  w.z = w.gram.solve(b);
  w.e.resize(n_ * size_ + bodies);
  w.e.head(n_ * size_) = y_ - w.X * w.z;
  w.e.tail(bodies) = -std::sqrt(ridge_) * w.z;
  return w.e.squaredNorm() / (n_ * size_);
}

void GeometryCost::torques(const ArmKinematics& kinematics, Eigen::VectorXd& out,
                           Workspace& w) const {
  const ArmRegressor regressor(kinematics);
  auto memory = regressor.make_workspace();
  const std::span<const double> pi(w.pi.data(), static_cast<std::size_t>(w.pi.size()));
  const std::size_t n = static_cast<std::size_t>(n_);
  out.resize(n_ * size_);
  for (int s = 0; s < size_; ++s) {
    const std::size_t at = s * n;
    regressor.torques({q_.data() + at, n}, {v_.data() + at, n}, {a_.data() + at, n}, pi,
                      w.tau.data(), memory);
    for (int i = 0; i < n_; ++i) out[i * size_ + s] = w.tau[i];
  }
}

void GeometryCost::linearise(const ArmKinematics& kinematics, Workspace& w) const {
  w.pi = w.z.cwiseProduct(unit_);
  torques(kinematics, w.torques, w);
}

// With A = [X; sqrt(lambda)] and the projector Q = 1 - A (A'A)^-1 A', de/deta = -Q [dX z; 0] but
// for a term of the order of e itself.
void GeometryCost::slope(const ArmKinematics& moved, double step, Eigen::Ref<Eigen::VectorXd> out,
                         Workspace& w) const {
  torques(moved, w.moved, w);
  Eigen::MatrixXd change = (w.moved - w.torques) / step;
  for (int i = 0; i < n_; ++i) {
    auto own = change.middleRows(i * size_, size_);
    own *= weight_[i];
    project(i, own);
  }
  const Eigen::VectorXd follows = w.gram.solve(w.X.transpose() * change);
  out.head(n_ * size_) = w.X * follows - change;
  out.tail(follows.size()) = std::sqrt(ridge_) * follows;
}

}  // namespace mechfit
