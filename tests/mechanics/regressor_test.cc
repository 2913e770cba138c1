#include "mechfit/mechanics/families/arm/regressor.h"

#include <gtest/gtest.h>

#include "mechfit/mechanics/point.h"
#include "tests/support/arms.h"

namespace mechfit {
namespace {

// Two kinds of equations for one machine: composite bodies on the tape, recursion by links.
TEST(ArmRegressor, TimesTheLinksIsInverseDynamics) {
  Random random(12);
  for (const ArmKinematics& kinematics :
       {testing::panda(), testing::parallel_arm(), testing::tree()}) {
    const int n = kinematics.n();
    const Arm arm = testing::random_arm(kinematics, 0, false, random);
    std::vector<double> pi;
    for (int i = 0; i < n; ++i) {
      const auto own = link_moments(arm.parameters().subspan(kLinkNumbers * i, kLinkNumbers));
      pi.insert(pi.end(), own.begin(), own.end());
    }
    const Model model(arm);
    PointDynamics dynamics(model);
    const ArmRegressor regressor(kinematics);
    auto w = regressor.make_workspace();
    std::vector<double> q(n), v(n), a(n), tau(n), again(n), y(n * kLinkNumbers * n);
    for (int trial = 0; trial < 20; ++trial) {
      for (auto* x : {&q, &v, &a})
        for (double& value : *x) value = random.uniform(-3, 3);
      dynamics.inverse_dynamics(q, v, a, tau);
      regressor.rows(q, v, a, y.data(), w);
      regressor.torques(q, v, a, pi, again.data(), w);
      for (int i = 0; i < n; ++i) {
        double sum = 0;
        for (int k = 0; k < kLinkNumbers * n; ++k) sum += y[i * kLinkNumbers * n + k] * pi[k];
        EXPECT_NEAR(sum + arm.rotor(i) * a[i], tau[i], 1e-10 * (1 + std::abs(tau[i])));
        EXPECT_NEAR(again[i], sum, 1e-10 * (1 + std::abs(sum)));
      }
    }
  }
}

TEST(LinkMoments, HaveTheSlopeThatDifferencesHave) {
  Random random(2);
  std::vector<double> u(kLinkNumbers);
  for (double& x : u) x = random.uniform(-1, 1);
  const auto slope = link_moments_slope(u);
  EXPECT_GT(std::abs(slope.determinant()), 1e-6);
  for (int k = 0; k < kLinkNumbers; ++k) {
    auto up = u, down = u;
    up[k] += 1e-5;
    down[k] -= 1e-5;
    const Eigen::VectorXd difference = (link_moments(up) - link_moments(down)) / 2e-5;
    for (int i = 0; i < kLinkNumbers; ++i) EXPECT_NEAR(slope(i, k), difference[i], 1e-9);
  }
}

}  // namespace
}  // namespace mechfit
