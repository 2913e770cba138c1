#include "mechfit/base/gram.h"

#include <gtest/gtest.h>

#include <Eigen/Core>

namespace mechfit {
namespace {

TEST(Gram, AddsWhatEigenComputes) {
  for (const int cols : {1, 3, 4, 7, 8, 24, 25, 41, 133}) {
    for (const int rows : {1, 5, 64, 300}) {
      const Eigen::MatrixXd a = Eigen::MatrixXd::Random(cols, rows);  // its transpose by rows
      Eigen::MatrixXd s = Eigen::MatrixXd::Ones(cols, cols);
      add_gram(rows, cols, a.data(), -2.0, s.data());
      Eigen::MatrixXd expected = Eigen::MatrixXd::Ones(cols, cols) - 2.0 * a * a.transpose();
      // By rows its lower triangle is Eigen's upper one.
      expected.triangularView<Eigen::StrictlyLower>().setOnes();
      EXPECT_LE((s - expected).cwiseAbs().maxCoeff(), 1e-13 * rows) << cols << " x " << rows;
    }
  }
}

}  // namespace
}  // namespace mechfit
