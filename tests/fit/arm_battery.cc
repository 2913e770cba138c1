// What is found of arms, printed:
//
//   arm_battery FILE ROBOT [FRICTION [FAMILY [all]]]
//     a log with columns t_s, q1_rad .., tau1_Nm ..: the first 70 % are fitted as `mechfit fit`
//     does, 20 samples are left out, and torques of the rest are predicted. ROBOT: a description,
//     or `unknown`. FRICTION: terms or auto. `all`: nothing of the first part is held out, as with
//     `--validation`, which leaves nothing to choose by: it takes terms of friction, not auto.
//   arm_battery
//     simulated arms of 3, 6 and 7 joints that follow sums of sines under a controller, slow and
//     fast, integrated by Runge-Kutta, encoders and torques with noise: base parameters within
//     three standard errors, and the largest error of M along the motion
#include <fmt/format.h>
#include <sys/resource.h>

#include <Eigen/Dense>
#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/estimate/kalman/smoother.h"
#include "mechfit/evaluate/torque_error.h"
#include "mechfit/files/read_log.h"
#include "mechfit/fit/arm/torque_gram.h"
#include "mechfit/fit/fit.h"
#include "mechfit/log/split.h"
#include "mechfit/mechanics/families/arm/arm_description.h"
#include "mechfit/mechanics/families/arm/robot_file.h"
#include "mechfit/mechanics/point.h"
#include "tests/support/arms.h"

