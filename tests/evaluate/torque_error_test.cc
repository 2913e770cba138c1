#include "mechfit/evaluate/torque_error.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/machines.h"

namespace mechfit {
namespace {

using testing::kFuruta;

MotionPoints furuta_points(ThreadPool& pool) {
  const Simulation simulation = testing::record(kFuruta, {0, 0.01, 2, 3}, 1, pool);
  return motion_points(simulation.truth, InputAtSample::next);
}

TEST(TorqueError, OnlyTheJointThatAnInputPushesIsDriven) {
  EXPECT_EQ(driven_joints(Model(testing::system_of(kFuruta))), (std::vector<bool>{true, false}));
  EXPECT_EQ(driven_joints(Model(make_system("pendulum"))), std::vector<bool>{false});
}

TEST(TorqueError, TheTrueModelPredictsWhatTheInputsPushed) {
  ThreadPool pool(2);
  const MotionPoints points = furuta_points(pool);
  const Model model(testing::system_of(kFuruta));
  const Torques torques = predict_torques(model, points, pool);
  for (int k = 0; k < points.size(); ++k) {
    EXPECT_NEAR(torques.applied[2 * k], points.u[k], 1e-12);
    EXPECT_NEAR(torques.predicted[2 * k], points.u[k], 1e-9);
    EXPECT_NEAR(torques.predicted[2 * k + 1], 0, 1e-9);
  }
  const TorqueError error = torque_error(torques, points, driven_joints(model));
  ASSERT_EQ(error.joints, std::vector<int>{0});
  EXPECT_LT(error.overall, 1e-12);
  EXPECT_GT(error.friction_overall, 0.1);
  EXPECT_LE(error.friction_overall, 1);
}

// An arm of ten times the inertia asks for far more torque than the log has.
TEST(TorqueError, AHeavyModelIsWorseThanTheMean) {
  ThreadPool pool(1);
  const MotionPoints points = furuta_points(pool);
  const Model heavy(testing::system_of(kFuruta, {{"J_arm", 2.3e-3}}));
  const TorqueError error =
      torque_error(predict_torques(heavy, points, pool), points, driven_joints(heavy));
  EXPECT_GT(error.overall, 1);
  EXPECT_NEAR(error.nmse[0], std::pow(error.rms[0] / error.size[0], 2), 1e-9 * error.nmse[0]);
}

TEST(TorqueError, BitsDoNotDependOnThreads) {
  ThreadPool one(1), three(3);
  const MotionPoints points = furuta_points(one);
  const Model model(testing::system_of(kFuruta));
  EXPECT_EQ(predict_torques(model, points, one).predicted,
            predict_torques(model, points, three).predicted);
}

}  // namespace
}  // namespace mechfit
