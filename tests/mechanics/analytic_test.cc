#include "mechfit/mechanics/families/analytic/analytic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/lanes.h"
#include "mechfit/mechanics/model.h"
#include "mechfit/mechanics/point.h"
#include "tests/mechanics/door_check.h"
#include "tests/support/system_case.h"

namespace mechfit {
namespace {

using testing::DoorState;

// A system with constants drawn around 1 (those of a real machine would only scale the numbers).
AnalyticSystem random_system(const std::string& name, int joints, Random& random) {
  AnalyticSystem system = make_system(name, joints);
  std::vector<double> theta(system.parameter_count());
  for (double& value : theta) value = random.uniform(0.6, 1.6);
  system.set_parameters(theta);
  return system;
}

DoorState random_state(const AnalyticSystem& system, Random& random) {
  DoorState s = testing::random_state(system, random);
  if (system.name() == "spring-pendulum")  // the spring has a length
    for (int l = 0; l < kBlock; ++l) s.q[kBlock + l] = random.uniform(0.5, 2);
  return s;
}

using testing::system_case_name;
using testing::SystemCase;

class EverySystem : public ::testing::TestWithParam<SystemCase> {
 protected:
  Random random{2021};
  AnalyticSystem system = random_system(GetParam().name, GetParam().joints, random);
  int n = system.joints();
  AnalyticSystem::Workspace w = system.make_workspace();
  DoorState s = random_state(system, random);
  AlignedVector p = make_panel(n), f = make_panel(n), rate = make_panel(n), M = make_panel(n * n);
};

INSTANTIATE_TEST_SUITE_P(
    Analytic, EverySystem,
    ::testing::Values(SystemCase{"pendulum", 1}, SystemCase{"double-pendulum", 2},
                      SystemCase{"double-pendulum-points", 2},
                      SystemCase{"double-pendulum-links", 2}, SystemCase{"chain", 1},
                      SystemCase{"chain", 2}, SystemCase{"chain", 3}, SystemCase{"chain", 7},
                      SystemCase{"chain", 14}, SystemCase{"chain-points", 1},
                      SystemCase{"chain-points", 3}, SystemCase{"cart-pole", 2},
                      SystemCase{"furuta", 2}, SystemCase{"spring-pendulum", 2},
                      SystemCase{"acrobot", 2}, SystemCase{"pendubot", 2}),
    system_case_name);

TEST_P(EverySystem, PullbacksAgreeWithFiniteDifferences) {
  testing::expect_door_derivatives(system, s, 1e-7, n > 1);  // one joint alone: M is constant
  testing::expect_lane_gradients(system, s);
}

TEST_P(EverySystem, ForcesAreDerivativesOfTheLagrangian) {
  // Without damping and inputs p = dL/dv and f = dL/dq.
  std::vector<double> theta(system.parameters().begin(), system.parameters().end());
  for (std::size_t k = 0; k < theta.size(); ++k)
    if (system.constants()[k].name.starts_with("eta")) theta[k] = 0;
  system.set_parameters(theta);
  std::fill(s.u.begin(), s.u.end(), 0.0);
  system.forces({s.q.data(), s.v.data(), s.u.data()}, p.data(), f.data(), w);
  const auto along = [&](AlignedVector& x) {
    return [&](std::span<const double> point) {
      const AlignedVector kept = x;
      std::copy(point.begin(), point.end(), x.begin());
      const double value = testing::lagrangian_sum(system, s, w);
      x = kept;
      return value;
    };
  };
  const AlignedVector q0 = s.q, v0 = s.v, p0 = p, f0 = f;
  const auto to_q = check_gradient(along(s.q), q0, f0);
  EXPECT_TRUE(to_q.agrees(1e-7)) << to_q.text();
  const auto to_v = check_gradient(along(s.v), v0, p0);
  EXPECT_TRUE(to_v.agrees(1e-7)) << to_v.text();
}

TEST_P(EverySystem, MassRateIsTheDerivativeOfMomentumAlongTheMotion) {
  system.forces({s.q.data(), s.v.data(), s.u.data()}, p.data(), f.data(), w);
  system.mass_rate(rate.data(), w);
  const auto momentum = [&](std::span<const double> q, std::span<double> y) {
    system.forces({q.data(), s.v.data(), s.u.data()}, y.data(), f.data(), w);
  };
  const auto report = check_jvp(momentum, s.q, s.v, rate);
  if (n > 1)
    EXPECT_TRUE(report.agrees(1e-7)) << report.text();
  else
    for (double value : rate) EXPECT_EQ(value, 0);
}

TEST_P(EverySystem, FactorTimesItsTransposeIsTheMass) {
  AlignedVector G = make_panel(n * n);
  system.mass(s.q.data(), M.data(), w);
  system.factor(G.data(), w);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j)
      for (int l = 0; l < kBlock; ++l) {
        double sum = 0;
        for (int k = 0; k <= j; ++k)
          sum += G[(i * n + k) * kBlock + l] * G[(j * n + k) * kBlock + l];
        EXPECT_NEAR(sum, M[(i * n + j) * kBlock + l], 1e-12 * n * n * n);
      }
}

TEST_P(EverySystem, DampingOnlyTakesEnergy) {
  // F'v at u = 0 is f'v with damping minus f'v without.
  std::fill(s.u.begin(), s.u.end(), 0.0);
  const auto power = [&](const AnalyticSystem& model) {
    model.forces({s.q.data(), s.v.data(), s.u.data()}, p.data(), f.data(), w);
    std::vector<double> sum(kBlock, 0.0);
    for (int k = 0; k < n * kBlock; ++k) sum[k % kBlock] += f[k] * s.v[k];
    return sum;
  };
  const auto damped = power(system);
  for (const auto& constant : system.constants())
    if (constant.name.starts_with("eta")) system.set_constant(constant.name, 0);
  const auto free = power(system);
  for (int l = 0; l < kBlock; ++l) EXPECT_LT(damped[l], free[l]);
}

TEST_P(EverySystem, MassAndForceConstantsScaleEverything) {
  // L and F times gamma: p, f, M times gamma. Masses, inertias, stiffness and damping carry it.
  const double gamma = 2.5;
  std::fill(s.u.begin(), s.u.end(), 0.0);
  AlignedVector p1 = p, f1 = f;
  system.forces({s.q.data(), s.v.data(), s.u.data()}, p1.data(), f1.data(), w);
  for (const auto& constant : system.constants()) {
    const char kind = constant.name[0];
    if (kind == 'm' || kind == 'J' || kind == 's' || kind == 'k' || kind == 'e')
      system.set_constant(constant.name, gamma * system.constant(constant.name));
  }
  system.forces({s.q.data(), s.v.data(), s.u.data()}, p.data(), f.data(), w);
  for (int k = 0; k < n * kBlock; ++k) {
    EXPECT_NEAR(p[k], gamma * p1[k], 1e-12 * (1 + std::abs(p[k])));
    EXPECT_NEAR(f[k], gamma * f1[k], 1e-12 * (1 + std::abs(f[k])));
  }
}

TEST_P(EverySystem, GradientsGatherOverPullbacksUntilCleared) {
  std::vector<double> once(system.parameter_count()), twice(once), none(once);
  system.forces({s.q.data(), s.v.data(), s.u.data()}, p.data(), f.data(), w);
  const Covectors covectors{.a = s.a.data(), .b = s.b.data()};
  system.clear_gradient(w);
  system.pullback(covectors, {.theta = true}, w);
  system.add_gradient(w, once);
  system.pullback(covectors, {.theta = true}, w);
  system.pullback(covectors, {.q = rate.data()}, w);
  system.add_gradient(w, twice);
  system.clear_gradient(w);
  system.add_gradient(w, none);
  for (std::size_t k = 0; k < once.size(); ++k) {
    EXPECT_NEAR(twice[k], 2 * once[k], 1e-12 * (1 + std::abs(once[k])));
    EXPECT_EQ(none[k], 0);
  }
}

TEST(AnalyticSystem, ChainOfTwoIsTheDoublePendulum) {
  Random random(5);
  AnalyticSystem chain = make_system("chain", 2);
  AnalyticSystem pair = random_system("double-pendulum", 2, random);
  chain.set_parameters(pair.parameters());  // the same order of constants
  auto w = chain.make_workspace();
  auto w2 = pair.make_workspace();
  const auto s = testing::random_state(pair, random);
  AlignedVector p = make_panel(2), f = make_panel(2), p2 = make_panel(2), f2 = make_panel(2);
  chain.forces({s.q.data(), s.v.data(), nullptr}, p.data(), f.data(), w);
  pair.forces({s.q.data(), s.v.data(), nullptr}, p2.data(), f2.data(), w2);
  for (int k = 0; k < 2 * kBlock; ++k) {
    EXPECT_NEAR(p[k], p2[k], 1e-13 * (1 + std::abs(p[k])));
    EXPECT_NEAR(f[k], f2[k], 1e-13 * (1 + std::abs(f[k])));
  }
}

TEST(AnalyticSystem, DefaultsAreThePapers) {
  const AnalyticSystem system = make_system("double-pendulum");
  const std::vector<double> expected = {1, 1, 1, 1, 10, 0, 0};
  EXPECT_EQ(std::vector<double>(system.parameters().begin(), system.parameters().end()), expected);
  EXPECT_THAT(system.joint_names(), ::testing::ElementsAre("q1", "q2"));
  EXPECT_EQ(system.joint_types()[0], JointType::periodic);
}

TEST(AnalyticSystem, EveryListedSystemCanBeMade) {
  for (const auto& info : list_systems()) {
    const AnalyticSystem system = make_system(info.name);
    EXPECT_EQ(system.name(), info.name);
    EXPECT_EQ(system.joints(), info.joints);
    EXPECT_EQ(system.joint_names().size(), static_cast<std::size_t>(info.joints));
    EXPECT_EQ(system.input_names().size(), static_cast<std::size_t>(system.inputs()));
    for (const auto& constant : system.constants())
      EXPECT_EQ(system.constant(constant.name), constant.value);
  }
}

TEST(AnalyticSystem, WrongConstantsAreRefusedByName) {
  AnalyticSystem system = make_system("pendulum");
  const auto expect = [](const auto& call, const std::string& text) {
    try {
      call();
      FAIL() << "expected InputError with " << text;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(text));
    }
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect([&] { system.set_constant("mass", 1); }, "expected one of m, l, g, eta");
  expect([&] { system.constant("x"); }, "expected one of m, l, g, eta");
  expect([&] { system.set_constant("m", 0); }, "'m' is 0.000000, expected a finite number > 0");
  expect([&] { system.set_constant("g", nan); }, "'g' is nan, expected a finite number");
  expect([&] { system.set_constant("eta", -1); }, "expected a finite number >= 0");
  expect([&] { make_system("pendulum", 2); }, "has 1 joints, not 2");
  expect([&] { make_system("chain", 0); }, "has 1 or more joints, not 0");
  expect([&] { make_system("lamp"); }, "expected one of pendulum, double-pendulum");
  EXPECT_EQ(system.constant("m"), 1);
  system.set_constant("g", 0);
}

TEST(AnalyticSystem, ShapeMistakesAreRefused) {
  AnalyticSystem system = make_system("cart-pole");
  EXPECT_THROW(system.set_parameters(std::vector<double>(2, 1.0)), CheckError);
  auto w = system.make_workspace();
  AlignedVector x = make_panel(2), y = make_panel(2);
  EXPECT_THROW(system.forces({x.data(), x.data(), nullptr}, y.data(), y.data(), w), CheckError);
  AlignedVector u = make_panel(1), p = make_panel(2);
  system.forces({x.data(), x.data(), u.data()}, p.data(), y.data(), w);
  EXPECT_THROW(system.pullback({.c = x.data()}, {.q = y.data()}, w), CheckError);
  std::vector<double> gradient(2);
  EXPECT_THROW(system.add_gradient(w, gradient), CheckError);
}

TEST(AnalyticSystem, AFactorThatDoesNotExistIsNan) {
  // A spring of no length has no inertia about its hinge.
  AnalyticSystem system = make_system("spring-pendulum");
  auto w = system.make_workspace();
  AlignedVector q = make_panel(2), M = make_panel(4), G = make_panel(4);
  for (int l = 1; l < kBlock; ++l) q[kBlock + l] = 1;
  system.mass(q.data(), M.data(), w);
  system.factor(G.data(), w);
  EXPECT_TRUE(std::isnan(G[3 * kBlock]));
  for (int l = 1; l < kBlock; ++l) EXPECT_EQ(G[3 * kBlock + l], 1);
}

// Uniform rods are links with the default constants; the angles of the former are relative.
TEST(DoublePendulumLinks, MoveLikeTheRodsThatTheyDescribe) {
  const AnalyticSystem links = make_system("double-pendulum-links"),
                       rods = make_system("double-pendulum");
  const Model links_model(links), rods_model(rods);
  PointDynamics links_at(links_model), rods_at(rods_model);
  Random random(8);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<double> q(2), v(2), a(2), b(2);
    for (int i = 0; i < 2; ++i) q[i] = random.uniform(-3, 3), v[i] = random.uniform(-3, 3);
    const std::vector<double> relative_q = {q[0], q[1] - q[0]}, relative_v = {v[0], v[1] - v[0]};
    ASSERT_TRUE(links_at.acceleration(q, v, {}, a));
    ASSERT_TRUE(rods_at.acceleration(relative_q, relative_v, {}, b));
    EXPECT_NEAR(a[0], b[0], 1e-10);
    EXPECT_NEAR(a[1], b[0] + b[1], 1e-10);
  }
}

TEST(DoublePendulumLinks, RubInTheirBearings) {
  AnalyticSystem system = make_system("double-pendulum-links");
  const std::vector<double> q = {0.4, -0.3}, v = {2, 2.05}, acceleration = {0, 0};
  const auto torque = [&] {
    const Model model(system);
    std::vector<double> tau(2);
    PointDynamics(model).inverse_dynamics(q, v, acceleration, tau);
    return tau;
  };
  const std::vector<double> smooth = torque();
  for (const auto& [name, value] : {std::pair{"eta1", 0.3}, std::pair{"eta2", 0.4},
                                    std::pair{"eta_dry1", 0.5}, std::pair{"eta_dry2", 0.6}})
    system.set_constant(name, value);
  const std::vector<double> rubbing = torque();
  const double first = 0.3 * 2 + 0.5 * std::tanh(20.0);
  const double second = 0.4 * 0.05 + 0.6 * std::tanh(0.5);
  EXPECT_NEAR(rubbing[0] - smooth[0], first - second, 1e-12);
  EXPECT_NEAR(rubbing[1] - smooth[1], second, 1e-12);
}

}  // namespace
}  // namespace mechfit
