#include "mechfit/mechanics/families/trig/trig.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/euler_lagrange.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "mechfit/mechanics/families/smm/smm.h"
#include "tests/mechanics/door_check.h"

namespace mechfit {
namespace {

constexpr auto kPlain = JointType::plain;
constexpr auto kPeriodic = JointType::periodic;

struct Variant {
  const char* name;
  std::vector<JointType> joints;
  int degree;
  bool friction;
  InputMap map;
  int inputs;
};

Trig random_trig(const Variant& variant, Random& random) {
  TrigConfig config;
  config.joints = variant.joints;
  config.degree = variant.degree;
  config.friction = variant.friction;
  config.input_map = variant.map;
  config.inputs = variant.inputs;
  const int n = static_cast<int>(variant.joints.size());
  config.scales = Scales::unit(n, variant.inputs);
  for (auto* scale : {&config.scales.q, &config.scales.v, &config.scales.u})
    for (double& x : *scale) x = random.uniform(0.7, 1.5);
  for (double& x : config.scales.q_offset) x = random.uniform(-0.5, 0.5);
  config.scales.energy = 1.7;
  config.scales.time = 0.6;
  for (int i = 0; i < n * variant.inputs; ++i) config.input_matrix.push_back(random.normal());
  Trig model(config);
  std::vector<double> theta(model.parameters().begin(), model.parameters().end());
  for (double& t : theta) t += 0.3 * random.uniform();
  model.set_parameters(theta);
  return model;
}

class EveryTrig : public ::testing::TestWithParam<Variant> {};

INSTANTIATE_TEST_SUITE_P(
    Trig, EveryTrig,
    ::testing::Values(
        Variant{"One", {kPeriodic}, 1, false, InputMap::fixed, 0},
        Variant{"Two", {kPeriodic, kPeriodic}, 2, true, InputMap::fixed, 1},
        Variant{"Cart", {kPlain, kPeriodic}, 1, true, InputMap::scaled, 1},
        Variant{"Plain", {kPlain, kPlain}, 1, true, InputMap::learned, 2},
        Variant{"Three", {kPeriodic, kPlain, kPeriodic}, 1, true, InputMap::fixed, 0},
        Variant{
            "Four", {kPeriodic, kPeriodic, kPeriodic, kPeriodic}, 1, true, InputMap::learned, 1}),
    [](const auto& test) { return test.param.name; });

TEST_P(EveryTrig, PullbacksAgreeWithFiniteDifferences) {
  Random random(3);
  const Trig model = random_trig(GetParam(), random);
  testing::expect_door_derivatives(model, testing::random_state(model, random), 1e-6);
}

TEST_P(EveryTrig, GradientsPerLaneSumToTheGatheredOnes) {
  Random random(4);
  const Trig model = random_trig(GetParam(), random);
  testing::expect_lane_gradients(model, testing::random_state(model, random));
}

TEST_P(EveryTrig, FrictionTakesEnergy) {
  Random random(5);
  const Trig model = random_trig(GetParam(), random);
  ASSERT_EQ(model.slips().empty(), !model.config().friction);
  if (model.slips().empty()) return;
  std::vector<double> theta(model.parameters().begin(), model.parameters().end());
  Trig without = model;
  std::fill_n(theta.begin() + model.friction_offset(), 2 * model.slips().size(), 0.0);
  without.set_parameters(theta);
  const auto s = testing::random_state(model, random);
  const int n = model.joints();
  auto w = model.make_workspace();
  AlignedVector p = make_panel(n), f = make_panel(n), f0 = make_panel(n);
  model.forces({s.q.data(), s.v.data(), s.u.data()}, p.data(), f.data(), w);
  without.forces({s.q.data(), s.v.data(), s.u.data()}, p.data(), f0.data(), w);
  for (int l = 0; l < kBlock; ++l) {
    double power = 0;
    for (int i = 0; i < n; ++i)
      power += s.v[i * kBlock + l] * (f[i * kBlock + l] - f0[i * kBlock + l]);
    EXPECT_LT(power, 0);
  }
}

TEST(TrigBasis, HasEveryProductOnceAndFewJointsFirst) {
  const TrigBasis basis({kPeriodic, kPlain, kPeriodic}, {0, 0, 0}, {1, 1, 1}, {1, 3});
  EXPECT_EQ(basis.size(), 3 * 3 * 3);
  EXPECT_EQ(basis.size(0), 1);
  EXPECT_EQ(basis.size(1), 1 + 2 + 2 + 2);
  EXPECT_EQ(basis.size(2), 1 + 6 + 3 * 4);
  std::set<std::string> names;
  for (int f = 0; f < basis.size(); ++f) names.insert(basis.name(f, {"a", "x", "b"}));
  EXPECT_EQ(static_cast<int>(names.size()), basis.size());
  EXPECT_EQ(basis.name(0, {"a", "x", "b"}), "1");
  EXPECT_TRUE(names.count("x^2 cos(a - b)"));
  EXPECT_TRUE(names.count("sin(b)"));
}

// Two point masses on rods in absolute angles: M = [2, c; c, 1] with c = cos(q1 - q2), V = -20 cos
// q1 - 10 cos q2, damping 0.5 on each.
TEST(Trig, HoldsTheDoublePendulumExactly) {
  TrigConfig config;
  config.joints = {kPeriodic, kPeriodic};
  config.friction = true;
  Trig model(config);
  const std::vector<std::string> names = {"q1", "q2"};
  std::vector<double> theta(model.parameter_count());
  for (int f = 0; f < model.basis().size(); ++f) {
    const std::string name = model.basis().name(f, names);
    const int functions = model.mass_functions();
    if (name == "1") theta[f] = 2, theta[2 * functions + f] = 1;
    if (name == "cos(q1 - q2)") theta[functions + f] = 1;
    if (name == "cos(q1)") theta[model.potential_offset() + f - 1] = -20;
    if (name == "cos(q2)") theta[model.potential_offset() + f - 1] = -10;
  }
  for (std::size_t s = 0; s < model.slips().size(); ++s)
    if (model.slips()[s].j < 0) theta[model.friction_offset() + s] = 0.5;
  model.set_parameters(theta);

  AnalyticSystem system = make_system("double-pendulum-points");
  for (const auto& constant : system.constants())
    system.set_constant(constant.name, constant.name.find("eta") == 0 ? 0.5
                                       : constant.name == "g"         ? 10
                                                                      : 1);
  Random random(8);
  const auto s = testing::random_state(system, random);
  AlignedVector a = make_panel(2), b = make_panel(2);
  const Model left{model}, right{system};
  AccelerationWorkspace wl(left), wr(right);
  const Points x{s.q.data(), s.v.data(), nullptr};
  ASSERT_EQ(acceleration(left, x, a.data(), wl), kAllLanes);
  ASSERT_EQ(acceleration(right, x, b.data(), wr), kAllLanes);
  for (int k = 0; k < 2 * kBlock; ++k) EXPECT_NEAR(a[k], b[k], 1e-11);
}

TEST(Trig, RefusesAMatrixThatIsNotPositive) {
  TrigConfig config;
  config.joints = {kPeriodic};
  Trig model(config);
  std::vector<double> theta(model.parameter_count());
  theta[0] = -1;
  model.set_parameters(theta);
  auto w = model.make_workspace();
  AlignedVector q = make_panel(1), M = make_panel(1), G = make_panel(1);
  model.mass(q.data(), M.data(), w);
  EXPECT_EQ(M[0], -1);
  model.factor(G.data(), w);
  EXPECT_TRUE(std::isnan(G[0]));
}

TEST_P(EveryTrig, AModelOfHigherDegreeCanBeTheSame) {
  Random random(31);
  const Trig poorer = random_trig(GetParam(), random);
  TrigConfig config = poorer.config();
  ++config.degree;
  Trig richer(config);
  ASSERT_GT(richer.parameter_count(), poorer.parameter_count());
  richer.set_parameters(richer.parameters_of(poorer));
  const auto s = testing::random_state(poorer, random);
  const int n = poorer.joints();
  AlignedVector p = make_panel(n), f = make_panel(n), other_p = make_panel(n),
                other_f = make_panel(n);
  auto w = poorer.make_workspace();
  auto other = richer.make_workspace();
  poorer.forces({s.q.data(), s.v.data(), s.u.data()}, p.data(), f.data(), w);
  richer.forces({s.q.data(), s.v.data(), s.u.data()}, other_p.data(), other_f.data(), other);
  for (int k = 0; k < n * kBlock; ++k) {
    EXPECT_NEAR(other_p[k], p[k], 1e-12 * (1 + std::abs(p[k])));
    EXPECT_NEAR(other_f[k], f[k], 1e-12 * (1 + std::abs(f[k])));
  }
  EXPECT_THROW(poorer.parameters_of(richer), CheckError);
}

}  // namespace
}  // namespace mechfit
