#include "mechfit/integrate/variational.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mechfit/integrate/runge_kutta.h"
#include "mechfit/integrate/variational_point.h"
#include "mechfit/mechanics/discrete_run.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "mechfit/mechanics/point.h"
#include "tests/support/models.h"

namespace mechfit {
namespace {

using namespace mechfit::testing;

class Variational : public ::testing::TestWithParam<ModelCase> {
 protected:
  Random random{14};
  Model model = GetParam().make(random);
  int n = model.joints(), m = model.inputs();
  ThreadPool pool{1};
};

INSTANTIATE_TEST_SUITE_P(Models, Variational, ::testing::ValuesIn(model_cases()), model_case_name);

TEST_P(Variational, TrajectoriesHaveNoDelResidual) {
  const int trajectories = 19, steps = 40;  // more than a block, uneven steps, inputs that jump
  AlignedVector q0 = random_values(trajectories * n, random), v0 = q0,
                u = random_values(trajectories * steps * m, random), h(trajectories * steps);
  for (double& value : h) value = random.uniform(0.004, 0.012);
  RolloutRequest request;
  request.trajectories = trajectories;
  request.steps = steps;
  request.q0 = q0;
  request.v0 = v0;
  request.h = h;
  request.u = u;
  const Rollout out = variational_rollout(model, request, pool);
  ASSERT_TRUE(out.all_ok());
  DelRun w(model, steps + 1);
  for (int b = 0; b < trajectories; ++b) {
    const auto part = [&](const auto& x, int count) {
      return std::span<const double>(x).subspan(b * count, count);
    };
    del_run(model, {part(out.q, (steps + 1) * n), part(h, steps), part(u, steps * m)}, false, w);
    double momentum = 0;
    for (const double p : w.p) momentum = std::max(momentum, std::abs(p));
    for (const double r : w.r) EXPECT_LT(std::abs(r), 1e-11 * momentum);
  }
}

TEST_P(Variational, TheSameMotionFromTwoConfigurationsAsFromAStartVelocity) {
  const int steps = 30;
  const AlignedVector q0 = random_values(n, random), v0 = random_values(n, random),
                      u = random_values(steps * m, random), h{0.01};
  RolloutRequest request;
  request.trajectories = 1;
  request.steps = steps;
  request.q0 = q0;
  request.v0 = v0;
  request.h = h;
  request.u = u;
  const Rollout from_v = variational_rollout(model, request, pool);
  const std::vector<double> q1(from_v.q.begin() + n, from_v.q.begin() + 2 * n);
  request.v0 = {};
  request.q1 = q1;
  const Rollout from_q = variational_rollout(model, request, pool);
  ASSERT_TRUE(from_v.all_ok() && from_q.all_ok());
  for (std::size_t i = 0; i < from_v.q.size(); ++i) {
    EXPECT_NEAR(from_q.q[i], from_v.q[i], 1e-10);
    EXPECT_NEAR(from_q.v[i], from_v.v[i], 1e-9);
  }
  for (int i = 0; i < n; ++i)
    EXPECT_NEAR(from_q.v[i], v0[i], 1e-10);  // discrete Legendre transform
}

// Errors at t = 0.5 s against a fine RK4, for a step and its half.
TEST_P(Variational, ConvergesWithOrderTwoAtSamplesAndMidpoints) {
  const AlignedVector q0 = random_values(n, random), v0 = random_values(n, random);
  const auto roll = [&](int steps, bool variational) {
    const std::vector<double> h{0.5 / steps};
    RolloutRequest request;
    request.trajectories = 1;
    request.steps = steps;
    request.q0 = q0;
    request.v0 = v0;
    request.h = h;
    request.midpoints = true;
    return variational ? variational_rollout(model, request, pool)
                       : runge_kutta_rollout(model, request, Integrator::rk4, pool);
  };
  const Rollout truth = roll(1024, false);
  double error[2][3] = {};
  for (int k = 0; k < 2; ++k) {
    const int steps = 64 << k;
    const Rollout out = roll(steps, true);
    ASSERT_TRUE(out.all_ok());
    const int last = 1024 - 512 / steps;  // index of the last midpoint among the fine samples
    for (int i = 0; i < n; ++i) {
      const auto worse = [&](double& e, double x) { e = std::max(e, std::abs(x)); };
      worse(error[k][0], out.q[steps * n + i] - truth.q[1024 * n + i]);
      worse(error[k][1], out.v[steps * n + i] - truth.v[1024 * n + i]);
      worse(error[k][2], out.v_mid[(steps - 1) * n + i] - truth.v[last * n + i]);
    }
  }
  for (int e = 0; e < 3; ++e) EXPECT_NEAR(std::log2(error[0][e] / error[1][e]), 2, 0.35) << e;
}

TEST_P(Variational, RollingInOneBatchGivesTheVeryNumbersOfRollingAlone) {
  const int trajectories = 18, steps = 10;
  const AlignedVector q0 = random_values(trajectories * n, random),
                      v0 = random_values(trajectories * n, random), h{0.02};
  RolloutRequest request;
  request.trajectories = trajectories;
  request.steps = steps;
  request.q0 = q0;
  request.v0 = v0;
  request.h = h;
  request.substeps = 2;
  ThreadPool threads(2);
  const Rollout batch = variational_rollout(model, request, threads);
  for (const int b : {0, 7, 17}) {
    RolloutRequest one = request;
    one.trajectories = 1;
    one.q0 = std::span<const double>(q0).subspan(b * n, n);
    one.v0 = std::span<const double>(v0).subspan(b * n, n);
    const Rollout alone = variational_rollout(model, one, pool);
    const auto start = batch.q.begin() + b * (steps + 1) * n;
    EXPECT_TRUE(std::equal(alone.q.begin(), alone.q.end(), start));
  }
}

// Steps of 10 ms end in Broyden's method, those of 0.3 s partly in Newton's.
TEST_P(Variational, SteppingAtOnePointGivesTheMotionOfTheBlock) {
  for (const double step : {0.01, 0.3}) {
    const int steps = 20;
    const AlignedVector q0 = random_values(n, random), v0 = random_values(n, random), h{step};
    const AlignedVector inputs = random_values(steps * model.inputs(), random);
    RolloutRequest request;
    request.trajectories = 1;
    request.steps = steps;
    request.q0 = q0;
    request.v0 = v0;
    request.h = h;
    request.u = inputs;
    const Rollout block = variational_rollout(model, request, pool);
    std::vector<double> q(q0.begin(), q0.end()), v(v0.begin(), v0.end()), momentum(n), next(n);
    PointDynamics(model).momentum(q, v, momentum);
    VariationalPoint point(model);
    for (int k = 0; k < block.completed[0]; ++k) {
      const auto u = std::span<const double>(inputs).subspan(k * model.inputs(), model.inputs());
      ASSERT_EQ(point.step(q, momentum, u, step, v, next, momentum), StepStatus::ok) << k;
      q.swap(next);
      // Errors of rounding grow with the motion.
      const double tolerance = step < 0.1 ? 1e-10 : 1e-6;
      for (int i = 0; i < n; ++i)
        ASSERT_NEAR(q[i], block.q[(k + 1) * n + i], tolerance * (1 + std::abs(q[i]))) << k;
    }
    EXPECT_GE(block.completed[0], step < 0.1 ? steps : 1);
  }
}

TEST(VariationalRollout, SubstepsAreStepsThatAreNotRecorded) {
  const Model model(make_system("double-pendulum"));
  ThreadPool pool(1);
  const std::vector<double> q0{0.5, 1.0}, v0{0.0, 2.0}, fine{0.01}, coarse{0.04};
  RolloutRequest request;
  request.trajectories = 1;
  request.q0 = q0;
  request.v0 = v0;
  request.h = fine;
  request.steps = 80;
  const Rollout all = variational_rollout(model, request, pool);
  request.h = coarse;
  request.steps = 20;
  request.substeps = 4;
  request.midpoints = true;
  const Rollout out = variational_rollout(model, request, pool);
  for (int k = 0; k <= 20; ++k)
    for (int i = 0; i < 2; ++i) {
      EXPECT_NEAR(out.q[2 * k + i], all.q[8 * k + i], 1e-12);
      if (k == 20) continue;
      EXPECT_NEAR(out.q_mid[2 * k + i], all.q[8 * k + 4 + i], 1e-12);
      EXPECT_NEAR(out.v_mid[2 * k + i], all.v[8 * k + 4 + i], 1e-11);
    }
}

TEST(DelResidual, OfExactMotionFallsWithTheSquareOfEvenStepsAndWithUnevenSteps) {
  const Model model(make_system("double-pendulum"));
  ThreadPool pool(1);
  const std::vector<double> q0{1.0, 0.5}, v0{0.3, -0.4}, h{1e-3};
  const int fine = 960;
  RolloutRequest request;
  request.trajectories = 1;
  request.steps = fine;
  request.q0 = q0;
  request.v0 = v0;
  request.h = h;
  const Rollout exact = runge_kutta_rollout(model, request, Integrator::rk4, pool);
  // Largest |r| / h when only samples at the given strides, taken in turns, are kept.
  const auto residual = [&](int stride_a, int stride_b) {
    std::vector<double> q, steps;
    for (int k = 0, turn = 0; k <= fine; k += turn++ % 2 ? stride_b : stride_a) {
      if (k > 0) steps.push_back(h[0] * (turn % 2 ? stride_a : stride_b));
      q.insert(q.end(), exact.q.begin() + 2 * k, exact.q.begin() + 2 * k + 2);
    }
    DelRun w(model);
    del_run(model, {q, steps, {}}, false, w);
    double largest = 0;
    for (const double r : w.r) largest = std::max(largest, std::abs(r));
    return largest / (h[0] * 0.5 * (stride_a + stride_b));
  };
  EXPECT_NEAR(std::log2(residual(20, 20) / residual(10, 10)), 2, 0.1);
  EXPECT_NEAR(std::log2(residual(10, 10) / residual(5, 5)), 2, 0.1);
  EXPECT_NEAR(std::log2(residual(24, 8) / residual(12, 4)), 1, 0.2);
  EXPECT_NEAR(std::log2(residual(12, 4) / residual(6, 2)), 1, 0.2);
}

TEST(VariationalRollout, MomentumOfASymmetryIsConserved) {
  // Without gravity nothing turns the spring pendulum: its angular momentum stays.
  AnalyticSystem system = make_system("spring-pendulum");
  system.set_constant("g", 0);
  const Model model(system);
  ThreadPool pool(1);
  const std::vector<double> q0{0.3, 1.2}, v0{1.5, 0.4}, h{0.01};
  const int steps = 2000;
  RolloutRequest request;
  request.trajectories = 1;
  request.q0 = q0;
  request.v0 = v0;
  request.h = h;
  request.steps = steps;
  const Rollout out = variational_rollout(model, request, pool);
  ASSERT_TRUE(out.all_ok());
  const std::vector<double> steps_h(steps, h[0]);
  DelRun w(model);
  del_run(model, {out.q, steps_h, {}}, false, w);
  double length_min = 1e9, length_max = 0;
  for (int k = 0; k < steps; ++k) {
    EXPECT_NEAR(w.p[2 * k], w.p[0], 1e-10 * std::abs(w.p[0]));
    length_min = std::min(length_min, out.q[2 * k + 1]);
    length_max = std::max(length_max, out.q[2 * k + 1]);
  }
  EXPECT_GT(length_max - length_min, 0.05);  // it did move
}

TEST(VariationalRollout, ReportsAStepWithoutARootAndFreezesOnlyThatTrajectory) {
  // Rods at a step of 0.05 s: some fast runs meet a step whose DEL equation has no root.
  const Model model(make_system("double-pendulum"));
  ThreadPool pool(1);
  Random random(1);
  const int trajectories = 256, steps = 200;
  std::vector<double> q0(2 * trajectories), h{0.05};
  for (double& q : q0) q = random.uniform(-std::numbers::pi / 2, std::numbers::pi / 2);
  for (int b = 0; b < trajectories; b += 2) {  // half of them too slow to fail
    q0[2 * b] *= 0.05;
    q0[2 * b + 1] *= 0.05;
  }
  RolloutRequest request;
  request.trajectories = trajectories;
  request.steps = steps;
  request.q0 = q0;
  request.q1 = q0;
  request.h = h;
  const Rollout out = variational_rollout(model, request, pool);
  int failed = 0;
  for (int b = 0; b < trajectories; ++b) {
    if (out.status[b] == StepStatus::ok) continue;
    ++failed;
    EXPECT_EQ(b % 2, 1);
    EXPECT_EQ(out.status[b], StepStatus::no_root);
    const double* q = &out.q[b * (steps + 1) * 2];
    for (int k = 0; k <= steps; ++k) EXPECT_EQ(std::isfinite(q[2 * k]), k <= out.completed[b]);
  }
  EXPECT_GT(failed, 0);
  EXPECT_LT(failed, 16);
}

}  // namespace
}  // namespace mechfit
