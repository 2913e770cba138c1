#include "mechfit/mechanics/discrete_run_error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mechfit/mechanics/discrete_error.h"
#include "mechfit/mechanics/families/trig/trig.h"
#include "tests/support/models.h"

namespace mechfit {
namespace {

using testing::ModelCase;

// A wobbling run with uneven steps.
struct Motion {
  std::vector<double> q, h, u;
  std::vector<char> by_force = {};
  RunView view() const { return {q, h, u, 0, by_force}; }
};

// All joints by their forces, and the first alone, of machines of few joints.
std::vector<std::vector<char>> force_cases(int n) {
  std::vector<std::vector<char>> out = {{}};
  if (n > 3) return out;
  out.emplace_back(n, 1);
  if (n > 1) {
    out.emplace_back(n, 0);
    out.back()[0] = 1;
  }
  return out;
}

Motion random_run(const Model& model, int samples, Random& random) {
  const int n = model.joints(), m = model.inputs();
  Motion run;
  for (int k = 0; k + 1 < samples; ++k) run.h.push_back(random.uniform(0.2, 0.4));
  for (int k = 0; k < samples * n; ++k) run.q.push_back(random.uniform(-0.5, 0.5));
  for (int k = 0; k < samples * m; ++k) run.u.push_back(random.uniform(-1, 1));
  return run;
}

class EveryModel : public ::testing::TestWithParam<ModelCase> {};
INSTANTIATE_TEST_SUITE_P(DelRunError, EveryModel, ::testing::ValuesIn(testing::model_cases()),
                         testing::model_case_name);

TEST_P(EveryModel, AgreesWithIndependentTriples) {
  Random random(1);
  const Model model = GetParam().make(random);
  const Motion run = random_run(model, kTriples + 2, random);
  const int n = model.joints(), m = model.inputs();
  DelRunError w(model);
  ASSERT_TRUE(del_run_error(model, run.view(), RunDerivatives::none, w));

  AlignedVector q1(n * kTriples), q2(q1), q3(q1), h1(kTriples), h2(h1), e(q1);
  AlignedVector u1(m * kTriples), u2(u1);
  for (int k = 0; k < kTriples; ++k) {
    h1[k] = run.h[k];
    h2[k] = run.h[k + 1];
    for (int i = 0; i < n; ++i) {
      q1[i * kTriples + k] = run.q[k * n + i];
      q2[i * kTriples + k] = run.q[(k + 1) * n + i];
      q3[i * kTriples + k] = run.q[(k + 2) * n + i];
    }
    for (int i = 0; i < m; ++i) {
      u1[i * kTriples + k] = run.u[k * m + i];
      u2[i * kTriples + k] = run.u[(k + 1) * m + i];
    }
  }
  DelErrorWorkspace triples(model);
  del_error(model, {q1.data(), q2.data(), q3.data(), h1.data(), h2.data(), u1.data(), u2.data()},
            e.data(), triples);
  for (int k = 0; k < kTriples; ++k)
    for (int i = 0; i < n; ++i)
      EXPECT_NEAR(w.e[k * n + i], e[i * kTriples + k], 1e-11 * (1 + std::abs(w.e[k * n + i])));
}

// Longer than a block, so that residuals across blocks are seen.
TEST_P(EveryModel, JacobianAndPullbackAgreeWithFiniteDifferences) {
  Random random(2);
  Model model = GetParam().make(random);
  Motion run = random_run(model, kBlock + 4, random);
  const int n = model.joints();
  const std::size_t rows = kBlock + 2;
  for (const std::vector<char>& by_force : force_cases(n)) {
    run.by_force = by_force;
    DelRunError w(model);
    ASSERT_TRUE(del_run_error(model, run.view(), RunDerivatives::configurations, w));
    const auto g = testing::random_values(rows * n, random);
    const auto loss = [&] {
      DelRunError other(model);
      if (!del_run_error(model, run.view(), RunDerivatives::none, other))
        return std::numeric_limits<double>::quiet_NaN();
      double sum = 0;
      for (std::size_t k = 0; k < g.size(); ++k) sum += g[k] * other.e[k];
      return sum;
    };
    std::vector<double> from_jacobian(run.q.size()), q_bar(run.q.size());
    for (std::size_t k = 0; k < rows; ++k)
      for (int b = 0; b < 3; ++b)
        for (int i = 0; i < n; ++i)
          for (int j = 0; j < n; ++j)
            from_jacobian[(k + b) * n + j] +=
                g[k * n + i] * w.jacobian[((k * 3 + b) * n + i) * n + j];
    testing::expect_gradient("q by Jacobian", run.q, from_jacobian, loss, 1e-6);
    model.clear_gradient(w.run.block.model);
    del_run_error_pullback(model, run.view(), g, q_bar, true, w);
    testing::expect_gradient("q by pullback", run.q, q_bar, loss, 1e-6);
    const auto theta = testing::gathered_gradient(model, w.run.block.model);
    if (model.parameter_count() < 100) testing::expect_parameter_gradient(model, theta, loss, 1e-6);
  }
}

// e = r / h, whatever M is.
TEST_P(EveryModel, ErrorsOfForcesAreTheResidualOverTheStep) {
  Random random(4);
  const Model model = GetParam().make(random);
  Motion run = random_run(model, kBlock + 4, random);
  const int n = model.joints();
  run.by_force.assign(n, 1);
  DelRunError w(model);
  DelRun residual(model);
  ASSERT_TRUE(del_run_error(model, run.view(), RunDerivatives::none, w));
  del_run(model, run.view(), false, residual);
  for (int k = 0; k < kBlock + 2; ++k)
    for (int i = 0; i < n; ++i)
      EXPECT_NEAR(w.e[k * n + i], residual.r[k * n + i] / (0.5 * (run.h[k] + run.h[k + 1])),
                  1e-12 * (1 + std::abs(w.e[k * n + i])));
}

class EveryFewParameterModel : public ::testing::TestWithParam<ModelCase> {};
INSTANTIATE_TEST_SUITE_P(DelRunError, EveryFewParameterModel,
                         ::testing::ValuesIn(testing::few_parameter_cases()),
                         testing::model_case_name);

TEST_P(EveryFewParameterModel, ParameterJacobianAgreesWithThePullback) {
  Random random(3);
  const Model model = GetParam().make(random);
  Motion run = random_run(model, kBlock + 4, random);
  const int n = model.joints(), p = model.parameter_count();
  for (const std::vector<char>& by_force : force_cases(n)) {
    run.by_force = by_force;
    DelRunError w(model);
    ASSERT_TRUE(del_run_error(model, run.view(), RunDerivatives::parameters, w));
    const auto g = testing::random_values((kBlock + 2) * n, random);
    std::vector<double> expected(p);
    for (std::size_t row = 0; row < g.size(); ++row)
      for (int k = 0; k < p; ++k) expected[k] += g[row] * w.theta[row * p + k];
    model.clear_gradient(w.run.block.model);
    del_run_error_pullback(model, run.view(), g, {}, true, w);
    const auto theta = testing::gathered_gradient(model, w.run.block.model);
    double largest = 0;
    for (double t : theta) largest = std::max(largest, std::abs(t));
    ASSERT_GT(largest, 0);
    for (int k = 0; k < p; ++k) EXPECT_NEAR(theta[k], expected[k], 1e-10 * largest) << k;
  }
}

TEST(DelRunError, RefusesAnIndefiniteMass) {
  TrigConfig config;
  config.joints = {JointType::periodic};
  Trig trig(config);
  std::vector<double> theta(trig.parameter_count());
  theta[0] = -1;
  trig.set_parameters(theta);
  const Model model(trig);
  DelRunError w(model);
  const std::vector<double> q = {0, 0.1, 0.3}, h = {0.1, 0.1};
  EXPECT_FALSE(del_run_error(model, {q, h, {}}, RunDerivatives::none, w));
}

}  // namespace
}  // namespace mechfit
