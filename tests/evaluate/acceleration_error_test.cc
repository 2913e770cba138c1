#include "mechfit/evaluate/acceleration_error.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "mechfit/mechanics/point.h"
#include "tests/support/models.h"

namespace mechfit {
namespace {

using testing::random_analytic;

// Points with the model's own accelerations, and what must be added to spoil them.
MotionPoints points_of(const Model& model, int size, double offset, Random& random) {
  MotionPoints points;
  points.n = model.joints();
  points.m = model.inputs();
  PointDynamics dynamics(model);
  const std::size_t n = points.n;
  std::vector<double> a(n);
  for (int k = 0; k < size; ++k) {
    std::vector<double> q(n), v(n), u(points.m);
    for (double& x : q) x = random.uniform(-3, 3);
    for (double& x : v) x = random.uniform(-3, 3);
    for (double& x : u) x = random.uniform(-3, 3);
    EXPECT_TRUE(dynamics.acceleration(q, v, u, a));
    for (std::size_t i = 0; i < n; ++i) a[i] += offset * static_cast<double>(i + 1);
    points.q.insert(points.q.end(), q.begin(), q.end());
    points.v.insert(points.v.end(), v.begin(), v.end());
    points.u.insert(points.u.end(), u.begin(), u.end());
    points.a.insert(points.a.end(), a.begin(), a.end());
  }
  return points;
}

TEST(AccelerationError, IsTheMeanSquareOverPointsAndJoints) {
  Random random(1);
  ThreadPool pool(1);
  for (const int size : {1, 15, 16, 17, 300}) {
    const Model model = random_analytic("cart-pole", 2, random);
    const MotionPoints points = points_of(model, size, 0.5, random);
    const AccelerationError error = acceleration_error(model, points, pool);
    ASSERT_EQ(error.joint_mse.size(), 2u);
    EXPECT_NEAR(error.joint_mse[0], 0.25, 1e-12);
    EXPECT_NEAR(error.joint_mse[1], 1.0, 1e-12);
    EXPECT_NEAR(error.mse, 0.625, 1e-12);
    EXPECT_EQ(error.mse, acceleration_mse(model, points, pool));
  }
}

TEST(AccelerationError, DoesNotDependOnTheNumberOfThreads) {
  Random random(2);
  const Model model = random_analytic("chain", 3, random);
  const Model other = random_analytic("chain", 3, random);
  const MotionPoints points = points_of(other, 1000, 0.1, random);
  ThreadPool one(1), three(3);
  const double error = acceleration_mse(model, points, one);
  EXPECT_GT(error, 0);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(acceleration_mse(model, points, three), error);
}

TEST(AccelerationError, IsInfiniteWhereTheMassMatrixIsNotPositive) {
  // M = cos q
  EquationWriter writer("odd", {{"q", JointType::periodic, "rad"}});
  writer.M(0, 0) = cos(writer.q(0));
  const Model model(AnalyticSystem(writer.finish()));
  MotionPoints points;
  points.n = 1;
  points.q = {0.0, 3.0, 0.1};
  points.v = points.a = {0.0, 0.0, 0.0};
  ThreadPool pool(1);
  const AccelerationError error = acceleration_error(model, points, pool);
  EXPECT_EQ(error.not_positive, 1);
  EXPECT_EQ(error.mse, INFINITY);
  points.q[1] = 0;
  EXPECT_EQ(acceleration_mse(model, points, pool), 0);
}

TEST(AccelerationError, BaselinesAreTheMeanSquareAndTheVariance) {
  MotionPoints points;
  points.n = 2;
  points.q = points.v = {0, 0, 0, 0};
  points.a = {1, 10, 3, 10};
  EXPECT_EQ(zero_baseline(points).joint_mse, (std::vector<double>{5, 100}));
  EXPECT_EQ(zero_baseline(points).mse, 52.5);
  EXPECT_EQ(mean_baseline(points).joint_mse, (std::vector<double>{1, 0}));
}

TEST(AccelerationError, RefusesPointsOfAnotherMachine) {
  Random random(3);
  ThreadPool pool(1);
  const Model two = random_analytic("cart-pole", 2, random),
              three = random_analytic("chain", 3, random);
  EXPECT_THROW(acceleration_mse(three, points_of(two, 4, 0, random), pool), CheckError);
}

TEST(MotionPoints, AreTheSamplesOfAllRuns) {
  Log log;
  log.channels.joints = {"q"};
  log.channels.inputs = {"u"};
  for (const double x : {1.0, 2.0}) {
    Trajectory run;
    run.t = {0, 1};
    run.q = {x, x + 10};
    run.qd = {x + 20, x + 30};
    run.qdd = {x + 40, x + 50};
    run.u = {x + 60, x + 70};
    log.runs.push_back(run);
  }
  const MotionPoints points = motion_points(log, InputAtSample::next);
  EXPECT_EQ(points.size(), 4);
  EXPECT_EQ(points.q, (std::vector<double>{1, 11, 2, 12}));
  EXPECT_EQ(points.a, (std::vector<double>{41, 51, 42, 52}));
  EXPECT_EQ(points.u, (std::vector<double>{61, 71, 62, 72}));
  EXPECT_EQ(motion_points(log, InputAtSample::mean).u, (std::vector<double>{61, 66, 62, 67}));
  log.runs[1].qdd.clear();
  EXPECT_THROW(motion_points(log, InputAtSample::next), CheckError);
}

}  // namespace
}  // namespace mechfit
