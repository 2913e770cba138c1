#include "mechfit/fit/joint/force_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "mechfit/evaluate/torque_error.h"
#include "mechfit/fit/fit.h"
#include "mechfit/fit/smoothed/torque_fit.h"
#include "mechfit/mechanics/families/arm/arm_description.h"
#include "mechfit/mechanics/point.h"
#include "tests/support/arms.h"
#include "tests/support/driven_links.h"

// Joint estimation with errors of torques, on a machine that RK4 moves.
namespace mechfit {
namespace {

using testing::DrivenLinks;

// Means over the motion of M11 and M22 in units of the true ones.
struct MassRatio {
  double first = 0, second = 0;
};
MassRatio mass_ratio(const Model& model, const Log& log) {
  PointDynamics point(model);
  MassRatio out;
  int count = 0;
  for (const Trajectory& run : log.runs)
    for (int k = 0; k < run.size(); k += 20, ++count) {
      double m[4];
      const DrivenLinks::Two q = {run.q[2 * k], run.q[2 * k + 1]};
      point.mass(q, m);
      out.first += m[0] / DrivenLinks::mass(q)[0];
      out.second += m[3] / DrivenLinks::mass(q)[2];
    }
  return {out.first / count, out.second / count};
}

struct Two {
  FitResult regression;
  std::optional<JointResult> by_force;
};

FitOptions by_trig() {
  FitOptions options;
  options.family = "trig";
  options.degree = 1;
  return options;
}

// Rigid bodies with axes and the second joint where they are; hanging at q = 0.
FitOptions by_bodies() {
  FitOptions options;
  options.family = "arm";
  auto robot = std::make_shared<ArmDescription>();
  const double g = -robot->kinematics.gravity[2];
  robot->kinematics =
      testing::dh_chain({{0, 0, kTurn / 4}, {DrivenLinks::kH * g / DrivenLinks::kG2, 0, 0}});
  robot->kinematics = with_sign_and_offset(robot->kinematics, 0, 1, -kTurn / 4);
  options.robot = robot;
  return options;
}

Two fit_both(const Log& log, FitOptions options, ThreadPool& pool) {
  options.method = FitMethod::torque;
  options.friction = "viscous+coulomb";
  Two out{fit(log, {}, options, pool), {}};
  const JointData data = joint_data(out.regression.train, out.regression.validation, pool);
  const Samples samples = make_samples(data.train_smoothed->log);
  ForceOptions force;
  force.driven = {true, true};
  force.size = torque_sizes(out.regression.model, samples, pool);
  const MotionView points{2, 2, samples.q, samples.v, samples.a, samples.u_point};
  force.s =
      torque_error(predict_torques(out.regression.model, points, pool), points, {true, true}).rms;
  out.by_force = fit_forces(out.regression.model, data, force, pool);
  return out;
}

// Noise in the encoders and in the torque log: torque regression on smoothed motions loses a part
// of M22 (0.975 of the truth), joint estimation does not.
TEST(ForceFit, FindsMOfALogWithNoiseInBoth) {
  ThreadPool pool(2);
  DrivenLinks::Options o;
  o.noise = 1e-3;
  o.torque_noise = 1;
  const Log log = DrivenLinks::log(o);
  const Two found = fit_both(log, by_trig(), pool);
  ASSERT_EQ(found.by_force->status, FitStatus::finished);
  const MassRatio ratio = mass_ratio(found.by_force->model, log);
  EXPECT_NEAR(ratio.first, 1, 0.01);
  EXPECT_NEAR(ratio.second, 1, 0.02);
  for (int j = 0; j < 2; ++j) {
    EXPECT_NEAR(found.by_force->noise.sigma[j], 1e-3, 1e-4);
    // An error is that of the mean of two steps' torques.
    EXPECT_NEAR(found.by_force->noise.s[j], std::sqrt(0.5), 0.25);
  }
}

// Accelerations make M22 a third too heavy here. Whichever of the two ways by torques is kept, M is
// right.
TEST(ForceFit, IsTriedByTheDefaultFitOfADrivenMachineWhoseMComesOutRight) {
  ThreadPool pool(2);
  DrivenLinks::Options o;
  o.noise = 1e-3;
  o.torque_noise = 1;
  o.samples = 600;
  const Log log = DrivenLinks::log(o);
  FitOptions options = by_trig();
  options.quick = true;
  options.friction = "viscous+coulomb";
  options.input_hold = InputHold::held;
  options.input_delay = 0;
  const FitResult result = fit(log, {}, options, pool);
  ASSERT_EQ(result.status, FitStatus::finished);
  EXPECT_EQ(result.method, FitMethod::torque);
  EXPECT_THAT(
      result.notes,
      ::testing::Contains(::testing::HasSubstr("joint estimation with errors of torques is")));
  const MassRatio ratio = mass_ratio(result.model, log);
  EXPECT_NEAR(ratio.first, 1, 0.03);
  EXPECT_NEAR(ratio.second, 1, 0.05);
}

// Gravity and friction are nearly all of these torques. A heavy M makes errors of accelerations
// small, whatever the torques are; errors of torques gain nothing by it.
TEST(ForceFit, FindsMOfASlowArmWhereAccelerationsDoNot) {
  ThreadPool pool(2);
  DrivenLinks::Options o;
  o.speed = 0.3;
  o.noise = 1e-4;
  o.torque_noise = 0.3;
  const Log log = DrivenLinks::log(o);
  const Two found = fit_both(log, by_bodies(), pool);
  ASSERT_EQ(found.by_force->status, FitStatus::finished);
  const MassRatio ratio = mass_ratio(found.by_force->model, log);
  EXPECT_NEAR(ratio.first, 1, 0.05);
  EXPECT_NEAR(ratio.second, 1, 0.1);
  const Arm& arm = *found.regression.model.as<Arm>();
  const JointResult by_acceleration =
      fit_joint(Arm(arm.config()),
                joint_data(found.regression.train, found.regression.validation, pool), {}, pool);
  EXPECT_GT(mass_ratio(by_acceleration.model, log).first, 1.5);  // 1.8; with 1 N m of noise 25
}

TEST(ForceFit, ThreadsDoNotChangeABit) {
  DrivenLinks::Options o;
  o.noise = 1e-4;
  o.torque_noise = 1;
  o.runs = 3;
  o.samples = 200;
  const Log log = DrivenLinks::log(o);
  std::vector<std::vector<double>> thetas;
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    const Two found = fit_both(log, by_trig(), pool);
    const auto theta = found.by_force->model.parameters();
    thetas.emplace_back(theta.begin(), theta.end());
  }
  EXPECT_EQ(thetas[0], thetas[1]);
}

}  // namespace
}  // namespace mechfit
