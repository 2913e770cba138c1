#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mechfit/integrate/rollout.h"
#include "mechfit/integrate/simulate.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "tests/mujoco/judge.h"

// Impacts against MuJoCo's, which knows none: its stops are springs with dampers that only push.
// Over a contact the machine is driven through r'' + 2 zeta w r' + w^2 r = 0 from r = 0 until the
// force ends, r'' = 0, which gives for w towards infinity the restitution
//
//   e = exp(-2 zeta acos(zeta) / sqrt(1 - zeta^2))
namespace mechfit {
namespace {

using testing::Judge;
using testing::MujocoState;
using testing::SoftStop;

double restitution_of(double zeta) {
  if (zeta > 1) return std::exp(-2 * zeta * std::acosh(zeta) / std::sqrt(zeta * zeta - 1));
  return std::exp(-2 * zeta * std::acos(zeta) / std::sqrt(1 - zeta * zeta));
}

double damping_of(double e) {
  double low = 0, high = 20;
  for (int k = 0; k < 60; ++k) {
    const double zeta = 0.5 * (low + high);
    (restitution_of(zeta) > e ? low : high) = zeta;
  }
  return low;
}

struct Scene {
  AnalyticSystem system = make_system("double-pendulum");
  Contacts contacts;
  MujocoState start{{1.2, 0.1}, {0.0, 5.0}};
};

Scene two_rods(double e) {
  Scene out;
  out.system.set_constant("eta1", 0.05);
  out.system.set_constant("eta2", 0.05);
  const Channels channels = system_channels(out.system);
  out.contacts = {joint_stop(channels, 1, true, 0.35, e), joint_stop(channels, 1, false, -0.35, e)};
  return out;
}

// MuJoCo's state after a time. A contact lasts some pi / w, in which the machine should have gone
// on: what is left for w towards infinity is twice what 2 w gives less what w gives.
std::vector<double> of_stiff_stops(const Scene& scene, double zeta, double time, double step) {
  std::vector<double> x[2];
  for (const int k : {0, 1}) {
    Judge judge(scene.system, step, scene.contacts, SoftStop{(k + 1) * 1000.0, zeta});
    const MujocoState at = judge.simulate(scene.start, {}, static_cast<int>(time / step + 0.5));
    x[k] = at.q;
    x[k].insert(x[k].end(), at.v.begin(), at.v.end());
  }
  for (std::size_t i = 0; i < x[0].size(); ++i) x[1][i] += x[1][i] - x[0][i];
  return x[1];
}

Rollout ours(const Scene& scene, int steps) {
  ThreadPool pool(1);
  RolloutRequest request;
  request.trajectories = 1;
  request.steps = steps;
  request.q0 = scene.start.q;
  request.v0 = scene.start.v;
  const double h = 1e-3;
  request.h = {&h, 1};
  request.contacts = scene.contacts;
  return roll_out(Model(scene.system), request, Integrator::rk4, pool);
}

TEST(ContactsAgainstMujoco, RestitutionIsThatOfADampedSpring) {
  EXPECT_NEAR(restitution_of(1e-9), 1, 1e-8);
  EXPECT_NEAR(restitution_of(1 - 1e-9), std::exp(-2), 1e-6);  // critical: r'' = 0 at t = 2 / w
  for (const double e : {0.9, 0.5, 0.05}) EXPECT_NEAR(restitution_of(damping_of(e)), e, 1e-9);
}

// Between impacts and behind the third. MuJoCo's spring and damper begin and end within a step,
// which leaves errors of that share of a contact: at 1e-4 s they are ten times those of 1e-5 s,
// which are below 3e-4 rad and, where e = 1 and the motion is fast, 0.011 rad/s behind the third
// impact.
TEST(ContactsAgainstMujoco, ADoublePendulumWithStopsMovesAlikeThroughItsImpacts) {
  constexpr double kStep = 1e-5, kPosition = 1e-3, kVelocity = 2e-2;
  for (const double e : {1.0, 0.5, 0.05}) {
    const Scene scene = two_rods(e);
    const Rollout rollout = ours(scene, 1500);
    ASSERT_TRUE(rollout.all_ok());
    const auto& events = rollout.events[0];
    ASSERT_GE(events.size(), 3u);
    for (std::size_t k = 0; k < 3; ++k) {
      const double next = k + 1 < events.size() ? events[k + 1].time : events[k].time + 0.1;
      const int sample = static_cast<int>(0.5e3 * (events[k].time + next));
      const auto seen = of_stiff_stops(scene, damping_of(e), 1e-3 * sample, kStep);
      for (int i = 0; i < 2; ++i) {
        EXPECT_NEAR(rollout.q[sample * 2 + i], seen[i], kPosition) << "e " << e << ", impact " << k;
        EXPECT_NEAR(rollout.v[sample * 2 + i], seen[2 + i], kVelocity)
            << "e " << e << ", impact " << k;
      }
    }
  }
}

}  // namespace
}  // namespace mechfit
