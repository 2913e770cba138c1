#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "mechfit/base/gradient_check.h"
#include "mechfit/base/random.h"
#include "mechfit/mechanics/model.h"

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

inline std::vector<ModelCase> model_cases() {
  const auto analytic = [](std::string label, std::string name, int joints) {
    return ModelCase{std::move(label),
                     [=](Random& random) { return random_analytic(name, joints, random); }};
  };
  return {analytic("Pendulum", "pendulum", 1), analytic("DoublePendulum", "double-pendulum", 2),
          analytic("Furuta", "furuta", 2),     analytic("CartPole", "cart-pole", 2),
          analytic("Chain3", "chain", 3),      analytic("Chain7", "chain", 7)};
}

inline AlignedVector random_values(std::size_t size, Random& random, double scale = 1) {
  AlignedVector x(size);
  for (double& value : x) value = random.uniform(-scale, scale);
  return x;
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

inline void expect_parameter_gradient(Model& model, std::span<const double> gradient,
                                      const std::function<double()>& loss,
                                      double tolerance = 1e-7) {
  const std::vector<double> theta(model.parameters().begin(), model.parameters().end());
  const auto f = [&](std::span<const double> point) {
    model.set_parameters(point);
    return loss();
  };
  const auto report = check_gradient(f, theta, gradient);
  model.set_parameters(theta);
  EXPECT_TRUE(report.agrees(tolerance)) << "theta: " << report.text();
}

}  // namespace mechfit::testing