namespace mechfit {
namespace {

double cpu_seconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
}

void print_torques(const char* name, const Model& model, const Log& log, ThreadPool& pool) {
  const MotionPoints points = motion_points(smooth(log, {}, pool).log, InputAtSample::mean);
  const Torques torques = predict_torques(model, points, pool);
  const TorqueError error = torque_error(torques, points, driven_joints(model));
  fmt::print("{} nMSE", name);
  for (const double x : error.nmse) fmt::print(" {:.4f}", x);
  MotionView samples = points;
  samples.h = {};  // of samples as they are
  fmt::print("  mean {:.4f}, means over {:.3f} s; of single samples {:.4f}\n", error.overall,
             error.window, torque_error(torques, samples, driven_joints(model)).overall);
}

void real_log(const std::string& file, const std::string& robot, const std::string& friction,
              const std::string& family, bool all, ThreadPool& pool) {
  ReadOptions read;
  read.time = "t_s";
  read.reclock = true;
  for (int j = 1; j <= 7; ++j) {
    read.q.push_back(fmt::format("q{}_rad", j));
    read.u.push_back(fmt::format("tau{}_Nm", j));
  }
  const Log log = read_log({file}, read).log;
  Log train = log, test = log;
  const int n = log.n(), m = log.m(), size = log.runs[0].size(), cut = size * 7 / 10;
  train.runs = {slice(log.runs[0], n, m, 0, cut - 20)};
  test.runs = {slice(log.runs[0], n, m, cut, size)};
  FitOptions options;
  options.friction = friction;
  options.family = family;
  if (all && friction == "auto") throw InputError("'all' needs terms of friction");
  if (family == "smm") options.method = FitMethod::torque;
  if (robot != "unknown") options.robot = std::make_shared<ArmDescription>(read_robot(robot));
  const double begin = cpu_seconds();
  const FitResult result = fit(train, all ? std::optional<Log>(test) : std::nullopt, options, pool);
  fmt::print("{:.1f} s of processor time, smallest eigenvalue of M ", cpu_seconds() - begin);
  PointDynamics point(result.model);
  double least = 1e300;
  std::vector<double> M(n * n);
  for (int k = 0; k < size; k += 20) {
    point.mass(std::span(log.runs[0].q).subspan(static_cast<std::size_t>(k) * n, n), M);
    least = std::min(least, Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(
                                Eigen::Map<Eigen::MatrixXd>(M.data(), n, n))
                                .eigenvalues()[0]);
  }
  fmt::print("{:.2g}\n", least);
  for (const std::string& note : result.notes) fmt::print("  {}\n", note);
  print_torques("held out", result.model, result.validation, pool);
  print_torques("last 30 %", result.model, test, pool);
}

// The arm follows q* under tau = inverse dynamics(q*) + kp (q* - q) + kd (v* - v), held from sample
// to sample, with the true arm's dynamics between.
Log followed(const Arm& arm, double rate, double encoder, double torque, Random& random) {
  const int n = arm.joints(), runs = 4, samples = 800, substeps = 10;
  const double h = 0.005;
  Log log;
  for (int j = 0; j < n; ++j) {
    log.channels.joints.push_back(fmt::format("q{}", j + 1));
    log.channels.units.push_back("rad");
    log.channels.inputs.push_back(fmt::format("u{}", j + 1));
  }
  log.channels.joint_types = arm.joint_types();
  const Model model(arm);
  PointDynamics point(model);
  std::vector<double> M(n * n), reference(n), speed(n), a(n), tau(n), k1(2 * n), k2(k1), k3(k1),
      k4(k1), y(2 * n), z(2 * n);
  for (int r = 0; r < runs; ++r) {
    std::vector<double> phase;
    for (int k = 0; k < 3 * n; ++k) phase.push_back(random.uniform(0, kTurn));
    const auto plan = [&](double t) {
      for (int j = 0; j < n; ++j) {
        reference[j] = speed[j] = a[j] = 0;
        for (int k = 0; k < 3; ++k) {
          const double w = rate * (k + 1) * (1 + 0.13 * j), x = w * t + phase[3 * j + k];
          reference[j] += 0.7 / (k + 1) * std::sin(x);
          speed[j] += 0.7 / (k + 1) * w * std::cos(x);
          a[j] -= 0.7 / (k + 1) * w * w * std::sin(x);
        }
      }
    };
    plan(0);
    for (int j = 0; j < n; ++j) y[j] = reference[j], y[n + j] = speed[j];
    Trajectory run;
    run.name = fmt::format("run {}", r + 1);
    for (int k = 0; k < samples; ++k) {
      plan((k + 0.5) * h);
      point.inverse_dynamics(reference, speed, a, tau);
      point.mass(reference, M);
      plan(k * h);
      for (int j = 0; j < n; ++j)
        tau[j] += M[(n + 1) * j] * (400 * (reference[j] - y[j]) + 40 * (speed[j] - y[n + j]));
      run.t.push_back(k * h);
      for (int j = 0; j < n; ++j) {
        run.q.push_back(y[j] + encoder * random.normal());
        run.u.push_back(tau[j] + torque * random.normal());
      }
      const auto slope = [&](const std::vector<double>& x, std::vector<double>& out) {
        std::copy(x.begin() + n, x.end(), out.begin());
        (void)point.acceleration(std::span(x).first(n), std::span(x).last(n), tau,
                                 std::span(out).last(n));
      };
      const double d = h / substeps;
      for (int s = 0; s < substeps; ++s) {
        const auto at = [&](double share, const std::vector<double>& k0) {
          for (int i = 0; i < 2 * n; ++i) z[i] = y[i] + share * d * k0[i];
        };
        slope(y, k1);
        at(0.5, k1);
        slope(z, k2);
        at(0.5, k2);
        slope(z, k3);
        at(1, k3);
        slope(z, k4);
        for (int i = 0; i < 2 * n; ++i) y[i] += d / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
      }
    }
    log.runs.push_back(std::move(run));
  }
  return log;
}

// Rows that turn pi and the rotors' inertia into base parameters: of columns Y of any motion those
// that are independent, with what the others add to them.
Eigen::MatrixXd base_rows(const Arm& arm) {
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

struct Found {
  int within = 0, all = 0;
  double mass = 0;
};

Found compare(const FitResult& result, const Arm& truth, const Log& log) {
  const Arm& found = *result.model.as<Arm>();
  const int n = truth.joints(), p = found.parameter_count(), links = (kLinkNumbers + 1) * n;
  Found out;
  Eigen::MatrixXd D = Eigen::MatrixXd::Zero(links, p);
  for (int i = 0; i < n; ++i) D(kLinkNumbers * n + i, kLinkNumbers * n + i) = 1;
  for (int i = 0; i < n; ++i)
    D.block<10, 10>(10 * i, 10 * i) = link_moments_slope(found.parameters().subspan(10 * i, 10));
  const Eigen::Map<const Eigen::MatrixXd> covariance(result.covariance.data(), p, p);
  const Eigen::MatrixXd base = base_rows(truth), S = base * D;
  const Eigen::VectorXd error =
      base * (torque_numbers(found, found.parameters()) - torque_numbers(truth, truth.parameters()))
                 .head(links);
  for (int k = 0; k < base.rows(); ++k, ++out.all)
    out.within += std::abs(error[k]) < 3 * std::sqrt(S.row(k) * covariance * S.row(k).transpose());
  const Model a(found), b(truth);
  PointDynamics of(a), expected(b);
  std::vector<double> M(n * n), M0(n * n);
  for (const Trajectory& run : log.runs)
    for (int k = 0; k < run.size(); k += 20) {
      const auto q = std::span(run.q).subspan(static_cast<std::size_t>(k) * n, n);
      of.mass(q, M);
      expected.mass(q, M0);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          out.mass = std::max(out.mass, std::abs(M[n * i + j] - M0[n * i + j]) /
                                            std::sqrt(M0[(n + 1) * i] * M0[(n + 1) * j]));
    }
  return out;
}

void simulated(ThreadPool& pool) {
  const double right = kTurn / 4;
  const std::pair<const char*, ArmKinematics> machines[] = {
      {"3 joints", testing::dh_chain({{0, .3, 0}, {0, 0, right}, {.4, 0, 0}})},
      {"6 joints", testing::parallel_arm()},
      {"7 joints", testing::panda()}};
  int within = 0, all = 0;
  for (const auto& [name, kinematics] : machines)
    for (const double rate : {0.6, 2.0})
      for (const double noise : {1e-6, 1e-5}) {
        Random random(11);
        FrictionTerms friction = parse_friction_terms("viscous+coulomb+offset", "battery");
        friction.width = kStickingWidth;
        const Arm truth = testing::random_arm(kinematics, kinematics.n(), friction, random);
        const Log log = followed(truth, rate, noise, 0.1, random);
        FitOptions options;
        options.friction = "viscous+coulomb+offset";
        options.family = "arm";
        auto robot = std::make_shared<ArmDescription>();
        robot->kinematics = kinematics;
        options.robot = robot;
        const FitResult result = fit(log, {}, options, pool);
        const Found found = compare(result, truth, log);
        within += found.within;
        all += found.all;
        fmt::print(
            "{}, rate {} rad/s, encoder noise {} rad, torques' 0.1: {} of {} base parameters "
            "within 3 standard errors, M within {:.1f} %, held-out nMSE {:.2g}\n",
            name, rate, noise, found.within, found.all, 100 * found.mass, result.history.best);
      }
  fmt::print("{} of {} base parameters within 3 standard errors\n", within, all);
}

}  // namespace
}  // namespace mechfit

int main(int argc, char** argv) {
  using namespace mechfit;
  try {
    ThreadPool pool(2);
    if (argc > 2)
      real_log(argv[1], argv[2], argc > 3 ? argv[3] : "auto", argc > 4 ? argv[4] : "auto", argc > 5,
               pool);
    else
      simulated(pool);
  } catch (const std::exception& e) {
    fmt::print(stderr, "arm_battery: {}\n", e.what());
    return 1;
  }
}
