#include "mechfit/estimate/motion/correlated_motion.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "tests/support/models.h"
#include "tests/support/simulated.h"

namespace mechfit {
namespace {

TEST(BandedQr, SolvesWhatNormalEquationsSolve) {
  Random random(1);
  const int size = 12, width = 4, rows = size - width + 1;
  Eigen::MatrixXd B = Eigen::MatrixXd::Zero(rows + size, size);
  Eigen::VectorXd w(rows + size);
  BandedQr qr;
  qr.reset(size, width);
  int at = 0;
  const auto add = [&](int begin, int columns, int end) {
    std::vector<double> row;
    for (int c = 0; c < columns; ++c) row.push_back(B(at, begin + c) = random.normal());
    row.resize(end - begin, 0.0);
    row.push_back(w[at++] = random.normal());
    qr.add(begin, 1, end - begin, row);
  };
  for (int k = 0; k < rows; ++k) {
    add(k, width, k + width);
    add(k, 1, k + width);
  }
  for (int k = rows; k < size; ++k) add(k, 1, size);
  ASSERT_EQ(at, rows + size);
  ASSERT_TRUE(qr.full_rank());
  const Eigen::MatrixXd H = B.transpose() * B;
  const Eigen::VectorXd x = -H.ldlt().solve(B.transpose() * w);
  std::vector<double> y(qr.d().begin(), qr.d().end());
  qr.solve(y);
  for (int k = 0; k < size; ++k) EXPECT_NEAR(-y[k], x[k], 1e-10);
  EXPECT_NEAR(qr.residual2(), (B * x + w).squaredNorm(), 1e-10);
  EXPECT_NEAR(qr.log_determinant(), std::log(H.determinant()), 1e-9);
}

struct Setting {
  Setting() : random(3), model(testing::random_analytic("double-pendulum", 2, random)) {
    testing::SimulationOptions options;
    options.runs = 1;
    options.samples = 24;
    options.noise = 0.01;
    options.uneven = 0.3;
    observed = testing::simulate(model, options).runs[0];
    start = observed.q;
    observed.q[9] = NAN;
  }
  Random random;
  Model model;
  Trajectory observed;
  std::vector<double> start;
};

// Over a short tau errors are white.
TEST(CorrelatedMotion, IsMotionRunsLikelihoodWhenErrorsForgetAtOnce) {
  Setting x;
  CorrelatedMotion correlated(x.model, x.observed, x.start);
  MotionRun white(x.model, x.observed, x.start);
  ASSERT_TRUE(correlated.linearise(x.model));
  ASSERT_TRUE(white.linearise(x.model, RunDerivatives::configurations));
  const auto difference = [&](double s) {
    return correlated.log_likelihood({{0.01, 0.02}, {s, 2 * s}, {1e-4, 1e-4}}) -
           white.quadratic.log_likelihood({{0.01, 0.02}, {s, 2 * s}});
  };
  EXPECT_NEAR(difference(0.3), difference(3), 1e-6);  // up to a constant
}

// Whatever the steps, the density of y is that of e + A (y - q), here with every covariance dense.
TEST(CorrelatedMotion, LikelihoodIsThatOfADenseCovariance) {
  Setting x;
  x.observed.q[9] = x.start[9];
  for (double& t : x.observed.t) t = 0.02 * static_cast<double>(&t - x.observed.t.data());
  CorrelatedMotion run(x.model, x.observed, x.start);
  ASSERT_TRUE(run.linearise(x.model));
  const int n = 2, rows = run.run.samples() - 2, size = run.run.samples() * n;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(rows * n, size);
  Eigen::VectorXd r(rows * n);
  for (int k = 0; k < rows; ++k)
    for (int j = 0; j < n; ++j) {
      r[k * n + j] = run.run.error.e[k * n + j];
      for (int b = 0; b < 3; ++b)
        for (int i = 0; i < n; ++i)
          A(k * n + j, (k + b) * n + i) = run.run.error.jacobian[((k * 3 + b) * n + j) * n + i];
    }
  const auto dense = [&](double s, double tau) {
    const double h = 0.02, phi = std::exp(-h / tau);
    // of a double root phi: rho_0 = 1, rho_1 = 2 phi / (1 + phi^2), rho_k = 2 phi rho_{k-1} - ...
    std::vector<double> rho = {1, 2 * phi / (1 + phi * phi)};
    for (int k = 2; k < rows; ++k) rho.push_back(2 * phi * rho[k - 1] - phi * phi * rho[k - 2]);
    Eigen::MatrixXd K = 1e-4 * A * A.transpose();
    for (int k = 0; k < rows; ++k)
      for (int l = 0; l < rows; ++l)
        for (int j = 0; j < n; ++j) K(k * n + j, l * n + j) += s * s * rho[std::abs(k - l)];
    const Eigen::LLT<Eigen::MatrixXd> llt(K);
    double sum = -0.5 * r.dot(llt.solve(r));
    for (int k = 0; k < rows * n; ++k) sum -= std::log(llt.matrixL()(k, k));
    return sum;
  };
  const auto banded = [&](double s, double tau) {
    return run.log_likelihood({{0.01, 0.01}, {s, s}, {tau, tau}});
  };
  const double constant = banded(1, 0.1) - dense(1, 0.1);
  EXPECT_NEAR(banded(0.2, 0.1) - dense(0.2, 0.1), constant, 1e-5);
  EXPECT_NEAR(banded(5, 0.03) - dense(5, 0.03), constant, 1e-5);
}

TEST(CorrelatedMotion, SolveFindsAMinimumThatDrawsScatterAround) {
  Setting x;
  CorrelatedMotion run(x.model, x.observed, x.start);
  const CorrelatedNoise noise{{0.01, 0.01}, {0.5, 0.5}, {0.1, 0.1}};
  const auto outcome = run.solve(x.model, noise, {});
  EXPECT_TRUE(outcome.converged);
  ASSERT_TRUE(run.linearise(x.model));
  CorrelatedMotion::Draws draws, again;
  ASSERT_TRUE(run.draw(noise, 200, 7, draws));
  ASSERT_TRUE(run.draw(noise, 200, 7, again));
  EXPECT_EQ(draws.error2, again.error2);
  for (int j = 0; j < 2; ++j) {
    double mean = 0;
    for (int d = 0; d < 200; ++d) mean += draws.error2[d * 2 + j] / 200;
    EXPECT_GT(mean, draws.mean2[j]);
    EXPECT_LT(mean, 4 * 0.25 * (run.run.samples() - 2));
  }
}

}  // namespace
}  // namespace mechfit
