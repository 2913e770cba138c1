#include "mechfit/integrate/runge_kutta.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "tests/support/models.h"

namespace mechfit {
namespace {

using namespace mechfit::testing;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class RungeKuttaStep : public ::testing::TestWithParam<ModelCase> {
 protected:
  Random random{13};
  Model model = GetParam().make(random);
  int n = model.joints(), m = model.inputs();
  AlignedVector q = random_values(n * kBlock, random, 2), v = random_values(n * kBlock, random, 2),
                u = random_values(m * kBlock, random, 2);
};

INSTANTIATE_TEST_SUITE_P(Models, RungeKuttaStep, ::testing::ValuesIn(model_cases()),
                         model_case_name);

TEST_P(RungeKuttaStep, PullbackAgreesWithFiniteDifferences) {
  AlignedVector h(kBlock);
  for (double& value : h) value = random.uniform(0.02, 0.1);
  const AlignedVector gq = random_values(n * kBlock, random),
                      gv = random_values(n * kBlock, random);
  for (const auto scheme : {Integrator::midpoint, Integrator::rk4}) {
    RungeKuttaWorkspace w(model, scheme);
    AlignedVector q_next = make_panel(n), v_next = make_panel(n);
    const auto loss = [&] {
      EXPECT_EQ(runge_kutta_step(model, {q.data(), v.data(), u.data()}, h.data(), q_next.data(),
                                 v_next.data(), w),
                kAllLanes);
      double sum = 0;
      for (std::size_t i = 0; i < q.size(); ++i) sum += gq[i] * q_next[i] + gv[i] * v_next[i];
      return sum;
    };
    (void)loss();
    AlignedVector q_bar = make_panel(n), v_bar = make_panel(n), u_bar = make_panel(m);
    std::vector<double> merged(model.merged_size()), alone = merged, theta(model.parameter_count());
    clear_gradient(model, w);
    runge_kutta_pullback(model, gq.data(), gv.data(),
                         {q_bar.data(), v_bar.data(), m ? u_bar.data() : nullptr, true}, w);
    add_gradient(model, w, merged);
    model.expand_gradient(merged, theta);
    clear_gradient(model, w);
    runge_kutta_pullback(model, gq.data(), gv.data(), {.theta = true}, w);
    add_gradient(model, w, alone);
    EXPECT_EQ(merged, alone);
    expect_gradient("q", q, q_bar, loss);
    expect_gradient("v", v, v_bar, loss);
    if (m) expect_gradient("u", u, u_bar, loss);
    expect_parameter_gradient(model, theta, loss);
  }
}

// Largest distance of the final states after one second from those of a very fine RK4.
std::vector<double> end_state(const Model& model, Integrator scheme, int steps) {
  const std::vector<double> q0{0.4, -0.3, 1.0, 0.5}, v0{0.5, 1.0, -1.0, 0.2};
  const std::vector<double> h{1.0 / steps};
  ThreadPool pool(1);
  RolloutRequest request;
  request.trajectories = 2;
  request.steps = steps;
  request.q0 = q0;
  request.v0 = v0;
  request.h = h;
  const Rollout out = runge_kutta_rollout(model, request, scheme, pool);
  EXPECT_TRUE(out.all_ok());
  std::vector<double> end;
  for (int b = 0; b < 2; ++b)
    for (int i = 0; i < 2; ++i) {
      end.push_back(out.q[(b * (steps + 1) + steps) * 2 + i]);
      end.push_back(out.v[(b * (steps + 1) + steps) * 2 + i]);
    }
  return end;
}

TEST(RungeKuttaRollout, ConvergesWithOrderFourAndTwo) {
  const Model model(make_system("double-pendulum"));
  const auto truth = end_state(model, Integrator::rk4, 4000);
  for (const auto& [scheme, order] : {std::pair(Integrator::rk4, 4), {Integrator::midpoint, 2}}) {
    double errors[2] = {0, 0};
    for (int k = 0; k < 2; ++k) {
      const auto end = end_state(model, scheme, 100 << k);
      for (std::size_t i = 0; i < end.size(); ++i)
        errors[k] = std::max(errors[k], std::abs(end[i] - truth[i]));
    }
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), order, 0.2);
  }
}

