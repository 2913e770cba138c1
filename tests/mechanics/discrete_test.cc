#include "mechfit/mechanics/discrete.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/discrete_run.h"
#include "mechfit/mechanics/euler_lagrange.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "tests/support/models.h"

namespace mechfit {
namespace {

using namespace mechfit::testing;

class Discrete : public ::testing::TestWithParam<ModelCase> {
 protected:
  Random random{12};
  Model model = GetParam().make(random);
  int n = model.joints(), m = model.inputs();
};

INSTANTIATE_TEST_SUITE_P(Models, Discrete, ::testing::ValuesIn(model_cases()), model_case_name);

class AnalyticDiscrete : public Discrete {};

INSTANTIATE_TEST_SUITE_P(Models, AnalyticDiscrete, ::testing::ValuesIn(analytic_cases()),
                         model_case_name);

TEST_P(AnalyticDiscrete, ResidualOfTriplesIsTheDerivativeOfTheDiscreteAction) {
  // Without damping and inputs r = d/dq2 (Ld(q1, q2) + Ld(q2, q3)), Ld = h L(qm, vm).
  AnalyticSystem undamped = *model.as<AnalyticSystem>();
  for (const auto& constant : undamped.constants())
    if (constant.name.starts_with("eta")) undamped.set_constant(constant.name, 0);
  model = Model(undamped);
  AlignedVector q1 = random_values(n * kTriples, random), q2 = random_values(n * kTriples, random),
                q3 = random_values(n * kTriples, random), h1(kTriples, 0.3), h2(kTriples, 0.7),
                r(n * kTriples);
  DelWorkspace w(model);
  AccelerationWorkspace point(model);
  del_residual(model, {q1.data(), q2.data(), q3.data(), h1.data(), h2.data()}, r.data(), w);
  const auto action = [&] {
    double sum = 0;
    AlignedVector qm = make_panel(n), vm = make_panel(n), p = make_panel(n), f = make_panel(n),
                  potential = make_panel(1);
    for (const auto& [from, to, h] : {std::tuple(&q1, &q2, 0.3), std::tuple(&q2, &q3, 0.7)}) {
      for (int i = 0; i < n; ++i)
        for (int k = 0; k < kTriples; ++k) {
          const double start = (*from)[i * kTriples + k], end = (*to)[i * kTriples + k];
          qm[i * kBlock + k] = 0.5 * (start + end);
          vm[i * kBlock + k] = (end - start) / h;
        }
      const AlignedVector no_input = make_panel(m);
      model.forces({qm.data(), vm.data(), no_input.data()}, p.data(), f.data(), point.model);
      model.potential(potential.data(), point.model);
      for (int k = 0; k < kTriples; ++k) {
        sum -= h * potential[k];
        for (int i = 0; i < n; ++i) sum += 0.5 * h * vm[i * kBlock + k] * p[i * kBlock + k];
      }
    }
    return sum;
  };
  expect_gradient("r", q2, r, action);
}

TEST_P(Discrete, PullbackOfTriplesAgreesWithFiniteDifferences) {
  AlignedVector q1 = random_values(n * kTriples, random, 2), q2 = q1, q3 = q1, h1(kTriples),
                h2(kTriples), u1 = random_values(m * kTriples, random, 2),
                u2 = random_values(m * kTriples, random, 2), r(n * kTriples);
  for (double& value : q2) value += random.uniform(-0.1, 0.1);
  for (double& value : q3) value += random.uniform(-0.1, 0.1);
  for (double& value : h1) value = random.uniform(0.03, 0.1);
  for (double& value : h2) value = random.uniform(0.03, 0.1);
  const AlignedVector lambda = random_values(n * kTriples, random);
  DelWorkspace w(model);
  const Triples x{q1.data(), q2.data(), q3.data(), h1.data(), h2.data(), u1.data(), u2.data()};
  const auto loss = [&] {
    del_residual(model, x, r.data(), w);
    double sum = 0;
    for (std::size_t i = 0; i < r.size(); ++i) sum += lambda[i] * r[i];
    return sum;
  };
  (void)loss();
  AlignedVector g1(q1.size()), g2(q1.size()), g3(q1.size());
  model.clear_gradient(w.model);
  del_pullback(model, lambda.data(), {g1.data(), g2.data(), g3.data(), true}, w);
  const auto theta = gathered_gradient(model, w.model);
  expect_gradient("q1", q1, g1, loss);
  expect_gradient("q2", q2, g2, loss);
  expect_gradient("q3", q3, g3, loss);
  expect_parameter_gradient(model, theta, loss);
}

// A run with random walk steps, of a length that leaves lanes of the last block empty.
struct RandomRun {
  RandomRun(const Model& model, int samples, Random& random)
      : q(samples * model.joints()),
        h(samples - 1),
        u(random_values((samples - 1) * model.inputs(), random)) {
    for (std::size_t i = 0; i < q.size(); ++i)
      q[i] = (i < std::size_t(model.joints()) ? 1.0 : q[i - model.joints()]) +
             random.uniform(-0.1, 0.1);
    for (double& value : h) value = random.uniform(0.03, 0.1);
  }
  RunView view() const { return {q, h, u}; }
  AlignedVector q, h, u;
};

TEST_P(Discrete, ResidualOfARunEqualsThatOfItsTriples) {
  const int samples = 23;
  const RandomRun run(model, samples, random);
  DelRun w(model, samples);
  del_run(model, run.view(), false, w);
  DelWorkspace triples(model);
  AlignedVector q1(n * kTriples), q2 = q1, q3 = q1, h1(kTriples), h2 = h1, u1(m * kTriples),
                                  u2 = u1, r = q1;
  for (int k = 1; k + 1 < samples; ++k) {
    for (int lane = 0; lane < kTriples; ++lane) {
      for (int i = 0; i < n; ++i) {
        q1[i * kTriples + lane] = run.q[(k - 1) * n + i];
        q2[i * kTriples + lane] = run.q[k * n + i];
        q3[i * kTriples + lane] = run.q[(k + 1) * n + i];
      }
      for (int i = 0; i < m; ++i) {
        u1[i * kTriples + lane] = run.u[(k - 1) * m + i];
        u2[i * kTriples + lane] = run.u[k * m + i];
      }
      h1[lane] = run.h[k - 1];
      h2[lane] = run.h[k];
    }
    del_residual(model,
                 {q1.data(), q2.data(), q3.data(), h1.data(), h2.data(), u1.data(), u2.data()},
                 r.data(), triples);
    for (int i = 0; i < n; ++i)
      EXPECT_NEAR(w.r[(k - 1) * n + i], r[i * kTriples], 1e-13 * (1 + std::abs(r[i * kTriples])));
  }
}

TEST_P(Discrete, JacobianBlocksOfARunAgreeWithFiniteDifferences) {
  const int samples = 20;
  RandomRun run(model, samples, random);
  DelRun w(model, samples);
  del_run(model, run.view(), true, w);
  const std::vector<double> jacobian = w.jacobian;
  // The derivative of all residuals along a random direction of all configurations.
  const AlignedVector direction = random_values(run.q.size(), random);
  std::vector<double> jvp(w.r.size(), 0.0);
  for (int k = 0; k + 2 < samples; ++k)
    for (int slot = 0; slot < 3; ++slot)
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          jvp[k * n + i] +=
              jacobian[((k * 3 + slot) * n + i) * n + j] * direction[(k + slot) * n + j];
  const std::vector<double> q(run.q.begin(), run.q.end());
  const auto report = check_jvp(
      [&](std::span<const double> x, std::span<double> y) {
        DelRun at(model);
        del_run(model, {x, run.h, run.u}, false, at);
        std::copy(at.r.begin(), at.r.end(), y.begin());
      },
      q, direction, jvp);
  EXPECT_TRUE(report.agrees(1e-7)) << report.text();
}

TEST_P(Discrete, PullbackOfARunAgreesWithItsJacobianAndWithFiniteDifferences) {
  const int samples = 20;
  RandomRun run(model, samples, random);
  DelRun w(model, samples);
  const AlignedVector lambda = random_values((samples - 2) * n, random);
  const auto loss = [&] {
    del_run(model, run.view(), false, w);
    double sum = 0;
    for (std::size_t i = 0; i < w.r.size(); ++i) sum += lambda[i] * w.r[i];
    return sum;
  };
  std::vector<double> q_bar(run.q.size()), expected(run.q.size());
  model.clear_gradient(w.block.model);
  del_run_pullback(model, run.view(), lambda, q_bar, true, w);
  const auto theta = gathered_gradient(model, w.block.model);
  expect_parameter_gradient(model, theta, loss);
  del_run(model, run.view(), true, w);
  for (int k = 0; k + 2 < samples; ++k)
    for (int slot = 0; slot < 3; ++slot)
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          expected[(k + slot) * n + j] +=
              lambda[k * n + i] * w.jacobian[((k * 3 + slot) * n + i) * n + j];
  double largest = 0;
  for (const double value : expected) largest = std::max(largest, std::abs(value));
  ASSERT_GT(largest, 0);
  for (std::size_t i = 0; i < q_bar.size(); ++i)
    EXPECT_NEAR(q_bar[i], expected[i], 1e-12 * largest);
}

TEST(DiscreteRun, ScalesWithTheLagrangianAndItsForce) {
  // All masses and friction coefficients of the rods times gamma: L and F times gamma.
  AnalyticSystem light = make_system("double-pendulum");
  for (const char* eta : {"eta1", "eta2"}) light.set_constant(eta, 0.5);
  AnalyticSystem heavy = light;
  const double gamma = 8;
  for (const char* name : {"m1", "m2", "eta1", "eta2"})
    heavy.set_constant(name, gamma * light.constant(name));
  Random random(5);
  const Model a(light), b(heavy);
  const RandomRun run(a, 30, random);
  DelRun wa(a), wb(b);
  del_run(a, run.view(), false, wa);
  del_run(b, run.view(), false, wb);
  for (std::size_t i = 0; i < wa.r.size(); ++i) EXPECT_EQ(wb.r[i], gamma * wa.r[i]);

  const AlignedVector q = random_values(2 * kBlock, random), v = random_values(2 * kBlock, random);
  AlignedVector acc_a = make_panel(2), acc_b = make_panel(2);
  AccelerationWorkspace pa(a), pb(b);
  ASSERT_EQ(acceleration(a, {q.data(), v.data(), nullptr}, acc_a.data(), pa), kAllLanes);
  ASSERT_EQ(acceleration(b, {q.data(), v.data(), nullptr}, acc_b.data(), pb), kAllLanes);
  for (std::size_t i = 0; i < acc_a.size(); ++i)
    EXPECT_NEAR(acc_a[i], acc_b[i], 1e-13 * (1 + std::abs(acc_a[i])));
}

TEST(DiscreteRun, RefusesWrongShapes) {
  const Model model(make_system("double-pendulum"));
  DelRun w(model);
  const std::vector<double> q(10), h(4, 0.1), short_h(3, 0.1), one_h(1, 0.1), two_q(4);
  EXPECT_NO_THROW(del_run(model, {q, h, {}}, false, w));
  EXPECT_THROW(del_run(model, {q, short_h, {}}, false, w), CheckError);
  EXPECT_THROW(del_run(model, {two_q, one_h, {}}, false, w), CheckError);
  const std::vector<double> lambda(5);
  EXPECT_THROW(del_run_pullback(model, {q, h, {}}, lambda, {}, true, w), CheckError);
}

}  // namespace
}  // namespace mechfit
