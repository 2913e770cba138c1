#include "mechfit/mechanics/families/arm/identified.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"
#include "mechfit/base/random.h"
#include "mechfit/mechanics/families/arm/arm_description.h"
#include "mechfit/mechanics/families/arm/regressor.h"

namespace mechfit {
namespace {

using Eigen::MatrixXd, Eigen::VectorXd;

constexpr int kNumbers = kLinkNumbers + 1;  // of each joint, with its rotor

// A combination below this share of the largest does not act; a number is one of those that act
// when no more than this of it lies outside of them.
constexpr double kNone = 1e-9, kOutside = 1e-6;
// A number is told when its deviation is below this share of what a link of the same mass has, a
// centre or a radius of gyration of 0.1 m.
constexpr double kTold = 0.5, kLength = 0.1;  // [m]
// Directions without variance, where a fit left out what its data did not tell.
constexpr double kNoVariance = 1e-14;
// Two files of one geometry agree to the digits that people write.
constexpr double kSameGeometry = 1e-4;

// Size of number k of a link of this mass.
double size_of(int k, double mass) {
  return mass * (k == 0 ? 1.0 : k < 4 ? kLength : kLength * kLength);
}

VectorXd numbers_of(const Arm& arm) {
  const int n = arm.joints();
  VectorXd x(kNumbers * n);
  for (int i = 0; i < n; ++i) {
    x.segment<kLinkNumbers>(kLinkNumbers * i) =
        link_moments(arm.parameters().subspan(kLinkNumbers * i, kLinkNumbers));
    x[kLinkNumbers * n + i] = arm.rotor(i);
  }
  return x;
}

// Largest difference of two geometries, joints in the same order; gravity aside.
double difference(const ArmKinematics& a, const ArmKinematics& b) {
  double worst = 0;
  for (int i = 0; i < a.n(); ++i) {
    const ArmJoint &x = a.joints[i], &y = b.joints[i];
    if (x.kind != y.kind || x.parent != y.parent) return kInfinity;
    for (int k = 0; k < 9; ++k) worst = std::max(worst, std::abs(x.rotation[k] - y.rotation[k]));
    for (int k = 0; k < 3; ++k)
      worst = std::max({worst, std::abs(x.place[k] - y.place[k]), std::abs(x.axis[k] - y.axis[k])});
  }
  return worst;
}

std::string told_in_words(const std::string& joint, const LinkKnowledge& known) {
  std::vector<std::string> told;
  for (int k = 0; k < kLinkNumbers; ++k)
    if (known.told[k]) told.emplace_back(kMomentNames[k]);
  if (told.size() == kLinkNumbers) return {};
  return fmt::format(
      "{}: the torques tell {} by {}; its other numbers only together with those of other links: "
      "they are one choice of many that move alike",
      joint, told.empty() ? "none of its numbers" : fmt::format("{}", fmt::join(told, ", ")),
      told.size() == 1 ? "itself" : "themselves");
}

}  // namespace

MatrixXd acting_combinations(const ArmKinematics& kinematics) {
  constexpr int kStates = 400;  // 7 joints have 77 numbers
  const ArmRegressor regressor(kinematics);
  const int n = kinematics.n();
  auto w = regressor.make_workspace();
  Random random(1);
  MatrixXd gram = MatrixXd::Zero(kNumbers * n, kNumbers * n);
  std::vector<double> q(n), v(n), a(n), y(static_cast<std::size_t>(kLinkNumbers) * n * n);
  for (int state = 0; state < kStates; ++state) {
    for (auto* x : {&q, &v, &a})
      for (double& value : *x) value = random.uniform(-3, 3);
    regressor.rows(q, v, a, y.data(), w);
    for (int i = 0; i < n; ++i) {
      VectorXd row = VectorXd::Zero(kNumbers * n);
      row.head(kLinkNumbers * n) = Eigen::Map<const VectorXd>(
          y.data() + static_cast<std::size_t>(kLinkNumbers) * n * i, kLinkNumbers * n);
      row[kLinkNumbers * n + i] = a[i];
      gram += row * row.transpose();
    }
  }
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(gram);
  int none = 0;
  while (eigen.eigenvalues()[none] <= kNone * eigen.eigenvalues().maxCoeff()) ++none;
  return eigen.eigenvectors().rightCols(kNumbers * n - none);
}

MatrixXd moments_covariance(const Arm& arm, std::span<const double> covariance) {
  const int n = arm.joints(), p = arm.parameter_count();
  MECHFIT_CHECK(covariance.size() == static_cast<std::size_t>(p) * p);
  MatrixXd slope = MatrixXd::Zero(kNumbers * n, p);
  for (int i = 0; i < n; ++i) {
    slope.block<kLinkNumbers, kLinkNumbers>(kLinkNumbers * i, kLinkNumbers * i) =
        link_moments_slope(arm.parameters().subspan(kLinkNumbers * i, kLinkNumbers));
    slope(kLinkNumbers * n + i, kLinkNumbers * n + i) = 1;
  }
  return slope * Eigen::Map<const MatrixXd>(covariance.data(), p, p) * slope.transpose();
}

std::vector<LinkKnowledge> link_knowledge(const Arm& arm, std::span<const double> covariance) {
  const int n = arm.joints();
  const MatrixXd acting = acting_combinations(arm.config().kinematics);
  const MatrixXd C = moments_covariance(arm, covariance);
  std::vector<LinkKnowledge> out(n);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < kLinkNumbers; ++k) {
      const int at = kLinkNumbers * i + k;
      out[i].errors[k] = std::sqrt(std::max(0.0, C(at, at)));
      out[i].told[k] = 1 - acting.row(at).squaredNorm() < kOutside &&
                       out[i].errors[k] < kTold * size_of(k, arm.link(i).mass);
    }
  return out;
}

