#include <gtest/gtest.h>

#include "mechfit/base/error.h"
#include "mechfit/fit/checkpoint.h"
#include "mechfit/fit/fit.h"
#include "mechfit/integrate/simulate.h"
#include "mechfit/mechanics/families/arm/arm_description.h"
#include "mechfit/mechanics/point.h"
#include "tests/support/arms.h"
#include "tests/support/simulated.h"

// Arms whose geometry is known, from logs of their motion.
namespace mechfit {
namespace {

ArmKinematics three_joints() {
  return testing::dh_chain({{0, .3, 0}, {0, 0, kTurn / 4}, {.4, 0, 0}});
}

std::shared_ptr<const ArmDescription> description(const ArmKinematics& kinematics) {
  auto out = std::make_shared<ArmDescription>();
  out->kinematics = kinematics;
  return out;
}

struct Case {
  Arm truth;
  Simulation data;
};

Case simulated_arm(ThreadPool& pool) {
  Random random(5);
  Arm truth = testing::random_arm(three_joints(), 3, true, random);
  Channels channels;
  channels.joints = {"q1", "q2", "q3"};
  channels.units = {"rad", "rad", "rad"};
  channels.inputs = {"u1", "u2", "u3"};
  channels.joint_types = truth.joint_types();
  SimulateOptions options;
  options.runs = 6;
  options.steps = 150;
  options.h = 0.01;
  options.substeps = 4;
  options.integrator = Integrator::rk4;
  options.q0.assign(3, {-1.0, 1.0});
  options.v0.assign(3, {-1.0, 1.0});
  options.noise.assign(3, 1e-4);
  options.input.signal = InputSignal::sines;
  options.input.amplitude = 20;
  return {truth, simulate(Model(truth), channels, options, pool)};
}

TEST(ArmFit, FindsTheMassMatrixOfAnArmOfThreeJoints) {
  ThreadPool pool(2);
  const auto [truth, data] = simulated_arm(pool);
  FitOptions options;
  options.family = "arm";
  options.robot = description(three_joints());
  options.quick = true;
  const FitResult result = fit(data.observed, {}, options, pool);
  ASSERT_EQ(result.status, FitStatus::finished);
  ASSERT_TRUE(result.model.as<Arm>());
  Random random(6);
  const Model true_model(truth);
  PointDynamics found(result.model), expected(true_model);
  std::vector<double> m(9), m0(9), q(3);
  for (int k = 0; k < 20; ++k) {
    for (double& x : q) x = random.uniform(-1, 1);
    found.mass(q, m);
    expected.mass(q, m0);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        EXPECT_NEAR(m[3 * i + j], m0[3 * i + j], 0.03 * std::sqrt(m0[4 * i] * m0[4 * j]));
  }
}

TEST(ArmFit, NeedsAGeometryWithAsManyJointsAsTheLog) {
  ThreadPool pool(1);
  // With a torque on every joint the geometry could be found.
  Log log = simulated_arm(pool).data.observed;
  log.channels.inputs.clear();
  for (Trajectory& run : log.runs) run.u.clear();
  FitOptions options;
  options.family = "arm";
  const auto message = [&] {
    try {
      (void)fit(log, {}, options, pool);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message(), "family arm needs the geometry of the machine: give option 'robot'");
  options.robot = description(testing::dh_chain({{0, 0, 0}, {1, 0, 0}}));
  EXPECT_EQ(message(), "the robot description has 2 joints that move, the log has 3");
}

TEST(ArmFit, ACheckpointKnowsTheGeometryAndTheLinks) {
  FitOptions a, b;
  a.robot = description(three_joints());
  auto other = std::make_shared<ArmDescription>(*a.robot);
  other->links.resize(3);
  b.robot = other;
  EXPECT_NE(settings_text(a), settings_text(b));
  EXPECT_NE(settings_text(a), settings_text({}));
}

}  // namespace
}  // namespace mechfit
