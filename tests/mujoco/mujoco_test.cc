#include <gtest/gtest.h>

#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "mechfit/base/random.h"
#include "mechfit/integrate/runge_kutta.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "mechfit/mechanics/point.h"
#include "tests/mujoco/judge.h"
#include "tests/support/system_case.h"

namespace mechfit {
namespace {

using testing::Judge;
using testing::MujocoState;

using testing::system_case_name;
using testing::SystemCase;

class AgainstMujoco : public ::testing::TestWithParam<SystemCase> {
 protected:
  AgainstMujoco() {
    std::vector<double> theta(system.parameter_count());
    for (double& value : theta) value = random.uniform(0.5, 1.5);
    system.set_parameters(theta);
    system.set_constant("g", 9.81);
    // MuJoCo's dry friction is not smooth.
    for (const auto& constant : system.constants())
      if (constant.name.starts_with("eta_dry")) system.set_constant(constant.name, 0);
  }

  MujocoState random_state(double angle, double speed) {
    MujocoState state;
    for (int i = 0; i < n; ++i) {
      state.q.push_back(random.uniform(-angle, angle));
      state.v.push_back(random.uniform(-speed, speed));
    }
    if (system.name() == "spring-pendulum") state.q[1] = random.uniform(0.5, 2);
    return state;
  }

  std::vector<double> random_input() {
    return system.inputs() ? std::vector<double>{random.uniform(-5, 5)} : std::vector<double>{};
  }

  Random random{11};
  AnalyticSystem system = make_system(GetParam().name, GetParam().joints);
  int n = system.joints();
};

INSTANTIATE_TEST_SUITE_P(Systems, AgainstMujoco,
                         ::testing::Values(SystemCase{"pendulum", 1},
                                           SystemCase{"double-pendulum", 2},
                                           SystemCase{"double-pendulum-points", 2},
                                           SystemCase{"double-pendulum-links", 2},
                                           SystemCase{"chain", 1}, SystemCase{"chain", 3},
                                           SystemCase{"chain", 7}, SystemCase{"chain", 14},
                                           SystemCase{"cart-pole", 2}, SystemCase{"furuta", 2},
                                           SystemCase{"spring-pendulum", 2},
                                           SystemCase{"acrobot", 2}, SystemCase{"pendubot", 2}),
                         system_case_name);

TEST_P(AgainstMujoco, AccelerationsAreTheSame) {
  Judge judge(system);
  const Model model(system);
  PointDynamics dynamics(model);
  std::vector<double> a(n);
  for (int trial = 0; trial < 100; ++trial) {
    const MujocoState state = random_state(3, 5);
    const auto input = random_input();
    ASSERT_TRUE(dynamics.acceleration(state.q, state.v, input, a));
    const auto expected = judge.acceleration(state, input);
    for (int i = 0; i < n; ++i)
      EXPECT_NEAR(a[i], expected[i], 1e-8 * (1 + std::abs(expected[i])))
          << "joint " << i << ", state " << trial;
  }
}

// Five seconds of small motions with a constant input, several at once.
void expect_same_motion(const AnalyticSystem& system, const std::vector<MujocoState>& starts,
                        const std::vector<double>& input) {
  const int trajectories = static_cast<int>(starts.size()), steps = 5000, n = system.joints();
  const double step = 1e-3;
  std::vector<double> q0, v0, u;
  for (const MujocoState& start : starts) {
    q0.insert(q0.end(), start.q.begin(), start.q.end());
    v0.insert(v0.end(), start.v.begin(), start.v.end());
    for (int k = 0; k < steps; ++k) u.insert(u.end(), input.begin(), input.end());
  }
  const Model model(system);
  ThreadPool pool(1);
  RolloutRequest request;
  request.trajectories = trajectories;
  request.steps = steps;
  request.q0 = q0;
  request.v0 = v0;
  request.h = {&step, 1};
  request.u = u;
  const Rollout rollout = runge_kutta_rollout(model, request, Integrator::rk4, pool);
  ASSERT_TRUE(rollout.all_ok());
  Judge judge(system, step);
  for (int b = 0; b < trajectories; ++b)
    for (int k : {1000, 5000}) {
      const MujocoState expected = judge.simulate(starts[b], input, k);
      for (int i = 0; i < n; ++i) {
        const int sample = (b * (steps + 1) + k) * n + i;
        EXPECT_NEAR(rollout.q[sample], expected.q[i], 1e-6) << "step " << k << ", joint " << i;
        EXPECT_NEAR(rollout.v[sample], expected.v[i], 1e-6) << "step " << k << ", joint " << i;
      }
    }
}

TEST_P(AgainstMujoco, RungeKuttaRollsOutTheSameMotionWithDamping) {
  expect_same_motion(system, {random_state(0.5, 0.5), random_state(0.5, 0.5)}, random_input());
}

TEST_P(AgainstMujoco, RungeKuttaRollsOutTheSameMotionWithoutDamping) {
  for (const auto& constant : system.constants())
    if (constant.name.starts_with("eta")) system.set_constant(constant.name, 0);
  expect_same_motion(system, {random_state(0.5, 0.5), random_state(0.5, 0.5)}, random_input());
}

}  // namespace
}  // namespace mechfit
