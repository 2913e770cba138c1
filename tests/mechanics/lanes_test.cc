#include "mechfit/mechanics/lanes.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "mechfit/base/random.h"

namespace mechfit {
namespace {

// A different positive definite matrix in every lane, upper triangle NaN: it may not be read.
struct Lanes {
  explicit Lanes(int size) : n(size), M(make_panel(n * n)), G(M), b(make_panel(n)), x(b) {
    Random random(3);
    for (double& value : b) value = random.normal();
    for (int l = 0; l < kBlock; ++l) {
      Eigen::MatrixXd A(n, n);
      for (double& value : A.reshaped()) value = random.normal();
      matrices[l] = A * A.transpose() + 0.1 * Eigen::MatrixXd::Identity(n, n);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) M[(i * n + j) * kBlock + l] = j <= i ? matrices[l](i, j) : NAN;
    }
  }

  Eigen::VectorXd column(const AlignedVector& panel, int lane) const {
    Eigen::VectorXd y(n);
    for (int i = 0; i < n; ++i) y(i) = panel[i * kBlock + lane];
    return y;
  }

  int n;
  AlignedVector M, G, b, x;
  Eigen::MatrixXd matrices[kBlock];
};

class LanesOfSize : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Lanes, LanesOfSize, ::testing::Values(1, 2, 3, 7, 14));

TEST_P(LanesOfSize, CholeskyAndSolveAgreeWithEigen) {
  Lanes lanes(GetParam());
  const int n = lanes.n;
  cholesky(n, lanes.M.data(), lanes.G.data());
  solve(n, lanes.G.data(), lanes.b.data(), lanes.x.data());
  for (int l = 0; l < kBlock; ++l) {
    const Eigen::LLT<Eigen::MatrixXd> llt(lanes.matrices[l]);
    const Eigen::MatrixXd L = llt.matrixL();
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j)
        EXPECT_NEAR(lanes.G[(i * n + j) * kBlock + l], L(i, j), 1e-11 * (1 + L.norm()));
    const Eigen::VectorXd b = lanes.column(lanes.b, l), x = lanes.column(lanes.x, l);
    EXPECT_LT((lanes.matrices[l] * x - b).norm(), 1e-10 * (1 + x.norm()) * (1 + L.norm()));
  }
}

TEST_P(LanesOfSize, SolvesMayOverwriteTheirRightHandSide) {
  Lanes lanes(GetParam());
  const int n = lanes.n;
  cholesky(n, lanes.M.data(), lanes.G.data());
  solve(n, lanes.G.data(), lanes.b.data(), lanes.x.data());
  solve(n, lanes.G.data(), lanes.b.data(), lanes.b.data());
  EXPECT_EQ(lanes.b, lanes.x);
  cholesky(n, lanes.M.data(), lanes.M.data());
  for (int i = 0; i < n; ++i)
    for (int k = i * n * kBlock; k < (i * n + i + 1) * kBlock; ++k)
      EXPECT_EQ(lanes.M[k], lanes.G[k]);
}

TEST_P(LanesOfSize, InverseAndDeterminantAgreeWithEigen) {
  Lanes lanes(GetParam());
  const int n = lanes.n;
  const double shift = 0.05, weight = -3.0;
  std::vector<double> scales;
  for (int i = 0; i < n; ++i) scales.push_back(1.0 + 0.1 * i);
  AlignedVector out(lanes.M.size()), log_det = make_panel(1), again = log_det;
  shifted_inverse(n, lanes.M.data(), scales.data(), shift, weight, out.data(), log_det.data());
  for (int l = 0; l < kBlock; ++l) {
    const Eigen::MatrixXd S = Eigen::Map<Eigen::VectorXd>(scales.data(), n).asDiagonal();
    const Eigen::MatrixXd A = S * lanes.matrices[l] * S - shift * Eigen::MatrixXd::Identity(n, n);
    const Eigen::MatrixXd expected = weight * S * A.inverse() * S;
    EXPECT_NEAR(log_det[l], std::log(A.determinant()), 1e-11);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j)
        EXPECT_NEAR(out[(i * n + j) * kBlock + l], expected(i, j), 1e-10 * expected.norm());
  }
  shifted_inverse(n, lanes.M.data(), scales.data(), shift, weight, lanes.M.data(), again.data());
  EXPECT_EQ(again, log_det);
  for (int i = 0; i < n; ++i)
    for (int k = i * n * kBlock; k < (i * n + i + 1) * kBlock; ++k) EXPECT_EQ(lanes.M[k], out[k]);
}

TEST_P(LanesOfSize, TheDeterminantOfAnIndefiniteOrInfiniteMatrixIsNanInItsLaneOnly) {
  Lanes lanes(GetParam());
  const int n = lanes.n;
  const std::vector<double> ones(n, 1.0);
  AlignedVector log_det = make_panel(1);
  for (int bad = 0; bad < n; ++bad) {
    AlignedVector M = lanes.M;
    M[(bad * n + bad) * kBlock + 5] = bad == n - 1 ? INFINITY : bad % 2 ? 0 : -1;
    shifted_inverse(n, M.data(), ones.data(), 0.0, 1.0, M.data(), log_det.data());
    for (int l = 0; l < kBlock; ++l) EXPECT_EQ(std::isnan(log_det[l]), l == 5) << bad;
  }
}

TEST_P(LanesOfSize, SymmetricProductReadsTheLowerTriangle) {
  Lanes lanes(GetParam());
  symmetric_product(lanes.n, lanes.M.data(), lanes.b.data(), lanes.x.data());
  for (int l = 0; l < kBlock; ++l)
    EXPECT_LT((lanes.matrices[l] * lanes.column(lanes.b, l) - lanes.column(lanes.x, l)).norm(),
              1e-12 * lanes.matrices[l].norm() * (1 + lanes.n));
}

TEST_P(LanesOfSize, AnIndefiniteMatrixHasNanAsItsLastPivotInItsLaneOnly) {
  Lanes lanes(GetParam());
  const int n = lanes.n, last = (n * n - 1) * kBlock;
  for (int bad = 0; bad < n; ++bad) {
    AlignedVector M = lanes.M;
    M[(bad * n + bad) * kBlock + 5] = bad % 2 ? 0 : -1;
    cholesky(n, M.data(), lanes.G.data());
    for (int l = 0; l < kBlock; ++l) EXPECT_EQ(std::isnan(lanes.G[last + l]), l == 5) << bad;
    solve(n, lanes.G.data(), lanes.b.data(), lanes.x.data());
    for (int i = 0; i < n; ++i)
      for (int l = 0; l < kBlock; ++l)
        EXPECT_EQ(std::isnan(lanes.x[i * kBlock + l]), l == 5) << bad;
  }
}

}  // namespace
}  // namespace mechfit
