#include "mechfit/evaluate/model_point.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mechfit/mechanics/families/analytic/analytic.h"
#include "mechfit/mechanics/families/smm/smm.h"
#include "mechfit/mechanics/families/trig/trig.h"
#include "mechfit/mechanics/point.h"
#include "tests/support/models.h"

namespace mechfit {
namespace {

using testing::ModelCase;

class ModelAtAPoint : public ::testing::TestWithParam<ModelCase> {};
INSTANTIATE_TEST_SUITE_P(Models, ModelAtAPoint, ::testing::ValuesIn(testing::model_cases()),
                         testing::model_case_name);

std::vector<double> random_state(int n, Random& random) {
  std::vector<double> x(n);
  for (double& value : x) value = random.uniform(-1, 1);
  return x;
}

TEST_P(ModelAtAPoint, HasTheGradientOfItsLagrangian) {
  Random random(5);
  const Model model = GetParam().make(random);
  const auto q = random_state(model.joints(), random), v = random_state(model.joints(), random);
  const ModelPoint point = model_at(model, q, v);
  PointDynamics dynamics(model);
  // L = T - V = E - 2 V
  const auto lagrangian = [&](std::span<const double> at) {
    return dynamics.energy(at, v) - 2 * dynamics.potential(at);
  };
  const DerivativeReport report = check_gradient(lagrangian, q, point.conservative);
  EXPECT_TRUE(report.agrees(1e-7)) << report.text();
}

TEST_P(ModelAtAPoint, SplitsTheForceWithoutRest) {
  Random random(6);
  const Model model = GetParam().make(random);
  const int n = model.joints();
  const auto q = random_state(n, random), v = random_state(n, random);
  const ModelPoint point = model_at(model, q, v);
  std::vector<double> f(n), a(n);
  PointDynamics dynamics(model);
  dynamics.force(q, v, {}, f);
  for (int i = 0; i < n; ++i) EXPECT_NEAR(point.conservative[i] + point.force[i], f[i], 1e-11);
  ASSERT_TRUE(dynamics.acceleration(q, v, {}, a));
  EXPECT_EQ(point.acceleration, a);
}

TEST(ModelPoint, FrictionIsExact) {
  Random random(7);
  const Model model = testing::random_smm(2, false, true, InputMap::fixed, 0, random);
  const Smm& smm = *model.as<Smm>();
  const std::vector<double> v = {0.7, -0.3};
  const ModelPoint point = model_at(model, {0.4, -0.2}, v);
  for (int i = 0; i < 2; ++i) {
    const double width = 0.05 * smm.config().scales.v[i];
    const double friction = -smm.viscous()[i] * v[i] - smm.coulomb()[i] * std::tanh(v[i] / width);
    ASSERT_GT(std::fabs(friction), 1e-3);
    EXPECT_NEAR(point.force[i], friction, 1e-13);
  }
  for (const double force : model_at(model, {0.4, -0.2}, {0, 0}).force) EXPECT_EQ(force, 0);
}

TEST(ModelPoint, TellsAForceAtRestFromThePotential) {
  Random random(8);
  const Model model = testing::random_smm(2, true, false, InputMap::fixed, 0, random);
  const ModelPoint point = model_at(model, {0.4, -0.2}, {0, 0});
  PointDynamics dynamics(model);
  std::vector<double> f(2);
  dynamics.force(std::vector{0.4, -0.2}, std::vector{0.0, 0.0}, {}, f);
  for (int i = 0; i < 2; ++i) {
    ASSERT_GT(std::fabs(point.force[i]), 1e-4);
    EXPECT_NE(point.conservative[i], f[i]);
  }
}

}  // namespace
}  // namespace mechfit