IdentifiedArm identified_arm(const Arm& arm, std::span<const double> covariance,
                             const ArmDescription& robot, const std::string& where) {
  const int n = arm.joints();
  const ArmKinematics& kinematics = arm.config().kinematics;
  std::vector<std::string> names;
  for (const ArmJoint& joint : kinematics.joints) names.push_back(joint.name);
  const MatchedRobot matched = match_joints(robot, names, names, where);
  if (!(difference(matched.robot.kinematics, kinematics) < kSameGeometry))
    throw InputError(where +
                     ": its geometry is not the one that the model was fitted with (option "
                     "'robot' of the fit)");
  IdentifiedArm out;
  using Kind = FrictionFunction::Kind;
  const JointForces& forces = arm.joint_forces();
  for (int i = 0; i < n; ++i) {
    IdentifiedJoint joint{names[i], arm.link(i), 0, 0};
    for (std::size_t s = 0; s < forces.slips().size(); ++s)
      if (forces.slips()[s].i == i) {
        joint.viscous = forces.coefficient(static_cast<int>(s), Kind::viscous);
        joint.coulomb = forces.coefficient(static_cast<int>(s), Kind::coulomb);
      }
    out.joints.push_back(joint);
    if (arm.rotor(i) > 0)
      out.notes.push_back(
          fmt::format("{}: a rotor of {:.4g} has no place in URDF", names[i], arm.rotor(i)));
  }
  FrictionTerms beyond = arm.config().friction;
  beyond.viscous = beyond.coulomb = false;
  if (beyond)
    out.notes.push_back("friction " + to_text(beyond) + " has no place in URDF and is left out");
  if (covariance.empty()) {
    out.notes.push_back("the model does not say how well its numbers are known");
    return out;
  }
  const std::vector<LinkKnowledge> known = link_knowledge(arm, covariance);
  for (int i = 0; i < n; ++i)
    if (std::string note = told_in_words(names[i], known[i]); !note.empty())
      out.notes.push_back(std::move(note));
  return out;
}

Payload payload(const Arm& without, std::span<const double> covariance_without, const Arm& with,
                std::span<const double> covariance_with, int link) {
  const int n = with.joints();
  MECHFIT_CHECK(link >= 0 && link < n);
  if (without.joints() != n ||
      !(difference(without.config().kinematics, with.config().kinematics) < kSameGeometry))
    throw InputError("the two models are of arms of different geometry");
  if (covariance_without.empty() || covariance_with.empty())
    throw InputError("a model does not say how well its numbers are known");
  const MatrixXd V = acting_combinations(with.config().kinematics);
  const VectorXd d = V.transpose() * (numbers_of(with) - numbers_of(without));
  const MatrixXd C = V.transpose() *
                     (moments_covariance(with, covariance_with) +
                      moments_covariance(without, covariance_without)) *
                     V;
  const MatrixXd E = V.transpose().middleCols<kLinkNumbers>(kLinkNumbers * link);
  // C^-1 on the directions that have a variance.
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(C);
  VectorXd precision = eigen.eigenvalues();
  for (double& x : precision) x = x > kNoVariance * eigen.eigenvalues().maxCoeff() ? 1 / x : 0.0;
  const MatrixXd W =
      eigen.eigenvectors() * precision.asDiagonal() * eigen.eigenvectors().transpose();
  // In units of a body of one kilogram.
  Eigen::Matrix<double, kLinkNumbers, 1> unit;
  for (int k = 0; k < kLinkNumbers; ++k) unit[k] = size_of(k, 1.0);
  const MatrixXd A = unit.asDiagonal() * E.transpose() * W * E * unit.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<MatrixXd> own(A);
  const VectorXd b = unit.asDiagonal() * E.transpose() * W * d;
  Payload out;
  out.link = link;
  VectorXd x = VectorXd::Zero(kLinkNumbers), variance = x, vague = x;
  const double most = std::max(own.eigenvalues().maxCoeff(), 1e-300);
  for (int k = 0; k < kLinkNumbers; ++k) {
    const VectorXd direction = own.eigenvectors().col(k);
    if (own.eigenvalues()[k] < 1e-13 * most) {
      vague += direction.cwiseAbs2();
      continue;
    }
    x += direction * direction.dot(b) / own.eigenvalues()[k];
    variance += direction.cwiseAbs2() / own.eigenvalues()[k];
  }
  out.moments = unit.cwiseProduct(x);
  for (int k = 0; k < kLinkNumbers; ++k) {
    out.told[k] = vague[k] < kOutside;
    out.errors[k] = out.told[k] ? unit[k] * std::sqrt(variance[k]) : kInfinity;
  }
  // d(h/m) = dh / m - h dm / m^2; the two errors are taken as independent.
  const double m = out.moments[0];
  out.centre = out.moments.segment<3>(1) / m;
  for (int k = 0; k < 3; ++k)
    out.centre_errors[k] =
        out.told[0] && out.told[k + 1]
            ? std::hypot(out.errors[k + 1], out.centre[k] * out.errors[0]) / std::abs(m)
            : kInfinity;
  return out;
}

}  // namespace mechfit
