#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "mechfit/base/gradient_check.h"
#include "mechfit/base/random.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "mechfit/mechanics/families/residual/residual.h"
#include "mechfit/mechanics/families/smm/smm.h"
#include "mechfit/mechanics/families/trig/trig.h"
#include "mechfit/mechanics/model.h"
#include "tests/support/arms.h"

// Models of every family, for tests of the algorithms that go through the door.
namespace mechfit::testing {

struct ModelCase {
  std::string name;
  std::function<Model(Random&)> make;
};

inline void PrintTo(const ModelCase& c, std::ostream* out) { *out << c.name; }

inline std::string model_case_name(const ::testing::TestParamInfo<ModelCase>& info) {
  return info.param.name;
}

// Constants around 1, all of them (damping too) positive.
inline Model random_analytic(const std::string& name, int joints, Random& random) {
  AnalyticSystem system = make_system(name, joints);
  std::vector<double> theta(system.parameter_count());
  for (double& value : theta) value = random.uniform(0.6, 1.6);
  system.set_parameters(theta);
  return Model(std::move(system));
}

// Joints of both types, every kind of force, scales that are not one.
inline Model random_smm(int n, bool force_network, FrictionTerms friction, InputMap map, int inputs,
                        Random& random) {
  SmmConfig config;
  for (int i = 0; i < n; ++i)
    config.joints.push_back(i % 2 == 0 ? JointType::periodic : JointType::plain);
  config.inputs = inputs;
  config.hidden = {6, 5, 4};
  config.force_network = force_network;
  config.friction = friction;
  config.input_map = map;
  config.scales = Scales::unit(n, inputs);
  for (double& x : config.scales.q) x = random.uniform(0.7, 1.5);
  for (double& x : config.scales.v) x = random.uniform(0.7, 1.5);
  config.scales.energy = 1.7;
  for (int i = 0; i < n * inputs; ++i) config.input_matrix.push_back(random.uniform(0.5, 1));
  Smm model(config);
  model.initialise(random);
  std::vector<double> theta(model.parameters().begin(), model.parameters().end());
  for (double& value : theta) value *= 0.5;  // M not far from diagonal
  model.set_parameters(theta);
  return Model(std::move(model));
}

inline std::vector<ModelCase> analytic_cases() {
  const auto analytic = [](std::string label, std::string name, int joints) {
    return ModelCase{std::move(label),
                     [=](Random& random) { return random_analytic(name, joints, random); }};
  };
  return {analytic("Pendulum", "pendulum", 1), analytic("DoublePendulum", "double-pendulum", 2),
          analytic("Furuta", "furuta", 2),     analytic("CartPole", "cart-pole", 2),
          analytic("Chain3", "chain", 3),      analytic("Chain7", "chain", 7)};
}

inline FrictionTerms every_friction_term() {
  FrictionTerms terms =
      parse_friction_terms("viscous+coulomb+offset+asymmetric+stribeck+position", "test");
  terms.width = 0.3;
  return terms;
}

// M = I plus small terms of every kind, friction on every slip.
inline Model random_trig(std::vector<JointType> joints, int inputs, Random& random,
                         FrictionTerms friction = true) {
  TrigConfig config;
  config.input_matrix.assign(joints.size() * inputs, 1.0);
  config.joints = std::move(joints);
  config.inputs = inputs;
  config.input_map = InputMap::learned;
  config.friction = friction;
  Trig trig(config);
  std::vector<double> theta(trig.parameters().begin(), trig.parameters().end());
  for (double& value : theta) value += random.uniform(0, 0.02);
  trig.set_parameters(theta);
  return Model(std::move(trig));
}

inline std::vector<ModelCase> few_parameter_cases() {
  const auto periodic = JointType::periodic;
  auto cases = analytic_cases();
  cases.push_back({"Trig2", [=](Random& random) {
                     return random_trig({periodic, periodic}, 0, random);
                   }});
  cases.push_back({"TrigCart", [=](Random& random) {
                     return random_trig({JointType::plain, periodic}, 1, random);
                   }});
  cases.push_back(
      {"TrigFriction", [=](Random& random) {
         return random_trig({JointType::plain, periodic}, 1, random, every_friction_term());
       }});
  cases.push_back(
      {"ArmTree", [](Random& random) { return Model(random_arm(tree(), 2, true, random)); }});
  cases.push_back({"ArmFriction", [](Random& random) {
                     return Model(random_arm(tree(), 2, every_friction_term(), random));
                   }});
  return cases;
}

// A base of random joints with a network of forces that is not zero.
inline Model random_residual(Model base, Random& random) {
  ResidualConfig config;
  config.hidden = {5, 4};
  for (int i = 0; i < base.joints(); ++i)
    for (auto* sizes : {&config.speed, &config.width, &config.place, &config.reach, &config.force})
      sizes->push_back(random.uniform(0.5, 1.5));
  Residual model(std::move(base), std::move(config), random);
  std::vector<double> theta(model.parameters().begin(), model.parameters().end());
  for (int k = model.base_count(); k < model.parameter_count(); ++k)
    theta[k] += random.uniform(-0.3, 0.3);
  model.set_parameters(theta);
  return Model(std::move(model));
}

inline std::vector<ModelCase> model_cases() {
  const auto smm = [](std::string label, int n, bool network, FrictionTerms friction, InputMap map,
                      int inputs) {
    return ModelCase{std::move(label), [=](Random& random) {
                       return random_smm(n, network, friction, map, inputs, random);
                     }};
  };
  auto cases = few_parameter_cases();
  cases.push_back(smm("Smm1", 1, false, false, InputMap::fixed, 0));
  cases.push_back(smm("Smm2", 2, false, true, InputMap::learned, 1));
  cases.push_back(smm("Smm3", 3, true, true, InputMap::fixed, 2));
  cases.push_back(smm("SmmFriction", 2, false, every_friction_term(), InputMap::gains, 2));
  cases.push_back(smm("Smm14", 14, true, false, InputMap::scaled, 1));
  cases.push_back({"ResidualTrig", [](Random& random) {
                     return random_residual(
                         random_trig({JointType::plain, JointType::periodic}, 1, random), random);
                   }});
  return cases;
}

inline AlignedVector random_values(std::size_t size, Random& random, double scale = 1) {
  AlignedVector x(size);
  for (double& value : x) value = random.uniform(-scale, scale);
  return x;
}

// The gradient to theta that pullbacks gathered in a workspace.
inline std::vector<double> gathered_gradient(const Model& model, Model::Workspace& w) {
  std::vector<double> merged(model.merged_size()), theta(model.parameter_count());
  model.add_gradient(w, merged);
  model.expand_gradient(merged, theta);
  return theta;
}

// Gradient of loss() to x, where loss reads x; x is left as it was.
inline void expect_gradient(const char* what, std::span<double> x, std::span<const double> gradient,
                            const std::function<double()>& loss, double tolerance = 1e-7) {
  const std::vector<double> kept(x.begin(), x.end());
  const auto f = [&](std::span<const double> point) {
    std::copy(point.begin(), point.end(), x.begin());
    return loss();
  };
  const auto report = check_gradient(f, kept, gradient);
  std::copy(kept.begin(), kept.end(), x.begin());
  EXPECT_TRUE(report.agrees(tolerance)) << what << ": " << report.text();
}

// Gradient of loss() to theta, along three random directions and along the largest entry.
inline void expect_parameter_gradient(Model& model, std::span<const double> gradient,
                                      const std::function<double()>& loss,
                                      double tolerance = 1e-7) {
  const std::vector<double> theta(model.parameters().begin(), model.parameters().end());
  Random random(17);
  for (int k = 0; k < 4; ++k) {
    std::vector<double> direction(theta.size());
    for (double& value : direction) value = k < 3 ? random.normal() : 0;
    if (k == 3)
      direction[std::max_element(gradient.begin(), gradient.end()) - gradient.begin()] = 1;
    double slope = 0;
    for (std::size_t i = 0; i < theta.size(); ++i) slope += gradient[i] * direction[i];
    const auto f = [&](std::span<const double> s) {
      std::vector<double> moved = theta;
      for (std::size_t i = 0; i < theta.size(); ++i) moved[i] += s[0] * direction[i];
      model.set_parameters(moved);
      return loss();
    };
    const double origin = 0;
    const auto report = check_gradient(f, {&origin, 1}, {&slope, 1});
    EXPECT_TRUE(report.agrees(tolerance)) << "theta: " << report.text();
  }
  model.set_parameters(theta);
}

}  // namespace mechfit::testing
