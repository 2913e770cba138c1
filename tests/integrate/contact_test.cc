#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "mechfit/integrate/contact_stepper.h"
#include "mechfit/integrate/simulate.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "mechfit/mechanics/point.h"

namespace mechfit {
namespace {

struct Scene {
  AnalyticSystem system;
  Contacts contacts;
  std::vector<double> q0, v0;
};

Rollout roll(const Scene& scene, double h, int steps, Integrator integrator) {
  ThreadPool pool(1);
  RolloutRequest request;
  request.trajectories = 1;
  request.steps = steps;
  request.q0 = scene.q0;
  request.v0 = scene.v0;
  request.h = {&h, 1};
  request.contacts = scene.contacts;
  return roll_out(Model(scene.system), request, integrator, pool);
}

Contact stop(const AnalyticSystem& system, int joint, bool upper, double position, double e) {
  return joint_stop(system_channels(system), joint, upper, position, e);
}

Scene cart(double e) {
  const AnalyticSystem system = [] {
    AnalyticSystem s = make_system("cart");
    s.set_constant("eta", 0);
    return s;
  }();
  return {system, {stop(system, 0, true, 1, e), stop(system, 0, false, -1, e)}, {0.2}, {1.7}};
}

Scene ball(double e, double mu) {
  AnalyticSystem system = make_system("ball");
  system.set_constant("eta_x", 0);
  system.set_constant("eta_y", 0);
  return {system, {half_plane("floor", system.planar_points()[0], 0, 1, 0, e, mu)}, {0, 1}, {2, 0}};
}

Scene two_rods(double e) {
  const AnalyticSystem system = make_system("double-pendulum");
  return {system,
          {stop(system, 1, true, 0.6, e), stop(system, 1, false, -0.8, e)},
          {1.2, 0.1},
          {0.0, 9.0}};
}

TEST(Contacts, ACartBetweenWallsIsWhereItsClosedFormSays) {
  const double e = 0.8;
  const Scene scene = cart(e);
  for (const Integrator integrator : {Integrator::variational, Integrator::rk4}) {
    const int steps = 700;
    const Rollout out = roll(scene, 0.01, steps, integrator);
    ASSERT_TRUE(out.all_ok());
    double x = 0.2, v = 1.7, t = 0;
    std::size_t impacts = 0;
    for (;; ++impacts) {
      const double wall = v > 0 ? 1 : -1, duration = (wall - x) / v;
      if (t + duration > 7) break;
      t += duration;
      ASSERT_LT(impacts, out.events[0].size());
      EXPECT_NEAR(out.events[0][impacts].time, t, 1e-10);
      EXPECT_NEAR(out.events[0][impacts].impulse, (1 + e) * std::fabs(v), 1e-12);
      x = wall;
      v *= -e;
    }
    EXPECT_EQ(out.events[0].size(), impacts);
    EXPECT_NEAR(out.q[steps], x + v * (7 - t), 1e-10);
    EXPECT_NEAR(out.v[steps], v, 1e-12);
  }
}

TEST(Contacts, ABallBouncesAsLongAsItsClosedFormSaysAndThenLiesStill) {
  const double e = 0.7, g = 10;
  // Falls for sqrt(2 / g), then bounces of 2 e^k v / g
  const double fall = std::sqrt(2 / g), end = fall + 2 * (fall * e / (1 - e));
  for (const Integrator integrator : {Integrator::variational, Integrator::rk4}) {
    const double h = 0.01;
    const int steps = static_cast<int>(end / h) + 50;
    const Rollout out = roll(ball(e, 0), h, steps, integrator);
    ASSERT_TRUE(out.all_ok());
    for (int k = 0; k <= steps; ++k) {
      EXPECT_GE(out.q[2 * k + 1], -1e-12);
      EXPECT_NEAR(out.q[2 * k], 2 * k * h, 1e-10);
      EXPECT_NEAR(out.v[2 * k], 2, 1e-12);  // momentum along the floor is kept
    }
    for (int k = static_cast<int>((fall * (1 + 2 * e)) / h); k <= steps; k += 10) {
      const double t = k * h - fall * (1 + 2 * e), second = 2 * e * e * fall;
      if (t >= 0 && t < second) {
        EXPECT_NEAR(out.q[2 * k + 1], 0.5 * g * t * (second - t), 1e-9);
      }
      // What a bounce of a tenth of a step is high, when it is taken for rest
      if (k * h > end) {
        EXPECT_NEAR(out.q[2 * k + 1], 0, 1e-12);
      }
    }
  }
}

TEST(Contacts, FrictionTakesMuTimesTheImpulseAndHoldsWhatIsSlow) {
  const double e = 0.5, mu = 0.1, h = 0.01;
  const Rollout out = roll(ball(e, mu), h, 400, Integrator::rk4);
  ASSERT_TRUE(out.all_ok());
  const double v = std::sqrt(20.0);
  const int after_first = static_cast<int>(v / 10 / h) + 2;
  EXPECT_NEAR(out.v[2 * after_first], 2 - mu * (1 + e) * v, 1e-10);
  // Until it lies all bounces have taken mu v (1 + e) (1 + e + e^2 + ...) = mu v (1 + e) / (1 - e),
  // then it slides, slowed by mu g, and stops.
  const double lies = v / 10 * (1 + 2 * e / (1 - e));
  const int k = static_cast<int>(lies / h) + 5;
  const double slid = 2 - mu * v * (1 + e) / (1 - e);
  EXPECT_NEAR(out.v[2 * k], slid - mu * 10 * (k * h - lies), 0.02);
  EXPECT_NEAR(out.v[2 * 400], 0, 1e-12);
  EXPECT_EQ(out.q[2 * 400], out.q[2 * 390]);
}

TEST(Contacts, ElasticImpactsKeepTheEnergyTenThousandTimes) {
  Scene pendulum{make_system("pendulum"), {}, {0.1}, {3.0}};
  pendulum.contacts = {stop(pendulum.system, 0, true, 0.3, 1),
                       stop(pendulum.system, 0, false, -0.2, 1)};
  pendulum.system.set_constant("eta", 0);
  for (const Scene& scene : {cart(1), ball(1, 0), pendulum}) {
    const double h = scene.system.name() == "pendulum" ? 0.02 : 0.1;
    const int steps = scene.system.name() == "pendulum" ? 100000 : 120000;
    const Rollout out = roll(scene, h, steps, Integrator::rk4);
    ASSERT_TRUE(out.all_ok());
    EXPECT_GE(out.events[0].size(), 10000u) << scene.system.name();
    const Model model(scene.system);
    PointDynamics dynamics(model);
    const std::size_t n = model.joints();
    const double before = dynamics.energy(scene.q0, scene.v0);
    const double after = dynamics.energy({&out.q[steps * n], n}, {&out.v[steps * n], n});
    EXPECT_NEAR(after, before, (h == 0.02 ? 1e-4 : 1e-6) * std::fabs(before))
        << scene.system.name();
  }
}

// Errors after impacts, of steps h and h/2 against fine ones.
TEST(Contacts, ImpactsLeaveTheOrderOfTheIntegrator) {
  const Scene scene = two_rods(0.6);
  const Rollout fine = roll(scene, 1.0 / 4096, 4096 * 2, Integrator::rk4);
  ASSERT_GE(fine.events[0].size(), 3u);
  const auto error = [&](Integrator integrator, int parts) {
    const Rollout out = roll(scene, 1.0 / parts, parts * 2, integrator);
    EXPECT_TRUE(out.all_ok());
    EXPECT_EQ(out.events[0].size(), fine.events[0].size());
    double worst = 0;
    for (int i = 0; i < 2; ++i)
      worst =
          std::max(worst, std::fabs(out.q[out.q.size() - 2 + i] - fine.q[fine.q.size() - 2 + i]));
    return worst;
  };
  for (const auto& [integrator, ratio] :
       {std::pair{Integrator::variational, 4.0}, std::pair{Integrator::rk4, 16.0}}) {
    const double coarse = error(integrator, 128), half = error(integrator, 256);
    EXPECT_GT(coarse, 1e-9);
    EXPECT_GT(coarse / half, 0.6 * ratio) << coarse << " " << half;
  }
}

// Stops from both sides at 0 make two rods of length 1 one of length 2.
TEST(Contacts, WhatIsHeldBetweenTwoStopsMovesAsOneBody) {
  const AnalyticSystem system = make_system("double-pendulum");
  const Scene scene{
      system, {stop(system, 1, true, 0, 0), stop(system, 1, false, 0, 0)}, {1.0, 0.0}, {0.0, 0.0}};
  AnalyticSystem one = make_system("chain", 1);
  one.set_constant("m1", 2);
  one.set_constant("l1", 2);
  const Scene rigid{one, {}, {1.0}, {0.0}};
  const Rollout expected = roll(rigid, 1e-3, 3000, Integrator::rk4);
  const auto error = [&](double h, Integrator integrator) {
    const int steps = static_cast<int>(std::lround(3 / h));
    const Rollout out = roll(scene, h, steps, integrator);
    EXPECT_TRUE(out.all_ok());
    EXPECT_NEAR(out.q[2 * steps + 1], 0, 1e-10);
    return std::fabs(out.q[2 * steps] - expected.q[3000]);
  };
  for (const Integrator integrator : {Integrator::variational, Integrator::rk4}) {
    const double coarse = error(0.02, integrator), half = error(0.01, integrator);
    EXPECT_LT(half, 2e-3);
    EXPECT_GT(coarse / half, 3);  // second order
  }
}

TEST(Contacts, AnImpactWithoutRestitutionLeavesWhenTheMotionLetsGo) {
  Scene scene{make_system("pendulum"), {}, {0.0}, {2.0}};
  scene.contacts = {stop(scene.system, 0, true, 0.3, 0)};  // gravity pulls away from it
  const Rollout away = roll(scene, 0.01, 200, Integrator::variational);
  ASSERT_TRUE(away.all_ok());
  ASSERT_EQ(away.events[0].size(), 1u);
  for (double q : away.q) EXPECT_LE(q, 0.3 + 1e-12);
  EXPECT_LT(*std::min_element(away.q.begin(), away.q.end()), -0.25);
  scene.contacts = {stop(scene.system, 0, true, -0.3, 0)};  // it presses
  scene.q0 = {-0.8};
  scene.v0 = {0};
  const Rollout lies = roll(scene, 0.01, 200, Integrator::variational);
  ASSERT_TRUE(lies.all_ok());
  EXPECT_NEAR(lies.q[200], -0.3, 1e-12);
  EXPECT_NEAR(lies.v[200], 0, 1e-12);
}

TEST(Contacts, AStartBeyondAStopComesBackAndStaysBehindIt) {
  Scene scene{make_system("pendulum"), {}, {0.35}, {0.0}};
  scene.contacts = {stop(scene.system, 0, true, 0.3, 0.5)};
  const Rollout out = roll(scene, 0.01, 400, Integrator::rk4);
  ASSERT_TRUE(out.all_ok());
  EXPECT_LE(*std::max_element(out.q.begin(), out.q.end()), 0.35);
  EXPECT_LE(*std::max_element(out.q.begin() + 100, out.q.end()), 0.3 + 1e-12);
}

TEST(Contacts, TooManyImpactsInAStepAreAStatus) {
  Scene scene = cart(1);
  scene.contacts[0].position = 0.2 + 1e-5;
  scene.contacts[1].position = 0.2 - 1e-5;
  const Rollout out = roll(scene, 0.1, 3, Integrator::rk4);
  EXPECT_EQ(out.status[0], StepStatus::too_many_impacts);
  EXPECT_EQ(out.completed[0], 0);
  EXPECT_NE(std::string(describe(out.status[0])).find("impacts"), std::string::npos);
}

TEST(Contacts, SimulateTellsImpactsAndGivesTheSameForAnyNumberOfThreads) {
  const Scene scene = two_rods(0.5);
  SimulateOptions options;
  options.runs = 5;
  options.steps = 100;
  options.h = 0.02;
  options.q0 = {{-0.5, 0.5}, {-0.5, 0.5}};
  options.v0 = {{-3, 3}, {-9, 9}};
  options.contacts = scene.contacts;
  ThreadPool one(1), three(3);
  const Channels channels = system_channels(scene.system);
  const Simulation a = simulate(Model(scene.system), channels, options, one);
  const Simulation b = simulate(Model(scene.system), channels, options, three);
  std::size_t impacts = 0;
  for (int r = 0; r < 5; ++r) {
    EXPECT_EQ(a.truth.runs[r].q, b.truth.runs[r].q);
    impacts += a.events[r].size();
    for (std::size_t k = 1; k < a.truth.runs[r].q.size(); k += 2)
      EXPECT_LE(a.truth.runs[r].q[k], 0.6 + 1e-12);
  }
  EXPECT_GE(impacts, 5u);
}

}  // namespace
}  // namespace mechfit