TEST(RungeKuttaRollout, FreezesATrajectoryWhoseMassMatrixIsNotPositiveAndLetsTheOthersRun) {
  const Model model(make_system("spring-pendulum"));
  const std::vector<double> q0{0.1, 1.0, 0.1, 0.0, 0.2, 1.0}, v0(6, 0.0), h{0.01};
  ThreadPool pool(1);
  RolloutRequest request;
  request.trajectories = 3;
  request.steps = 10;
  request.q0 = q0;
  request.v0 = v0;
  request.h = h;
  const Rollout out = runge_kutta_rollout(model, request, Integrator::rk4, pool);
  EXPECT_EQ(out.status[0], StepStatus::ok);
  EXPECT_EQ(out.status[1], StepStatus::mass_not_positive);
  EXPECT_EQ(out.status[2], StepStatus::ok);
  EXPECT_EQ(out.completed, (std::vector<int>{10, 0, 10}));
  for (int k = 0; k < 22; ++k) {
    EXPECT_TRUE(std::isfinite(out.q[k]));
    EXPECT_EQ(std::isfinite(out.q[22 + k]), k < 2);
    EXPECT_TRUE(std::isfinite(out.q[44 + k]));
  }
}

TEST(RungeKuttaRollout, MidpointsAreStatesOfTheFinerMotion) {
  const Model model(make_system("double-pendulum"));
  const std::vector<double> q0{0.4, -0.3}, v0{0.5, 1.0}, coarse{0.02}, fine{0.01};
  ThreadPool pool(1);
  RolloutRequest request;
  request.trajectories = 1;
  request.q0 = q0;
  request.v0 = v0;
  request.steps = 40;
  request.h = fine;
  const Rollout truth = runge_kutta_rollout(model, request, Integrator::rk4, pool);
  request.steps = 20;
  request.h = coarse;
  request.midpoints = true;
  for (const int substeps : {1, 2, 3, 4}) {
    request.substeps = substeps;
    const Rollout out = runge_kutta_rollout(model, request, Integrator::rk4, pool);
    for (int k = 0; k < 20; ++k)
      for (int i = 0; i < 2; ++i) {
        EXPECT_NEAR(out.q_mid[k * 2 + i], truth.q[(2 * k + 1) * 2 + i], 1e-5);
        EXPECT_NEAR(out.v_mid[k * 2 + i], truth.v[(2 * k + 1) * 2 + i], 1e-4);
      }
  }
}

TEST(RungeKuttaRollout, RefusesWrongShapesAndNumbersThatAreNotFinite) {
  const Model model(make_system("double-pendulum"));
  const std::vector<double> two{0.1, 0.2}, three(3), h{0.01}, bad_h{0.0},
      nan{0.1, std::numeric_limits<double>::quiet_NaN()};
  ThreadPool pool(1);
  RolloutRequest request;
  request.trajectories = 1;
  request.steps = 1;
  request.q0 = two;
  request.v0 = two;
  request.h = h;
  const auto run = [&](RolloutRequest r) {
    return [&model, &pool, r] { (void)runge_kutta_rollout(model, r, Integrator::rk4, pool); };
  };
  EXPECT_NO_THROW(run(request)());
  RolloutRequest r = request;
  r.q0 = three;
  EXPECT_THAT(run(r), ThrowsMessage<CheckError>(HasSubstr("q0 has 3 numbers, expected 2")));
  r = request;
  r.v0 = nan;
  EXPECT_THAT(run(r), ThrowsMessage<CheckError>(HasSubstr("v0[1] is nan")));
  r = request;
  r.h = bad_h;
  EXPECT_THAT(run(r), ThrowsMessage<CheckError>(HasSubstr("h is 0.0")));
  r = request;
  r.v0 = {};
  r.q1 = two;
  EXPECT_THAT(run(r), ThrowsMessage<CheckError>(HasSubstr("starts from (q0, v0)")));
  r = request;
  r.q1 = two;
  EXPECT_THAT(run(r), ThrowsMessage<CheckError>(HasSubstr("not from both")));
}

// A kick of a h after every step is a constant acceleration, up to half a step.
TEST(RungeKuttaRollout, KicksPushVelocities) {
  ThreadPool pool(1);
  AnalyticSystem system = make_system("pendulum");
  system.set_constant("g", 0);
  const Model model(system);
  constexpr int kSteps = 100;
  const std::vector<double> q0 = {0}, v0 = {1}, h = {0.01}, kicks(kSteps, 0.5 * h[0]);
  RolloutRequest request;
  request.trajectories = 1;
  request.steps = kSteps;
  request.q0 = q0;
  request.v0 = v0;
  request.h = h;
  request.kicks = kicks;
  const Rollout rollout = runge_kutta_rollout(model, request, Integrator::rk4, pool);
  EXPECT_NEAR(rollout.v.back(), 1 + 0.5, 1e-12);
  EXPECT_NEAR(rollout.q.back(), 1 + 0.5 * 0.5, 0.5 * 0.01);
}

}  // namespace
}  // namespace mechfit
