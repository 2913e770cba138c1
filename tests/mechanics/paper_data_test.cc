#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>

#include "mechfit/mechanics/families/analytic/analytic.h"
#include "mechfit/mechanics/point.h"
#include "tests/support/shared_data.h"

namespace mechfit {
namespace {

// The accelerations behind the published figures, where the paper's data are at hand.
void expect_published_accelerations(const std::string& file, double eta) {
  std::ifstream in(testing::shared_data("paper/" + file));
  if (!in) GTEST_SKIP() << "no " << file << " beside the source folder";
  AnalyticSystem system = make_system("double-pendulum-points");
  system.set_constant("eta1", eta);
  system.set_constant("eta2", eta);
  const Model model(system);
  PointDynamics dynamics(model);
  std::string line;
  std::getline(in, line);  // trajectory,t,q1,q2,qd1,qd2,qdd1,qdd2
  int rows = 0;
  for (; std::getline(in, line); ++rows) {
    std::array<double, 2> q, v, expected, a;
    ASSERT_EQ(std::sscanf(line.c_str(), "%*d,%*f,%lf,%lf,%lf,%lf,%lf,%lf", &q[0], &q[1], &v[0],
                          &v[1], &expected[0], &expected[1]),
              6);
    ASSERT_TRUE(dynamics.acceleration(q, v, {}, a));
    for (int i = 0; i < 2; ++i)
      ASSERT_NEAR(a[i], expected[i], 1e-8 * (1 + std::abs(expected[i]))) << "row " << rows;
  }
  EXPECT_GT(rows, 3000);
}

TEST(PaperData, UndampedAccelerationsAreThePublishedOnes) {
  expect_published_accelerations("undamped_midpoint_truth.csv", 0);
}

TEST(PaperData, DampedAccelerationsAreThePublishedOnes) {
  expect_published_accelerations("damped_midpoint_truth.csv", 0.5);
}

}  // namespace
}  // namespace mechfit
