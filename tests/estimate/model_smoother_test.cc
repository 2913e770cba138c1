#include "mechfit/estimate/motion/model_smoother.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <numbers>

#include "mechfit/base/gradient_check.h"
#include "mechfit/base/random.h"
#include "mechfit/mechanics/euler_lagrange.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "mechfit/mechanics/families/trig/trig.h"
#include "tests/support/logs.h"

namespace mechfit {
namespace {

constexpr double kMass = 2.0, kSpring = 3.0, kDamping = 0.4, kSigma = 0.1, kS = 0.3;

// A damped harmonic oscillator with an input, as trigonometric family: M = m, V = k/2 q^2.
Model oscillator() {
  TrigConfig config;
  config.joints = {JointType::plain};
  config.friction = true;
  config.inputs = 1;
  config.input_matrix = {1};
  Trig trig(config);
  std::vector<double> theta(trig.parameter_count());
  for (int f = 0; f < trig.basis().size(); ++f) {
    if (trig.basis().name(f, {"x"}) == "1") theta[f] = kMass;
    if (trig.basis().name(f, {"x"}) == "x^2") theta[trig.potential_offset() + f - 1] = kSpring / 2;
  }
  theta[trig.friction_offset()] = kDamping;
  trig.set_parameters(theta);
  return Model(std::move(trig));
}

// Observations that have little to do with the model, uneven steps, some missing.
Log oscillator_log(int samples, bool complete) {
  Random random(7);
  Log log;
  log.channels.joints = {"x"};
  log.channels.joint_types = {JointType::plain};
  log.channels.inputs = {"u"};
  Trajectory run;
  run.name = "run";
  double t = 0;
  for (int k = 0; k < samples; ++k, t += random.uniform(0.05, 0.15)) {
    run.t.push_back(t);
    run.q.push_back(std::sin(2 * t) + 0.1 * random.normal());
    run.u.push_back(random.normal());
    if (!complete && (k % 7 == 3 || k == 0 || k == samples - 1))
      run.q.back() = std::numeric_limits<double>::quiet_NaN();
  }
  log.runs.push_back(run);
  return log;
}

// e = A q + b, written down from the discrete Euler-Lagrange equation.
void linear_errors(const Trajectory& run, Eigen::MatrixXd& A, Eigen::VectorXd& b) {
  const int T = run.size();
  A = Eigen::MatrixXd::Zero(T - 2, T);
  b = Eigen::VectorXd::Zero(T - 2);
  for (int k = 0; k + 2 < T; ++k) {
    const double h[2] = {run.t[k + 1] - run.t[k], run.t[k + 2] - run.t[k + 1]};
    const double mean = (h[0] + h[1]) / 2;
    for (int step = 0; step < 2; ++step) {
      const double sign = step == 0 ? 1 : -1;
      for (int end = 0; end < 2; ++end) {
        const double v = (end == 0 ? -1 : 1) / h[step];
        const double force = -kSpring / 2 - kDamping * v;
        A(k, k + step + end) += (sign * kMass * v + h[step] / 2 * force) / (kMass * mean);
      }
      b[k] += h[step] / 2 * run.u[k + step] / (kMass * mean);
    }
  }
}

Log started_at_zero(Log log) {
  for (auto& run : log.runs) run.q.assign(run.q.size(), 0.0);
  return log;
}

TEST(ModelSmoother, IsTheBatchLeastSquaresSolutionOfALinearSystem) {
  for (const bool complete : {true, false}) {
    const Log log = oscillator_log(40, complete);
    const Trajectory& run = log.runs[0];
    const int T = run.size();
    Eigen::MatrixXd A;
    Eigen::VectorXd b;
    linear_errors(run, A, b);
    Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(T + T - 2, T);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(T + T - 2);
    for (int k = 0; k < T; ++k)
      if (!std::isnan(run.q[k])) {
        rows(k, k) = 1 / kSigma;
        right[k] = run.q[k] / kSigma;
      }
    rows.bottomRows(T - 2) = A / kS;
    right.tail(T - 2) = -b / kS;
    const Eigen::VectorXd expected = rows.householderQr().solve(right);
    const Eigen::MatrixXd covariance = (rows.transpose() * rows).inverse();

    ThreadPool pool(1);
    const auto result =
        smooth_with_model(oscillator(), log, started_at_zero(log), {{kSigma}, {kS}}, pool);
    ASSERT_TRUE(result.runs[0].converged);
    EXPECT_NEAR(result.runs[0].objective, 0.5 * (rows * expected - right).squaredNorm(), 1e-8);
    for (int k = 0; k < T; ++k) {
      EXPECT_NEAR(result.log.runs[0].q[k], expected[k], 1e-8);
      EXPECT_NEAR(result.log.runs[0].q_sd[k], std::sqrt(covariance(k, k)), 1e-8);
    }
    const double h = run.t[6] - run.t[4];
    Eigen::VectorXd slope = Eigen::VectorXd::Zero(T);
    slope[6] = 1 / h;
    slope[4] = -1 / h;
    EXPECT_NEAR(result.log.runs[0].qd_sd[5], std::sqrt(slope.dot(covariance * slope)), 1e-8);
  }
}

// The same estimate, forwards and backwards in time: a Kalman filter and Rauch-Tung-Striebel
// smoother whose state is (q_{k-1}, q_k) and whose noise is the acceleration error.
TEST(ModelSmoother, IsTheKalmanSmootherOfALinearSystem) {
  const Log log = oscillator_log(40, true);
  const Trajectory& run = log.runs[0];
  const int T = run.size();
  Eigen::MatrixXd A;
  Eigen::VectorXd b;
  linear_errors(run, A, b);
  using Matrix = Eigen::Matrix2d;
  using Vector = Eigen::Vector2d;
  const Matrix I = Matrix::Identity();
  // Flat prior: the first two observations alone.
  std::vector<Vector> x{Vector(run.q[0], run.q[1])}, x_next;
  std::vector<Matrix> P{kSigma * kSigma * I}, P_next, F;
  for (int k = 0; k + 2 < T; ++k) {
    // e = A0 q0 + A1 q1 + A2 q2 + b gives q2
    const double a2 = A(k, k + 2);
    Matrix f;
    f << 0, 1, -A(k, k) / a2, -A(k, k + 1) / a2;
    Vector next = f * x.back() + Vector(0, -b[k] / a2);
    Matrix cov = f * P.back() * f.transpose();
    cov(1, 1) += kS * kS / (a2 * a2);
    F.push_back(f);
    x_next.push_back(next);
    P_next.push_back(cov);
    const Vector gain = cov.col(1) / (cov(1, 1) + kSigma * kSigma);
    x.push_back(next + gain * (run.q[k + 2] - next[1]));
    P.push_back(cov - gain * cov.row(1));
  }
  for (int k = T - 3; k >= 0; --k) {
    const Matrix gain = P[k] * F[k].transpose() * P_next[k].inverse();
    x[k] += gain * (x[k + 1] - x_next[k]);
    P[k] += gain * (P[k + 1] - P_next[k]) * gain.transpose();
  }
  ThreadPool pool(1);
  const auto result =
      smooth_with_model(oscillator(), log, started_at_zero(log), {{kSigma}, {kS}}, pool);
  for (int k = 1; k < T; ++k) {
    EXPECT_NEAR(result.log.runs[0].q[k], x[k - 1][1], 1e-8);
    EXPECT_NEAR(result.log.runs[0].q_sd[k], std::sqrt(P[k - 1](1, 1)), 1e-8);
  }
}

TEST(ModelSmoother, LikelihoodIsThatOfTheErrorsSeenThroughTheNoise) {
  const Log log = oscillator_log(30, true);
  const Trajectory& run = log.runs[0];
  const int T = run.size();
  Eigen::MatrixXd A;
  Eigen::VectorXd b;
  linear_errors(run, A, b);
  // A y + b ~ N(0, s^2 I + sigma^2 A A')
  const Eigen::VectorXd e = A * Eigen::Map<const Eigen::VectorXd>(run.q.data(), T) + b;
  const Eigen::MatrixXd cov =
      kS * kS * Eigen::MatrixXd::Identity(T - 2, T - 2) + kSigma * kSigma * A * A.transpose();
  const Eigen::LLT<Eigen::MatrixXd> llt(cov);
  const Eigen::MatrixXd L = llt.matrixL();
  const double expected = -0.5 * e.dot(llt.solve(e)) - L.diagonal().array().log().sum() -
                          0.5 * (T - 2) * std::log(2 * std::numbers::pi);
  ThreadPool pool(1);
  const auto result =
      smooth_with_model(oscillator(), log, started_at_zero(log), {{kSigma}, {kS}}, pool);
  EXPECT_NEAR(result.runs[0].log_likelihood, expected, 1e-8 * std::abs(expected));
}

Model pendulum_model() {
  AnalyticSystem system = make_system("double-pendulum-points");
  return Model(std::move(system));
}

// Swinging runs of the model itself, observed with noise 0.1; truth in qd.
Log swinging_log(const Model& model, int runs, int samples, double noise) {
  Random random(3);
  Log log;
  log.channels.joints = {"q1", "q2"};
  log.channels.joint_types = {JointType::periodic, JointType::periodic};
  for (int r = 0; r < runs; ++r) {
    Trajectory run;
    run.name = "run " + std::to_string(r);
    double q0[2] = {random.uniform(-1, 1), random.uniform(-1, 1)}, v0[2] = {0, 0};
    std::vector<double> times;
    for (int k = 0; k < samples; ++k) times.push_back(0.05 * k);
    std::vector<double> q(2 * samples), v(2 * samples);
    double state_q[2] = {q0[0], q0[1]}, state_v[2] = {v0[0], v0[1]};
    AccelerationWorkspace w(model);
    // Tiny symplectic steps are enough of a truth here.
    AlignedVector qp = make_panel(2), vp = make_panel(2), a = make_panel(2);
    for (int k = 0; k < samples; ++k) {
      for (int i = 0; i < 2; ++i) {
        run.qd.push_back(state_q[i]);
        run.q.push_back(state_q[i] + noise * random.normal());
      }
      run.t.push_back(times[k]);
      for (int fine = 0; fine < 100; ++fine) {
        for (int i = 0; i < 2; ++i) {
          std::fill_n(&qp[i * kBlock], kBlock, state_q[i]);
          std::fill_n(&vp[i * kBlock], kBlock, state_v[i]);
        }
        EXPECT_EQ(acceleration(model, {qp.data(), vp.data(), nullptr}, a.data(), w), kAllLanes);
        for (int i = 0; i < 2; ++i) {
          state_v[i] += 0.0005 * a[i * kBlock];
          state_q[i] += 0.0005 * state_v[i];
        }
      }
    }
    log.runs.push_back(run);
  }
  return log;
}

using testing::rms_error;

TEST(ModelSmoother, FindsTheMotionBehindNoise) {
  const Model model = pendulum_model();
  const Log log = swinging_log(model, 1, 60, 0.1);
  ThreadPool pool(1);
  const auto result = smooth_with_model(model, log, log, {{0.1, 0.1}, {0.5, 0.5}}, pool);
  ASSERT_TRUE(result.runs[0].converged);
  EXPECT_LT(rms_error(result.log.runs[0].q, log.runs[0].qd), 0.05);
  double sd = 0;
  for (double x : result.log.runs[0].q_sd) sd += x * x;
  sd = std::sqrt(sd / static_cast<double>(result.log.runs[0].q_sd.size()));
  EXPECT_NEAR(rms_error(result.log.runs[0].q, log.runs[0].qd), sd, 0.5 * sd);
}

TEST(ModelSmoother, GradientVanishesAtTheEstimateAndAgreesWithFiniteDifferences) {
  const Model model = pendulum_model();
  const Log log = swinging_log(model, 1, 12, 0.1);
  const MotionNoise noise{{0.1, 0.08}, {0.6, 0.4}};
  MotionRun run(model, log.runs[0], log.runs[0].q);
  const auto f = [&](std::span<const double> q) { return run.objective(model, q, noise); };
  ASSERT_TRUE(run.linearise(model, RunDerivatives::configurations));
  ASSERT_TRUE(run.quadratic.factor(noise, 0));
  const std::vector<double> at_start = run.q;
  const std::vector<double> gradient(run.quadratic.gradient().begin(),
                                     run.quadratic.gradient().end());
  const auto report = check_gradient(f, at_start, gradient);
  EXPECT_TRUE(report.agrees(1e-6)) << report.text();

  ASSERT_TRUE(run.solve(model, noise, {.iterations = 50, .tolerance = 1e-14}).converged);
  ASSERT_TRUE(run.linearise(model, RunDerivatives::configurations));
  ASSERT_TRUE(run.quadratic.factor(noise, 0));
  for (std::size_t k = 0; k < gradient.size(); ++k)
    EXPECT_LT(std::abs(run.quadratic.gradient()[k]), 1e-4 * std::abs(gradient[0]) + 1e-4);
}

TEST(ModelSmoother, DoesNotDependOnTheNumberOfThreads) {
  const Model model = pendulum_model();
  const Log log = swinging_log(model, 3, 20, 0.1);
  ThreadPool one(1), three(3);
  const MotionNoise noise{{0.1, 0.1}, {0.5, 0.5}};
  const auto a = smooth_with_model(model, log, log, noise, one);
  const auto b = smooth_with_model(model, log, log, noise, three);
  for (std::size_t r = 0; r < 3; ++r) {
    EXPECT_EQ(a.log.runs[r].q, b.log.runs[r].q);
    EXPECT_EQ(a.log.runs[r].qd_sd, b.log.runs[r].qd_sd);
    EXPECT_EQ(a.runs[r].log_likelihood, b.runs[r].log_likelihood);
  }
}

}  // namespace
}  // namespace mechfit
