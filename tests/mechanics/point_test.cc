#include "mechfit/mechanics/point.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mechfit/base/error.h"
#include "mechfit/base/random.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "mechfit/mechanics/families/smm/smm.h"
#include "tests/support/instruction_sets.h"

namespace mechfit {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(PointDynamics, GivesTheTextbookPendulum) {
  const Model model(make_system("cart-pole"));
  PointDynamics point(model);
  const std::vector<double> q{0.3, 0.7}, v{0.5, -1.2}, u{2.0};
  std::vector<double> a(2), tau(2), p(2), m(4), f(2);
  ASSERT_TRUE(point.acceleration(q, v, u, a));
  point.inverse_dynamics(q, v, a, tau);
  EXPECT_NEAR(tau[0], 2.0, 1e-12);  // the force pushes the cart, not the pole
  EXPECT_NEAR(tau[1], 0.0, 1e-12);
  point.mass(q, m);
  point.momentum(q, v, p);
  EXPECT_EQ(m[1], m[2]);
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(p[i], m[2 * i] * v[0] + m[2 * i + 1] * v[1], 1e-14);
  EXPECT_NEAR(point.energy(q, v), point.potential(q) + 0.5 * (p[0] * v[0] + p[1] * v[1]), 1e-13);
  point.force(q, v, u, f);
  std::vector<double> unforced(2);
  point.force(q, v, {}, unforced);
  EXPECT_NEAR(f[0] - unforced[0], 2.0, 1e-14);
}

TEST(PointDynamics, RefusesWrongShapesAndNumbersThatAreNotFinite) {
  const Model model(make_system("cart-pole"));
  PointDynamics point(model);
  const std::vector<double> two{0.1, 0.2}, three{1, 2, 3},
      nan{0.1, std::numeric_limits<double>::quiet_NaN()},
      infinite{std::numeric_limits<double>::infinity(), 0};
  std::vector<double> out(2), small(1);
  EXPECT_THAT([&] { point.momentum(three, two, out); },
              ThrowsMessage<CheckError>(HasSubstr("q has 3 numbers, expected 2")));
  EXPECT_THAT([&] { point.momentum(two, nan, out); },
              ThrowsMessage<CheckError>(HasSubstr("v[1] is nan")));
  EXPECT_THAT([&] { (void)point.energy(infinite, two); },
              ThrowsMessage<CheckError>(HasSubstr("q[0] is inf")));
  EXPECT_THAT([&] { (void)point.acceleration(two, two, two, out); },
              ThrowsMessage<CheckError>(HasSubstr("u has 2 numbers, expected 1")));
  EXPECT_THAT([&] { point.momentum(two, two, small); },
              ThrowsMessage<CheckError>(HasSubstr("p has room for 1 numbers, expected 2")));
}

TEST(PointDynamics, SaysWhenTheMassMatrixIsNotPositiveDefinite) {
  const Model model(make_system("spring-pendulum"));
  PointDynamics point(model);
  const std::vector<double> q{0.1, 0.0}, v{0, 0};
  std::vector<double> a{7, 7};
  EXPECT_FALSE(point.acceleration(q, v, {}, a));
  EXPECT_EQ(a[0], 7);
}

using Activations = std::vector<Activation>;

void expect_the_point_to_agree_with_a_block(int n, const std::vector<int>& hidden,
                                            const Activations& activations) {
  SCOPED_TRACE(std::to_string(n) + " joints");
  Random random(4);
  SmmConfig config;
  for (int i = 0; i < n; ++i)
    config.joints.push_back(i == 1 ? JointType::periodic : JointType::plain);
  config.hidden = hidden;
  config.activations = activations;
  config.force_network = true;
  config.friction = true;
  config.inputs = 2;
  for (int i = 0; i < 2 * n; ++i) config.input_matrix.push_back(random.normal());
  config.scales = Scales::unit(n, 2);
  for (int i = 0; i < n; ++i) {
    config.scales.q[i] = random.uniform(0.5, 2);
    config.scales.v[i] = random.uniform(0.4, 3);
    config.scales.q_offset[i] = random.normal();
  }
  config.scales.energy = 2.5;
  Smm smm(config);
  smm.initialise(random);
  const Model model(smm);
  PointDynamics point(model);
  AccelerationWorkspace w(model);
  AlignedVector q = make_panel(n), v = q, acc = q, a = q, tau = q, u = make_panel(2);
  for (auto* panel : {&q, &v, &acc, &u})
    for (double& x : *panel) x = random.normal();
  const Points x{q.data(), v.data(), u.data()};
  ASSERT_EQ(acceleration(model, x, a.data(), w), kAllLanes);
  const AlignedVector f = w.f;
  inverse_dynamics(model, x, acc.data(), tau.data(), w);
  for (int lane = 0; lane < kBlock; ++lane) {
    auto of = [&](const AlignedVector& panel) {
      std::vector<double> y;
      for (std::size_t i = 0; i < panel.size() / kBlock; ++i) y.push_back(panel[i * kBlock + lane]);
      return y;
    };
    auto expect_near = [](const std::vector<double>& given, const std::vector<double>& wanted) {
      for (std::size_t i = 0; i < wanted.size(); ++i)
        EXPECT_NEAR(given[i], wanted[i], 1e-11 * (1 + std::fabs(wanted[i])));
    };
    std::vector<double> out(n);
    ASSERT_TRUE(point.acceleration(of(q), of(v), of(u), out));
    expect_near(out, of(a));
    point.force(of(q), of(v), of(u), out);
    expect_near(out, of(f));
    point.inverse_dynamics(of(q), of(v), of(acc), out);
    expect_near(out, of(tau));
  }
}

TEST(PointDynamics, OfNetworksAgreesWithABlockOfThem) {
  on_every_instruction_set([](const std::string& name) {
    SCOPED_TRACE(name);
    constexpr auto tanh = Activation::tanh, softplus = Activation::softplus;
    constexpr auto identity = Activation::identity;
    for (const auto& hidden : std::vector<std::vector<int>>{
             {32, 32, 32}, {64, 64, 64}, {16, 8, 8}, {70, 9, 5}, {12, 100, 3}}) {
      expect_the_point_to_agree_with_a_block(2, hidden, {tanh, tanh, identity});
      expect_the_point_to_agree_with_a_block(3, hidden, {tanh, softplus, identity});
    }
    expect_the_point_to_agree_with_a_block(1, {32}, {softplus});
    expect_the_point_to_agree_with_a_block(9, {32, 32}, {tanh, tanh});
    expect_the_point_to_agree_with_a_block(4, {}, {});
  });
}

}  // namespace
}  // namespace mechfit
