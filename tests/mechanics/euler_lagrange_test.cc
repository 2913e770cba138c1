#include "mechfit/mechanics/euler_lagrange.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mechfit/mechanics/families/analytic/analytic.h"
#include "tests/support/models.h"

namespace mechfit {
namespace {

using namespace mechfit::testing;

class Acceleration : public ::testing::TestWithParam<ModelCase> {
 protected:
  Random random{11};
  Model model = GetParam().make(random);
  int n = model.joints(), m = model.inputs();
  AlignedVector q = random_values(n * kBlock, random, 2), v = random_values(n * kBlock, random, 2),
                u = random_values(m * kBlock, random, 2), a = make_panel(n);
  AccelerationWorkspace w{model};
  Points x{q.data(), v.data(), u.data()};
};

INSTANTIATE_TEST_SUITE_P(Models, Acceleration, ::testing::ValuesIn(model_cases()), model_case_name);

TEST_P(Acceleration, PullbackAgreesWithFiniteDifferences) {
  const AlignedVector g = random_values(n * kBlock, random);
  const auto loss = [&] {
    AlignedVector at = make_panel(n);
    EXPECT_EQ(acceleration(model, x, at.data(), w), kAllLanes);
    double sum = 0;
    for (std::size_t i = 0; i < at.size(); ++i) sum += g[i] * at[i];
    return sum;
  };
  (void)loss();
  AlignedVector q_bar = make_panel(n), v_bar = make_panel(n), u_bar = make_panel(m);
  model.clear_gradient(w.model);
  acceleration_pullback(model, g.data(),
                        {q_bar.data(), v_bar.data(), m ? u_bar.data() : nullptr, true}, w);
  const auto theta = gathered_gradient(model, w.model);
  expect_gradient("q", q, q_bar, loss);
  expect_gradient("v", v, v_bar, loss);
  if (m) expect_gradient("u", u, u_bar, loss);
  expect_parameter_gradient(model, theta, loss);
}

TEST_P(Acceleration, InverseDynamicsOfForwardDynamicsReturnsWhatTheInputsPush) {
  ASSERT_EQ(acceleration(model, x, a.data(), w), kAllLanes);
  AlignedVector p = make_panel(n), f = make_panel(n), f0 = make_panel(n), tau = make_panel(n);
  const AlignedVector zero = make_panel(m);
  model.forces(x, p.data(), f.data(), w.model);
  model.forces({q.data(), v.data(), zero.data()}, p.data(), f0.data(), w.model);
  inverse_dynamics(model, x, a.data(), tau.data(), w);
  for (std::size_t i = 0; i < tau.size(); ++i)
    EXPECT_NEAR(tau[i], f[i] - f0[i], 1e-11 * (1 + std::abs(f0[i])));
}

TEST_P(Acceleration, IsTheRateOfChangeThatTheMomentumBalanceAsksFor) {
  // (p(q + t v, v + t a) - p(q - t v, v - t a)) / 2t = f
  ASSERT_EQ(acceleration(model, x, a.data(), w), kAllLanes);
  AlignedVector p = make_panel(n), f = make_panel(n), before = make_panel(n), after = make_panel(n);
  model.forces(x, p.data(), f.data(), w.model);
  const double t = 1e-5;
  AlignedVector q_t = q, v_t = v;
  const auto momentum_at = [&](double time, double* out) {
    for (std::size_t i = 0; i < q.size(); ++i) {
      q_t[i] = q[i] + time * v[i];
      v_t[i] = v[i] + time * a[i];
    }
    momentum(model, {q_t.data(), v_t.data(), nullptr}, out, w);
  };
  momentum_at(-t, before.data());
  momentum_at(t, after.data());
  for (std::size_t i = 0; i < f.size(); ++i)
    EXPECT_NEAR((after[i] - before[i]) / (2 * t), f[i], 1e-5 * (1 + std::abs(f[i])));
}

class AnalyticAcceleration : public Acceleration {};

INSTANTIATE_TEST_SUITE_P(Models, AnalyticAcceleration, ::testing::ValuesIn(analytic_cases()),
                         model_case_name);

TEST_P(AnalyticAcceleration, KeepsThePowerBalance) {
  // dE/dt = v'(f - dL/dq), the power of forces that do not come from L.
  ASSERT_EQ(acceleration(model, x, a.data(), w), kAllLanes);
  AlignedVector tau = make_panel(n), zero_v = make_panel(n);
  const double t = 1e-5;
  AlignedVector q_t = q, v_t = v, before = make_panel(1), after = make_panel(1);
  const auto energy_at = [&](double time, double* out) {
    for (std::size_t i = 0; i < q.size(); ++i) {
      q_t[i] = q[i] + time * v[i];
      v_t[i] = v[i] + time * a[i];
    }
    energy(model, {q_t.data(), v_t.data(), nullptr}, out, w);
  };
  energy_at(-t, before.data());
  energy_at(t, after.data());
  // The power, from f at v and at -v: dL/dq is even in v, viscous friction is odd.
  AlignedVector p = make_panel(n), f = make_panel(n), mirrored = make_panel(n), minus_v = v;
  for (double& value : minus_v) value = -value;
  AlignedVector zero = make_panel(m), f0 = make_panel(n);
  model.forces(x, p.data(), f.data(), w.model);
  model.forces({q.data(), v.data(), zero.data()}, p.data(), f0.data(), w.model);
  model.forces({q.data(), minus_v.data(), zero.data()}, p.data(), mirrored.data(), w.model);
  for (int lane = 0; lane < kBlock; ++lane) {
    double power = 0, size = 1;
    for (int i = lane; i < n * kBlock; i += kBlock) {
      power += v[i] * (0.5 * (f0[i] - mirrored[i]) + f[i] - f0[i]);
      size += std::abs(v[i] * f[i]);
    }
    EXPECT_NEAR((after[lane] - before[lane]) / (2 * t), power, 1e-5 * size);
  }
}

TEST(AccelerationOfAnIndefiniteMass, IsReportedLaneByLaneAndLeavesTheGradientClean) {
  // A spring pendulum of no length has no inertia against turning.
  Model model(make_system("spring-pendulum"));
  const int n = model.joints();
  Random random(3);
  AlignedVector q = random_values(n * kBlock, random), v = random_values(n * kBlock, random),
                a = make_panel(n);
  for (int lane = 0; lane < kBlock; ++lane) q[kBlock + lane] = lane == 5 ? 0.0 : 1.0;
  AccelerationWorkspace w(model);
  const LaneMask positive = acceleration(model, {q.data(), v.data(), nullptr}, a.data(), w);
  EXPECT_EQ(positive, kAllLanes & ~(LaneMask{1} << 5));
  for (int i = 0; i < n; ++i)
    for (int lane = 0; lane < kBlock; ++lane)
      EXPECT_EQ(std::isnan(a[i * kBlock + lane]), lane == 5);

  const AlignedVector g = random_values(n * kBlock, random);
  AlignedVector q_bar = make_panel(n);
  model.clear_gradient(w.model);
  acceleration_pullback(model, g.data(), {.q = q_bar.data(), .theta = true}, w);
  const auto theta = gathered_gradient(model, w.model);
  for (const double value : theta) EXPECT_TRUE(std::isfinite(value));
  for (int i = 0; i < n; ++i) EXPECT_EQ(q_bar[i * kBlock + 5], 0);
}

}  // namespace
}  // namespace mechfit
