#include "mechfit/estimate/motion/banded.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "mechfit/base/random.h"

namespace mechfit {
namespace {

// B = A + A' + strong diagonal, banded; and the same dense.
Banded random_banded(int size, int half, Random& random, Eigen::MatrixXd& dense) {
  Banded matrix(size, half);
  dense = Eigen::MatrixXd::Zero(size, size);
  for (int i = 0; i < size; ++i)
    for (int j = std::max(0, i - half); j <= i; ++j) {
      matrix.at(i, j) = random.uniform(-1, 1) + (i == j ? 2 * half + 2 : 0);
      dense(i, j) = dense(j, i) = matrix.at(i, j);
    }
  return matrix;
}

TEST(Banded, AgreesWithDenseAlgebra) {
  for (const auto& [size, half] : {std::pair{1, 0}, {3, 5}, {12, 2}, {40, 5}, {30, 11}}) {
    Random random(static_cast<std::uint64_t>(size));
    Eigen::MatrixXd dense;
    Banded matrix = random_banded(size, half, random, dense);
    ASSERT_TRUE(matrix.factor());
    const Eigen::MatrixXd inverse = dense.inverse();
    EXPECT_NEAR(matrix.log_determinant(), std::log(dense.determinant()), 1e-9);
    const Banded within = matrix.inverse();
    for (int i = 0; i < size; ++i)
      for (int j = std::max(0, i - half); j <= i; ++j)
        EXPECT_NEAR(within.at(i, j), inverse(i, j), 1e-12);

    Eigen::VectorXd b(size);
    for (double& x : b) x = random.normal();
    std::vector<double> x(b.begin(), b.end());
    matrix.solve(x);
    EXPECT_LT((Eigen::Map<Eigen::VectorXd>(x.data(), size) - inverse * b).norm(), 1e-12);

    std::vector<double> one(b.begin(), b.end()), many(3 * size);
    for (int i = 0; i < size; ++i)
      for (int c = 0; c < 3; ++c) many[i * 3 + c] = (c + 1) * b[i];
    matrix.solve_lower(one);
    const int part = size / 3;
    matrix.solve_lower(3, 0, part, many.data());
    matrix.solve_lower(3, part, size - part, &many[3 * part]);
    for (int i = 0; i < size; ++i)
      for (int c = 0; c < 3; ++c) EXPECT_NEAR(many[i * 3 + c], (c + 1) * one[i], 1e-12);
  }
}

TEST(Banded, RefusesAnIndefiniteMatrix) {
  Banded matrix(2, 1);
  matrix.at(0, 0) = matrix.at(1, 1) = 1;
  matrix.at(1, 0) = 2;
  EXPECT_FALSE(matrix.factor());
}

}  // namespace
}  // namespace mechfit
