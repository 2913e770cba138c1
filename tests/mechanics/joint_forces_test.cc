#include "mechfit/mechanics/joint_forces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "mechfit/base/error.h"
#include "mechfit/base/gradient_check.h"
#include "mechfit/mechanics/families/smm/smm.h"
#include "tests/mechanics/door_check.h"

namespace mechfit {
namespace {

using testing::random_panel;

constexpr int kJoints = 3, kInputs = 2;
constexpr double kTolerance = 1e-7;

struct Case {
  const char* name;
  ForceParameters parameters;
  InputMap map;
  bool pairs;            // slips v_i - v_j too
  bool further = false;  // terms beyond viscous and Coulomb's
};

FrictionTerms all_terms() {
  FrictionTerms terms =
      parse_friction_terms("viscous+coulomb+offset+asymmetric+stribeck+position", "test");
  terms.width = 0.04;
  return terms;
}

Scales random_scales(Random& random) {
  Scales scales = Scales::unit(kJoints, kInputs);
  for (double& v : scales.v) v = random.uniform(0.5, 2);
  for (double& u : scales.u) u = random.uniform(0.5, 2);
  scales.energy = 3;
  scales.time = 0.7;
  return scales;
}

JointForces random_forces(const Case& c, Random& random, std::vector<double>& theta) {
  const Scales scales = random_scales(random);
  JointForcesConfig config{c.parameters, {}, c.map, {}};
  for (int i = 0; i < kJoints; ++i) {
    const FrictionTerms terms = c.further ? all_terms() : FrictionTerms(true);
    const auto type = i == 0 ? JointType::plain : JointType::periodic;
    config.slips.push_back(own_slip(i, terms, type, scales));
    for (int j = 0; c.pairs && j < i; ++j)
      config.slips.push_back({i, j, std::max(scales.v[i], scales.v[j]), terms});
  }
  for (int k = 0; k < kJoints * kInputs; ++k) config.input_matrix.push_back(random.normal());
  JointForces forces(std::move(config), scales);
  theta.resize(forces.parameter_count());
  for (double& t : theta) t = random.uniform(0.1, 1);
  forces.set_parameters(theta);
  return forces;
}

struct State {
  AlignedVector v, u,
      b;  // Slow enough for Coulomb's step to be smooth on the scale of a difference.
  AlignedVector q;
};
State random_state(Random& random) {
  State s{random_panel(kJoints, random, 0.2),
          random_panel(kInputs, random),
          random_panel(kJoints, random),
          {}};
  s.q = random_panel(kJoints, random);
  return s;
}

// sum over lanes of weight b'F
double pairing(const JointForces& forces, const State& s, JointForces::Workspace& w,
               int lane = -1) {
  AlignedVector f = make_panel(kJoints);
  forces.add(s.q.data(), s.v.data(), s.u.data(), f.data(), w);
  double sum = 0;
  for (int k = 0; k < kJoints * kBlock; ++k)
    if (lane < 0 || k % kBlock == lane) sum += s.b[k] * f[k];
  return sum;
}

class JointForcesDerivatives : public ::testing::TestWithParam<Case> {};

// Those of viscous and Coulomb friction alone, and those with every other term.
const Case kFormula[] = {{"LinearFixed", ForceParameters::linear, InputMap::fixed, true},
                         {"LinearScaled", ForceParameters::linear, InputMap::scaled, true},
                         {"LinearLearned", ForceParameters::linear, InputMap::learned, true},
                         {"SoftplusFixed", ForceParameters::softplus, InputMap::fixed, false},
                         {"SoftplusScaled", ForceParameters::softplus, InputMap::scaled, false},
                         {"SoftplusLearned", ForceParameters::softplus, InputMap::learned, false},
                         {"SoftplusPairs", ForceParameters::softplus, InputMap::learned, true},
                         {"LinearGains", ForceParameters::linear, InputMap::gains, true},
                         {"SoftplusGains", ForceParameters::softplus, InputMap::gains, false}};
const Case kFurther[] = {
    {"LinearFurther", ForceParameters::linear, InputMap::gains, true, true},
    {"SoftplusFurther", ForceParameters::softplus, InputMap::fixed, false, true}};

class JointForcesFormula : public JointForcesDerivatives {};

std::string name_of(const ::testing::TestParamInfo<Case>& instance) { return instance.param.name; }
INSTANTIATE_TEST_SUITE_P(All, JointForcesDerivatives, ::testing::ValuesIn(kFormula), name_of);
INSTANTIATE_TEST_SUITE_P(Further, JointForcesDerivatives, ::testing::ValuesIn(kFurther), name_of);
INSTANTIATE_TEST_SUITE_P(All, JointForcesFormula, ::testing::ValuesIn(kFormula), name_of);

// DerivativeReport::agrees asks for a derivative that is not zero.
TEST_P(JointForcesDerivatives, ToStateAndInputAreThoseOfTheValues) {
  Random random(11);
  std::vector<double> theta;
  const JointForces forces = random_forces(GetParam(), random, theta);
  State s = random_state(random);
  auto w = forces.make_workspace();
  pairing(forces, s, w);
  AlignedVector q = make_panel(kJoints), v = make_panel(kJoints), u = make_panel(kInputs);
  forces.pullback(s.b.data(), q.data(), v.data(), u.data(), w);
  for (const auto& [x, gradient] :
       {std::pair{&s.v, &v}, std::pair{&s.u, &u}, std::pair{&s.q, &q}}) {
    if (gradient == &q && !GetParam().further) {
      EXPECT_EQ(q, make_panel(kJoints));
      continue;
    }
    const AlignedVector x0 = *x;
    const auto report = check_gradient(
        [&, panel = x](std::span<const double> point) {
          std::copy(point.begin(), point.end(), panel->begin());
          return pairing(forces, s, w);
        },
        x0, *gradient);
    *x = x0;
    EXPECT_TRUE(report.agrees(kTolerance)) << report.text();
  }
}

TEST_P(JointForcesDerivatives, PullbackAddsAndLeavesOutWhatIsNull) {
  Random random(12);
  std::vector<double> theta;
  const JointForces forces = random_forces(GetParam(), random, theta);
  const State s = random_state(random);
  auto w = forces.make_workspace();
  pairing(forces, s, w);
  AlignedVector v = make_panel(kJoints), u = make_panel(kInputs);
  forces.pullback(s.b.data(), nullptr, v.data(), nullptr, w);
  forces.pullback(s.b.data(), nullptr, nullptr, u.data(), w);
  AlignedVector twice_v = v, twice_u = u;
  forces.pullback(s.b.data(), nullptr, twice_v.data(), twice_u.data(), w);
  for (std::size_t k = 0; k < v.size(); ++k) EXPECT_NEAR(twice_v[k], 2 * v[k], 1e-13);
  for (std::size_t k = 0; k < u.size(); ++k) EXPECT_NEAR(twice_u[k], 2 * u[k], 1e-13);
}

TEST_P(JointForcesDerivatives, ToParametersAreThoseOfTheValues) {
  Random random(13);
  std::vector<double> theta;
  JointForces forces = random_forces(GetParam(), random, theta);
  const State s = random_state(random);
  auto w = forces.make_workspace();
  const auto value = [&](std::span<const double> point) {
    forces.set_parameters(point);
    return pairing(forces, s, w);
  };
  value(theta);
  forces.clear_gradient(w);
  forces.gather(s.b.data(), w);
  std::vector<double> gradient(theta.size(), 7.0);
  forces.add_gradient(w, gradient, false);
  const auto report = check_gradient(value, theta, gradient);
  EXPECT_TRUE(report.agrees(kTolerance)) << report.text();

  value(theta);
  forces.gather(s.b.data(), w);  // gathers on
  std::vector<double> thrice = gradient;
  forces.add_gradient(w, thrice);
  for (std::size_t k = 0; k < theta.size(); ++k)
    EXPECT_NEAR(thrice[k], 3 * gradient[k], 1e-12 * (1 + std::abs(gradient[k])));
}

TEST_P(JointForcesDerivatives, ToParametersOfEachLaneAreThoseOfItsValue) {
  Random random(14);
  std::vector<double> theta;
  JointForces forces = random_forces(GetParam(), random, theta);
  const State s = random_state(random);
  auto w = forces.make_workspace();
  pairing(forces, s, w);
  const int p = forces.parameter_count();
  AlignedVector lanes(static_cast<std::size_t>(p) * kBlock, 7.0);
  forces.gradient_lanes(s.b.data(), lanes.data(), w);
  for (const int lane : {0, 5, kBlock - 1}) {
    std::vector<double> gradient(p);
    for (int k = 0; k < p; ++k) gradient[k] = lanes[k * kBlock + lane];
    const auto report = check_gradient(
        [&](std::span<const double> point) {
          forces.set_parameters(point);
          return pairing(forces, s, w, lane);
        },
        theta, gradient);
    EXPECT_TRUE(report.agrees(kTolerance)) << "lane " << lane << ": " << report.text();
  }
}

// A value and its slope are those of the parameter it names.
TEST_P(JointForcesDerivatives, OfTheValuesForAReaderAreTheirSlopes) {
  constexpr int kOffset = 5;
  constexpr double kStep = 1e-6;
  Random random(17);
  std::vector<double> theta;
  JointForces forces = random_forces(GetParam(), random, theta);
  const auto values = forces.values(kOffset);
  const double viscous = forces.viscous(0);
  const int inputs = kJoints * kInputs;
  // Those by position, 18 for each joint, are told together.
  const int by_position = GetParam().further ? 18 * kJoints : 0;
  ASSERT_EQ(static_cast<int>(values.size()),
            forces.friction_count() - by_position + by_position / 18 + inputs);
  int learned = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (values[k].parameter < 0) continue;
    ++learned;
    EXPECT_NE(values[k].slope, 0);
    std::vector<double> moved = theta;
    moved[values[k].parameter - kOffset] += kStep;
    forces.set_parameters(moved);
    const auto after = forces.values(kOffset);
    EXPECT_EQ(after[k].name, values[k].name);
    EXPECT_NEAR((after[k].value - values[k].value) / kStep, values[k].slope,
                1e-5 * (1 + std::abs(values[k].slope)))
        << values[k].name;
  }
  const int given = GetParam().map == InputMap::fixed   ? inputs
                    : GetParam().map == InputMap::gains ? kJoints
                                                        : 0;
  EXPECT_EQ(learned, forces.friction_count() - by_position + inputs - given);
  EXPECT_EQ(values[0].name, "viscous friction 1");
  EXPECT_EQ(values[0].value, viscous);
  EXPECT_EQ(values.back().name, "input 2 on joint 3");
}

TEST_P(JointForcesDerivatives, LanesDoNotDisturbWhatIsGathered) {
  Random random(15);
  std::vector<double> theta;
  const JointForces forces = random_forces(GetParam(), random, theta);
  const State s = random_state(random);
  auto w = forces.make_workspace();
  pairing(forces, s, w);
  AlignedVector lanes = make_panel(forces.parameter_count());
  std::vector<double> alone(theta.size()), beside(theta.size());
  forces.gather(s.b.data(), w);
  forces.add_gradient(w, alone);
  forces.gradient_lanes(s.b.data(), lanes.data(), w);
  forces.add_gradient(w, beside);
  EXPECT_EQ(alone, beside);
}

TEST_P(JointForcesDerivatives, OnePointIsALaneOfABlock) {
  Random random(16);
  std::vector<double> theta;
  const JointForces forces = random_forces(GetParam(), random, theta);
  const State s = random_state(random);
  auto w = forces.make_workspace();
  AlignedVector f = make_panel(kJoints);
  forces.add(s.q.data(), s.v.data(), s.u.data(), f.data(), w);
  for (int lane = 0; lane < kBlock; ++lane) {
    std::vector<double> q(kJoints), v(kJoints), u(kInputs), own(kJoints, 0.25);
    for (int i = 0; i < kJoints; ++i) q[i] = s.q[i * kBlock + lane];
    for (int i = 0; i < kJoints; ++i) v[i] = s.v[i * kBlock + lane];
    for (int j = 0; j < kInputs; ++j) u[j] = s.u[j * kBlock + lane];
    forces.add(q, v, u, own);
    for (int i = 0; i < kJoints; ++i) EXPECT_NEAR(own[i], 0.25 + f[i * kBlock + lane], 1e-13);
  }
}

TEST_P(JointForcesDerivatives, EveryParameterHasANameAndARange) {
  Random random(17);
  std::vector<double> theta;
  const JointForces forces = random_forces(GetParam(), random, theta);
  const auto names = forces.parameter_names();
  ASSERT_EQ(static_cast<int>(names.size()), forces.parameter_count());
  for (int k = 0; k < forces.parameter_count(); ++k) {
    EXPECT_EQ(std::count(names.begin(), names.end(), names[k]), 1) << names[k];
    const bool dissipates =
        names[k].starts_with("viscous friction") || names[k].starts_with("Coulomb friction");
    EXPECT_EQ(forces.nonnegative(k),
              dissipates && GetParam().parameters == ForceParameters::linear);
    EXPECT_EQ(forces.prior_precision(k) > 0,
              names[k].find("q") != std::string::npos && names[k].starts_with("friction "))
        << names[k];
  }
}

// F = B u - viscous w - coulomb tanh(w / (0.05 w_scale)), written out, with the physical
// coefficients that the class reports.
TEST_P(JointForcesFormula, IsTheForceInPhysicalUnits) {
  Random random(18);
  std::vector<double> theta;
  const JointForces forces = random_forces(GetParam(), random, theta);
  const std::vector<double> q = {1, 2, 3}, v = {0.3, -0.2, 0.05}, u = {0.5, -2};
  std::vector<double> f(kJoints), expected(kJoints);
  forces.add(q, v, u, f);
  for (int s = 0; s < static_cast<int>(forces.slips().size()); ++s) {
    const int i = forces.slips()[s].i, j = forces.slips()[s].j;
    const double scale = forces.slips()[s].v;
    const double w = j < 0 ? v[i] : v[i] - v[j];
    const double against =
        forces.viscous(s) * w + forces.coulomb(s) * std::tanh(w / (0.05 * scale));
    EXPECT_GT(against * w, 0);
    expected[i] -= against;
    if (j >= 0) expected[j] += against;
  }
  for (int i = 0; i < kJoints; ++i)
    for (int j = 0; j < kInputs; ++j) expected[i] += forces.input_matrix()[i * kInputs + j] * u[j];
  for (int i = 0; i < kJoints; ++i) EXPECT_NEAR(f[i], expected[i], 1e-12);
}

// Every term by itself, at one joint whose position is its angle.
TEST(JointForces, FurtherTermsAreTheirFormulas) {
  const double x = 0.8, width = 0.05, c = 3.0;
  struct Expected {
    const char* name;
    std::function<double(double w)> force;
  };
  const auto t = [=](double w) { return std::tanh(w / width); };
  const std::vector<Expected> list = {
      {"friction offset 1", [=](double) { return c; }},
      {"asymmetric viscous friction 1", [=](double w) { return c * w * t(w); }},
      {"asymmetric Coulomb friction 1", [=](double w) { return c * t(w) * t(w); }},
      {"Stribeck friction 1",
       [=](double w) { return c * t(w) * std::exp(-std::pow(w / (5 * width), 2)); }},
      {"friction 1 by cos 1q", [=](double) { return c * std::cos(x); }},
      {"friction 1 by sin 3q times speed", [=](double w) { return c * std::sin(3 * x) * w; }},
      {"friction 1 by cos 2q times direction",
       [=](double w) { return c * std::cos(2 * x) * t(w); }}};
  for (const ForceParameters parameters : {ForceParameters::linear, ForceParameters::softplus}) {
    FrictionTerms terms = all_terms();
    terms.viscous = terms.coulomb = false;
    terms.width = width;
    const Scales scales = Scales::unit(1, 0);
    JointForces forces(
        {parameters, {own_slip(0, terms, JointType::periodic, scales)}, InputMap::fixed, {}},
        scales);
    const auto names = forces.parameter_names();
    for (const auto& [name, force] : list) {
      std::vector<double> theta(names.size(), 0.0);
      const auto found = std::find(names.begin(), names.end(), name);
      ASSERT_NE(found, names.end()) << name;
      theta[found - names.begin()] = c;
      forces.set_parameters(theta);
      for (const double w : {-0.3, -0.02, 0.0, 0.04, 0.2}) {
        double f = 0;
        forces.add({&x, 1}, {&w, 1}, {}, {&f, 1});
        EXPECT_NEAR(f, -force(w), 1e-14) << name << " at " << w;
      }
    }
  }
}

TEST(JointForces, AWidthIsAtMostFivePercentOfTheSpeed) {
  FrictionTerms terms(true);
  terms.width = 0.02;
  Scales scales = Scales::unit(2, 0);
  scales.v = {0.1, 10};
  JointForces forces(
      {ForceParameters::linear,
       {own_slip(0, terms, JointType::plain, scales), own_slip(1, terms, JointType::plain, scales)},
       InputMap::fixed,
       {}},
      scales);
  EXPECT_DOUBLE_EQ(forces.slips()[0].terms.width, 0.005);
  EXPECT_DOUBLE_EQ(forces.slips()[1].terms.width, 0.02);
}

TEST(FrictionTerms, AreNamedAndReadBack) {
  EXPECT_EQ(to_text(FrictionTerms()), "none");
  EXPECT_EQ(to_text(true), "viscous+coulomb");
  EXPECT_EQ(parse_friction_terms("none", "option"), FrictionTerms());
  EXPECT_EQ(to_text(parse_friction_terms("stribeck+viscous", "option")), "viscous+stribeck");
  for (const char* wrong : {"", "viscous+", "dry", "none+viscous"}) {
    try {
      parse_friction_terms(wrong, "option 'friction'");
      ADD_FAILURE() << wrong;
    } catch (const InputError& e) {
      EXPECT_TRUE(std::string(e.what()).starts_with("option 'friction': friction '")) << e.what();
    }
  }
}

TEST(JointForces, StartsWithTheGivenInputMatrix) {
  for (const InputMap map :
       {InputMap::fixed, InputMap::scaled, InputMap::learned, InputMap::gains}) {
    Random random(19);
    const Scales scales = random_scales(random);
    const std::vector<double> b0 = {1, 2, 3, -4, 5, 6};
    const JointForces forces({ForceParameters::softplus, {{0, -1, 2.0}}, map, b0}, scales);
    for (std::size_t k = 0; k < b0.size(); ++k) EXPECT_NEAR(forces.input_matrix()[k], b0[k], 1e-14);
    // 5 % of the unit of force at the slip's own speed: energy / (v time) and again / v
    const double unit = scales.energy / (2.0 * scales.time);
    EXPECT_NEAR(forces.coulomb(0), 0.05 * unit, 1e-12);
    EXPECT_NEAR(forces.viscous(0), 0.05 * unit / 2.0, 1e-12);
  }
}

}  // namespace
}  // namespace mechfit
