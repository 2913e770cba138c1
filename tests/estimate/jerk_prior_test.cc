#include "mechfit/estimate/motion/jerk_prior.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mechfit/base/gradient_check.h"
#include "mechfit/base/random.h"
#include "mechfit/estimate/motion/motion_quadratic.h"

namespace mechfit {
namespace {

constexpr int kJoints = 2, kNodes = 9;

struct Case {
  std::vector<double> h, q;
};

Case uneven_motion() {
  Random random(1);
  Case c;
  for (int k = 0; k + 1 < kNodes; ++k) c.h.push_back(random.uniform(0.5, 1.5));
  for (int k = 0; k < kNodes * kJoints; ++k) c.q.push_back(random.uniform(-1, 1));
  return c;
}

TEST(JerkPrior, IsOfTheThirdDerivativeOnUnevenSteps) {
  const Case c = uneven_motion();
  const JerkPrior prior(c.h, std::vector<double>{2.0, 0.0});
  std::vector<double> cubic(kNodes * kJoints);
  double t = 0, expected = 0;
  for (int k = 0; k < kNodes; ++k) {
    cubic[k * kJoints] = 3 - t + 2 * t * t + 0.5 * t * t * t;  // jerk 3
    cubic[k * kJoints + 1] = std::sin(5 * t);                  // no prior
    if (k + 3 < kNodes) expected += (c.h[k] + c.h[k + 1] + c.h[k + 2]) / 3 * 9 / (2 * 2.0);
    if (k + 1 < kNodes) t += c.h[k];
  }
  EXPECT_NEAR(prior.value(cubic), expected, 1e-9 * expected);
  EXPECT_EQ(prior.rank(), kNodes - 3);
}

TEST(JerkPrior, HasTheGradientAndTheMatrixOfItsValue) {
  const Case c = uneven_motion();
  const JerkPrior prior(c.h, std::vector<double>{2.0, 0.7});
  std::vector<double> g(c.q.size(), 0.0);
  prior.add_gradient(c.q, g);
  const auto report =
      check_gradient([&](std::span<const double> q) { return prior.value(q); }, c.q, g);
  EXPECT_TRUE(report.agrees(1e-6)) << report.text();
  Banded H(kNodes * kJoints, prior.half());
  prior.add(H);
  double twice = 0;  // q'P q
  for (int i = 0; i < H.size(); ++i)
    for (int j = std::max(0, i - H.half()); j <= i; ++j)
      twice += (i == j ? 1 : 2) * H.at(i, j) * c.q[i] * c.q[j];
  EXPECT_NEAR(0.5 * twice, prior.value(c.q), 1e-9 * twice);
}

// With errors that say nothing the motion is that of observations and prior, and their density is
// that of N(0, sigma^2 + P^-1) but for what P leaves open.
TEST(JerkPrior, JoinsTheQuadraticOfARun) {
  const Case c = uneven_motion();
  const JerkPrior prior(c.h, std::vector<double>{2.0, 0.7});
  const std::vector<double> y(c.q.size(), 0.3), e((kNodes - 2) * kJoints, 0.0);
  const std::vector<double> jacobian(e.size() * 3 * kJoints, 0.0);
  MotionQuadratic quadratic;
  quadratic.set(kJoints, y, c.q, e, jacobian, &prior);
  const MotionNoise noise{{0.5, 0.4}, {1, 1}};
  double expected = prior.value(c.q);
  for (std::size_t k = 0; k < y.size(); ++k)
    expected += 0.5 * std::pow((y[k] - c.q[k]) / noise.sigma[k % 2], 2);
  EXPECT_NEAR(quadratic.value(noise), expected, 1e-9 * expected);
  ASSERT_TRUE(quadratic.factor(noise, 0));
  std::vector<double> step(quadratic.gradient().begin(), quadratic.gradient().end());
  quadratic.hessian().solve(step);
  // At the minimum, a constant, there is no misfit and no jerk.
  for (std::size_t k = 0; k < y.size(); ++k) EXPECT_NEAR(c.q[k] - step[k], 0.3, 1e-7);
  const double at_minimum = quadratic.log_likelihood(noise);
  const std::vector<double> constant(c.q.size(), 0.3);
  quadratic.set(kJoints, y, constant, e, jacobian, &prior);
  EXPECT_NEAR(quadratic.log_likelihood(noise), at_minimum, 1e-6);
}

}  // namespace
}  // namespace mechfit
