#pragma once

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "mechfit/fit/arm/torque_gram.h"
#include "mechfit/fit/fit.h"
#include "mechfit/mechanics/families/arm/arm_description.h"
#include "tests/support/driven_arm.h"

// How well fits of simulated arms find what moved them, for batteries.
namespace mechfit::testing {

// Rows that turn pi and the rotors' inertia into base parameters: of columns Y of any motion those
// that are independent, with what the others add to them.
inline Eigen::MatrixXd base_rows(const Arm& arm) {
  const int n = arm.joints(), links = kLinkNumbers * n, points = 40 * n;
  Random random(1);
  const ArmRegressor regressor(arm.config().kinematics);
  auto w = regressor.make_workspace();
  Eigen::MatrixXd Y = Eigen::MatrixXd::Zero(points * n, links + n);
  std::vector<double> q(n), v(n), a(n), row(static_cast<std::size_t>(n) * links);
  for (int k = 0; k < points; ++k) {
    for (auto* x : {&q, &v, &a})
      for (double& value : *x) value = random.uniform(-2, 2);
    regressor.rows(q, v, a, row.data(), w);
    Y.block(k * n, 0, n, links) =
        Eigen::Map<Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(row.data(), n, links);
    for (int i = 0; i < n; ++i) Y(k * n + i, links + i) = a[i];  // rotors
  }
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(Y);
  qr.setThreshold(1e-9);
  const int rank = static_cast<int>(qr.rank());
  const Eigen::MatrixXd R = qr.matrixR().topRows(rank).triangularView<Eigen::Upper>();
  const Eigen::MatrixXd base =
      R.leftCols(rank).triangularView<Eigen::Upper>().solve(R);  // [1 K] in pivoted order
  return base * qr.colsPermutation().transpose();
}

struct Recovery {
  int within = 0, all = 0;  // base parameters within three standard errors
  double square = 0;        // sum of (error / standard error)^2
  double mass = 0;          // largest error of M along the motion, in units of sqrt(M_ii M_jj)
};

inline double mass_error(const Model& found, const Model& truth, const Log& log) {
  const int n = log.n();
  PointDynamics of(found), expected(truth);
  std::vector<double> M(n * n), M0(n * n);
  double worst = 0;
  for (const Trajectory& run : log.runs)
    for (int k = 0; k < run.size(); k += 20) {
      const auto q = std::span(run.q).subspan(static_cast<std::size_t>(k) * n, n);
      of.mass(q, M);
      expected.mass(q, M0);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          worst = std::max(worst, std::abs(M[n * i + j] - M0[n * i + j]) /
                                      std::sqrt(M0[(n + 1) * i] * M0[(n + 1) * j]));
    }
  return worst;
}

inline Recovery recovery(const FitResult& result, const Arm& truth, const Log& log) {
  const Arm& found = *result.model.as<Arm>();
  const int n = truth.joints(), p = found.parameter_count(), links = (kLinkNumbers + 1) * n;
  Recovery out;
  Eigen::MatrixXd D = Eigen::MatrixXd::Zero(links, p);
  for (int i = 0; i < n; ++i) D(kLinkNumbers * n + i, kLinkNumbers * n + i) = 1;
  for (int i = 0; i < n; ++i)
    D.block<10, 10>(10 * i, 10 * i) = link_moments_slope(found.parameters().subspan(10 * i, 10));
  const Eigen::Map<const Eigen::MatrixXd> covariance(result.covariance.data(), p, p);
  const Eigen::MatrixXd base = base_rows(truth), S = base * D;
  const Eigen::VectorXd error =
      base * (torque_numbers(found, found.parameters()) - torque_numbers(truth, truth.parameters()))
                 .head(links);
  for (int k = 0; k < base.rows(); ++k, ++out.all) {
    const double z = error[k] / std::sqrt(S.row(k) * covariance * S.row(k).transpose());
    out.within += std::abs(z) < 3;
    out.square += z * z;
  }
  out.mass = mass_error(Model(found), Model(truth), log);
  return out;
}

inline std::pair<const char*, ArmKinematics> simulated_arm(int joints) {
  if (joints == 3) return {"3 joints", dh_chain({{0, .3, 0}, {0, 0, kTurn / 4}, {.4, 0, 0}})};
  if (joints == 6) return {"6 joints", parallel_arm()};
  return {"7 joints", panda()};
}

inline constexpr const char* kArmTerms = "viscous+coulomb+offset";

inline Arm sticking_arm(const ArmKinematics& kinematics, Random& random) {
  FrictionTerms friction = parse_friction_terms(kArmTerms, "battery");
  friction.width = kStickingWidth;
  return random_arm(kinematics, kinematics.n(), friction, random);
}

inline FitResult fit_arm(const Log& log, const ArmKinematics& kinematics, ThreadPool& pool) {
  FitOptions options;
  options.friction = kArmTerms;
  options.family = "arm";
  auto robot = std::make_shared<ArmDescription>();
  robot->kinematics = kinematics;
  options.robot = robot;
  return fit(log, {}, options, pool);
}

// Fits of arms of 3, 6 and 7 joints, slow and quick, with different noise, printed. Whether 95 % of
// base parameters are within three standard errors, and M along every motion within 5 %.
template <class MakeMachine>
bool finds_arms(const char* origin, std::span<const std::uint64_t> seeds,
                const MakeMachine& machine_of, ThreadPool& pool) {
  constexpr double kWithin = 0.95, kMass = 0.05;
  int within = 0, all = 0;
  double worst = 0;
  for (const int joints : {3, 6, 7})
    for (const double rate : {0.6, 2.0})
      for (const double noise : {1e-6, 1e-5, 1e-4}) {
        Recovery sum;
        for (const std::uint64_t seed : seeds) {
          Random random(seed);
          const auto [name, kinematics] = simulated_arm(joints);
          const Arm truth = sticking_arm(kinematics, random);
          const Log log = followed(truth, machine_of(truth), {rate, noise, 0.1}, random);
          const Recovery one = recovery(fit_arm(log, kinematics, pool), truth, log);
          sum.within += one.within;
          sum.all += one.all;
          sum.square += one.square;
          sum.mass = std::max(sum.mass, one.mass);
        }
        fmt::print(
            "{}, {} joints, rate {} rad/s, encoder noise {} rad, torques' 0.1 N m: {} of {} base "
            "parameters within 3 standard errors (rms {:.2f} of them), M within {:.1f} %\n",
            origin, joints, rate, noise, sum.within, sum.all, std::sqrt(sum.square / sum.all),
            100 * sum.mass);
        std::fflush(stdout);
        within += sum.within;
        all += sum.all;
        worst = std::max(worst, sum.mass);
      }
  const bool good = within >= kWithin * all && worst <= kMass;
  fmt::print("{}: {} of {} base parameters within 3 standard errors, M within {:.1f} %{}\n", origin,
             within, all, 100 * worst, good ? "" : "  BELOW THE AIM of 95 % and 5 %");
  return good;
}

}  // namespace mechfit::testing
