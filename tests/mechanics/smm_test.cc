#include "mechfit/mechanics/families/smm/smm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/lanes.h"
#include "tests/mechanics/door_check.h"

namespace mechfit {
namespace {

constexpr auto kPlain = JointType::plain;
constexpr auto kPeriodic = JointType::periodic;

// n joints, periodic and plain ones mixed, small networks with every kind of layer, scales that are
// not one.
SmmConfig mixed_config(int n, bool force_network, bool friction, InputMap map, int inputs) {
  SmmConfig config;
  for (int i = 0; i < n; ++i) config.joints.push_back(i % 2 == 0 ? kPeriodic : kPlain);
  config.inputs = inputs;
  config.hidden = {5, 4, 3};
  config.activations = {Activation::tanh, Activation::softplus, Activation::identity};
  config.force_network = force_network;
  config.friction = friction;
  config.input_map = map;
  Random random(99);
  config.scales = Scales::unit(n, inputs);
  for (auto* scale : {&config.scales.q, &config.scales.v, &config.scales.u})
    for (double& x : *scale) x = random.uniform(0.7, 1.5);
  for (double& x : config.scales.q_offset) x = random.uniform(-0.5, 0.5);
  config.scales.energy = 1.7;
  config.scales.time = 0.6;
  for (int i = 0; i < n * inputs; ++i) config.input_matrix.push_back(random.normal());
  return config;
}

Smm random_smm(const SmmConfig& config, Random& random) {
  Smm model(config);
  model.initialise(random);
  std::vector<double> theta(model.parameters().begin(), model.parameters().end());
  for (double& t : theta) t += 0.1 * random.normal();
  model.set_parameters(theta);
  return model;
}

struct Variant {
  const char* name;
  bool force_network, friction;
  InputMap map;
  int inputs;
};

class EverySmm : public ::testing::TestWithParam<std::tuple<int, Variant>> {};

INSTANTIATE_TEST_SUITE_P(
    Smm, EverySmm,
    ::testing::Combine(::testing::Values(1, 2, 3, 7, 14),
                       ::testing::Values(Variant{"None", false, false, InputMap::fixed, 0},
                                         Variant{"Network", true, false, InputMap::fixed, 1},
                                         Variant{"Friction", false, true, InputMap::scaled, 2},
                                         Variant{"Both", true, true, InputMap::learned, 2})),
    [](const auto& test) {
      return std::get<1>(test.param).name + std::to_string(std::get<0>(test.param));
    });

TEST_P(EverySmm, PullbacksAgreeWithFiniteDifferences) {
  const auto& [n, variant] = GetParam();
  Random random(static_cast<std::uint64_t>(n));
  const auto config =
      mixed_config(n, variant.force_network, variant.friction, variant.map, variant.inputs);
  const Smm model = random_smm(config, random);
  testing::expect_door_derivatives(model, testing::random_state(model, random), 1e-6);
}

TEST_P(EverySmm, GradientsPerLaneSumToTheGatheredOne) {
  const auto& [n, variant] = GetParam();
  Random random(static_cast<std::uint64_t>(n) + 100);
  auto config =
      mixed_config(n, variant.force_network, variant.friction, variant.map, variant.inputs);
  for (const std::vector<int>& hidden : {std::vector{9, 8, 7}, std::vector{9, 8}}) {
    config.hidden = hidden;
    config.activations = {Activation::tanh, Activation::tanh, Activation::identity};
    config.activations.resize(hidden.size());
    const Smm model = random_smm(config, random);
    testing::expect_lane_gradients(model, testing::random_state(model, random));
  }
}

TEST(Smm, ForcesAreDerivativesOfTheLagrangian) {
  Random random(5);
  const Smm model = random_smm(mixed_config(3, false, false, InputMap::fixed, 0), random);
  auto w = model.make_workspace();
  auto s = testing::random_state(model, random);
  AlignedVector p = make_panel(3), f = make_panel(3);
  model.forces({s.q.data(), s.v.data(), nullptr}, p.data(), f.data(), w);
  for (auto [x, gradient] : {std::pair{&s.q, &f}, std::pair{&s.v, &p}}) {
    const AlignedVector at = *x;
    const auto report = check_gradient(
        [&](std::span<const double> point) {
          std::copy(point.begin(), point.end(), x->begin());
          return testing::lagrangian_sum(model, s, w);
        },
        at, *gradient);
    *x = at;
    EXPECT_TRUE(report.agrees(1e-7)) << report.text();
  }
}

TEST(Smm, FactorSquaredIsTheMassMatrix) {
  Random random(6);
  const int n = 4;
  const Smm model = random_smm(mixed_config(n, false, false, InputMap::fixed, 0), random);
  auto w = model.make_workspace();
  const auto s = testing::random_state(model, random);
  AlignedVector m = make_panel(n * n), g = make_panel(n * n);
  model.mass(s.q.data(), m.data(), w);
  model.factor(g.data(), w);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j)
      for (int l = 0; l < kBlock; ++l) {
        double sum = 0;
        for (int k = 0; k <= j; ++k)
          sum += g[(i * n + k) * kBlock + l] * g[(j * n + k) * kBlock + l];
        EXPECT_NEAR(sum, m[(i * n + j) * kBlock + l], 1e-13 * (1 + std::fabs(sum)));
      }
}

TEST(Smm, StructuredFrictionOnlyDissipates) {
  Random random(7);
  for (int round = 0; round < 50; ++round) {
    const Smm with = random_smm(mixed_config(3, false, true, InputMap::fixed, 0), random);
    auto config = with.config();
    config.friction = false;
    Smm without(config);
    without.set_parameters(with.parameters().first(without.parameter_count()));
    auto w0 = with.make_workspace(), w1 = without.make_workspace();
    const auto s = testing::random_state(with, random);
    AlignedVector p = make_panel(3), f0 = make_panel(3), f1 = make_panel(3);
    with.forces({s.q.data(), s.v.data(), nullptr}, p.data(), f0.data(), w0);
    without.forces({s.q.data(), s.v.data(), nullptr}, p.data(), f1.data(), w1);
    for (int l = 0; l < kBlock; ++l) {
      double power = 0;
      for (int i = 0; i < 3; ++i)
        power += (f0[i * kBlock + l] - f1[i * kBlock + l]) * s.v[i * kBlock + l];
      EXPECT_LT(power, 0);
    }
  }
}

TEST(Smm, APeriodicJointForgetsFullTurns) {
  Random random(8);
  const Smm model = random_smm(mixed_config(1, true, true, InputMap::fixed, 0), random);
  auto w = model.make_workspace();
  auto s = testing::random_state(model, random);
  AlignedVector p = make_panel(1), f = make_panel(1), p1 = make_panel(1), f1 = make_panel(1);
  model.forces({s.q.data(), s.v.data(), nullptr}, p.data(), f.data(), w);
  for (double& q : s.q) q += 2 * std::acos(-1.0);
  model.forces({s.q.data(), s.v.data(), nullptr}, p1.data(), f1.data(), w);
  for (int l = 0; l < kBlock; ++l) {
    EXPECT_NEAR(p[l], p1[l], 1e-12);
    EXPECT_NEAR(f[l], f1[l], 1e-12);
  }
}

// Chunks go to any number of workspaces and are added in their order.
TEST(Smm, TheNumberOfWorkspacesDoesNotChangeABitOfTheGradient) {
  Random random(9);
  const Smm model = random_smm(mixed_config(3, true, true, InputMap::learned, 2), random);
  const int chunks = 4;
  std::vector<testing::DoorState> states;
  for (int i = 0; i < chunks * kBlocksPerChunk; ++i)
    states.push_back(testing::random_state(model, random));
  auto gradient = [&](int workspaces) {
    std::vector<Smm::Workspace> w;
    for (int i = 0; i < workspaces; ++i) w.push_back(model.make_workspace());
    std::vector<double> merged(model.merged_size()), theta(model.parameter_count());
    AlignedVector p = make_panel(3), f = make_panel(3);
    for (int chunk = 0; chunk < chunks; ++chunk) {
      auto& own = w[chunk % workspaces];
      model.clear_gradient(own);
      for (int i = 0; i < kBlocksPerChunk; ++i) {
        const auto& s = states[chunk * kBlocksPerChunk + i];
        model.forces({s.q.data(), s.v.data(), s.u.data()}, p.data(), f.data(), own);
        Covectors covectors;
        covectors.a = s.a.data();
        covectors.b = s.b.data();
        Adjoints adjoints;
        adjoints.theta = true;
        model.pullback(covectors, adjoints, own);
      }
      model.add_gradient(own, merged);
    }
    model.expand_gradient(merged, theta);
    return theta;
  };
  const auto one = gradient(1);
  EXPECT_EQ(one, gradient(2));
  EXPECT_EQ(one, gradient(4));
  EXPECT_GT(*std::max_element(one.begin(), one.end()), 0.0);
}

TEST(Smm, RefusesWrongShapesAndScales) {
  EXPECT_THROW(Smm(SmmConfig{}), CheckError);
  SmmConfig config;
  config.joints = {kPlain};
  config.input_matrix = {1.0};
  EXPECT_THROW(Smm{config}, CheckError);
  config.inputs = 1;
  EXPECT_NO_THROW(Smm{config});
  config.scales = Scales::unit(1, 1);
  config.scales.v[0] = 0;
  EXPECT_THROW(Smm{config}, CheckError);
  config.scales.v[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(Smm{config}, CheckError);
  Smm model(mixed_config(1, false, false, InputMap::fixed, 0));
  EXPECT_THROW(model.set_parameters(std::vector<double>(3)), CheckError);
}

}  // namespace
}  // namespace mechfit
