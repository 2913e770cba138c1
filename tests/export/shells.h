#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mechfit/mechanics/point.h"
#include "tests/support/models.h"

// What the tests of shells share: models, states with the library's derivatives.
namespace mechfit::testing {

inline std::vector<ModelCase> shell_cases() {
  return {{"CartPole", [](Random& random) { return random_analytic("cart-pole", 2, random); }},
          {"FreePendulum",
           [](Random& random) { return random_analytic("double-pendulum", 2, random); }},
          {"Network",
           [](Random& random) { return random_smm(2, false, {}, InputMap::learned, 2, random); }}};
}

// A state, what acts on it, and the library's derivatives there.
struct ShellPoint {
  ShellPoint(const Model& model, Random& random)
      : x(2 * model.joints()),
        u(model.inputs()),
        xdot(x.size()),
        A(x.size() * x.size()),
        B(x.size() * u.size()) {
    for (double& value : x) value = random.uniform(-1, 1);
    for (double& value : u) value = random.uniform(-1, 1);
    const std::span<const double> q(x.data(), x.size() / 2), v(x.data() + x.size() / 2, q.size());
    PointDynamics point(model);
    EXPECT_TRUE(point.acceleration(q, v, u, std::span(xdot).subspan(q.size())));
    std::copy(v.begin(), v.end(), xdot.begin());
    EXPECT_TRUE(point.linearize(q, v, u, A, B));
    energy = point.energy(q, v);
  }

  std::vector<double> x, u, xdot, A, B;  // [2n], [m], [2n], [2n][2n], [2n][m]
  double energy = 0;
};

inline void expect_near(const std::vector<double>& found, const std::vector<double>& expected,
                        double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found[i], expected[i], tolerance * (1 + std::abs(expected[i]))) << i;
}

}  // namespace mechfit::testing
