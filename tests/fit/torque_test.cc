#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numeric>

#include "mechfit/base/error.h"
#include "mechfit/fit/fit.h"
#include "mechfit/fit/joint/joint.h"
#include "mechfit/fit/smoothed/objectives.h"
#include "mechfit/fit/smoothed/torque_fit.h"
#include "mechfit/mechanics/families/arm/arm_description.h"
#include "mechfit/mechanics/point.h"
#include "tests/support/models.h"

// Torque regression: its objective, Levenberg-Marquardt on it, and the arm that needs it.
namespace mechfit {
namespace {

using testing::ModelCase;

class TorqueObjectives : public ::testing::TestWithParam<ModelCase> {};
INSTANTIATE_TEST_SUITE_P(All, TorqueObjectives, ::testing::ValuesIn(testing::model_cases()),
                         testing::model_case_name);

Samples random_samples(int n, int m, int size, Random& random) {
  Samples s;
  s.n = n;
  s.m = m;
  s.size = size;
  for (auto* x : {&s.q, &s.v, &s.a})
    for (int k = 0; k < size * n; ++k) x->push_back(random.uniform(-1, 1));
  for (int k = 0; k < size * m; ++k) s.u_point.push_back(random.uniform(-1, 1));
  s.u_step = s.u_point;
  return s;
}

TEST_P(TorqueObjectives, HaveTheGradientOfTheirValue) {
  Random random(3);
  Model model = GetParam().make(random);
  const Samples samples = random_samples(model.joints(), model.inputs(), 40, random);
  ThreadPool pool(1);
  ObjectiveOptions options;
  options.method = FitMethod::torque;
  for (int j = 0; j < model.joints(); ++j) options.weights.push_back(random.uniform(0.5, 2));
  const auto objective = make_objective(model, samples, options, pool);
  std::vector<int> items(samples.size);
  std::iota(items.begin(), items.end(), 0);
  std::vector<double> gradient(model.parameter_count());
  (*objective)(model, items, gradient);
  testing::expect_parameter_gradient(model, gradient,
                                     [&] { return (*objective)(model, items, {}); });
}

// A planar arm of two links in the vertical plane with friction, whose joints follow sums of sines
// of base frequency `rate`; torques are those of inverse dynamics, with noise.
struct Machine {
  Arm truth;
  Log log;  // observed
};

ArmKinematics planar() {
  ArmKinematics out = testing::dh_chain({{0, 0, kTurn / 4}, {.5, 0, 0}});
  return out;
}

Arm two_links() {
  ArmConfig config;
  config.kinematics = planar();
  config.joints = {JointType::periodic, JointType::periodic};
  config.inputs = 2;
  config.friction = parse_friction_terms("viscous+coulomb+offset", "test");
  config.friction.width = kStickingWidth;
  config.input_matrix = {1, 0, 0, 1};
  std::vector<LinkInertia> links(2);
  links[0].mass = 4;
  links[0].centre = {.25, 0, 0};
  links[0].inertia = 0.15 * Eigen::Matrix3d::Identity();
  links[1].mass = 2;
  links[1].centre = {.2, 0, 0};
  links[1].inertia = 0.05 * Eigen::Matrix3d::Identity();
  Arm arm(config, links);
  std::vector<double> theta(arm.parameters().begin(), arm.parameters().end());
  const auto info = arm.parameters_info();
  for (std::size_t k = 0; k < theta.size(); ++k) {
    if (info[k].name.starts_with("viscous")) theta[k] = 1.5;
    if (info[k].name.starts_with("Coulomb")) theta[k] = 2;
    if (info[k].name.starts_with("friction offset")) theta[k] = 0.4;
  }
  arm.set_parameters(theta);
  return arm;
}

Machine moving_arm(double rate, int runs, int samples, double noise, double torque_noise) {
  Machine out{two_links(), {}};
  Channels& channels = out.log.channels;
  channels.joints = {"q1", "q2"};
  channels.units = {"rad", "rad"};
  channels.inputs = {"u1", "u2"};
  channels.joint_types = out.truth.joint_types();
  const Model model(out.truth);
  PointDynamics point(model);
  Random random(8);
  const double h = 0.01;
  for (int r = 0; r < runs; ++r) {
    double amplitude[2][3], phase[2][3];
    for (int i = 0; i < 2; ++i)
      for (int k = 0; k < 3; ++k) {
        amplitude[i][k] = random.uniform(0.2, 0.7);
        phase[i][k] = random.uniform(0, kTurn);
      }
    const auto at = [&](double t, double* q, double* v, double* a) {
      for (int i = 0; i < 2; ++i) {
        q[i] = i == 0 ? -0.6 : 0.9;
        v[i] = a[i] = 0;
        for (int k = 0; k < 3; ++k) {
          const double w = rate * (0.6 + 0.53 * k + 0.2 * i), x = w * t + phase[i][k];
          q[i] += amplitude[i][k] * std::sin(x);
          v[i] += amplitude[i][k] * w * std::cos(x);
          a[i] -= amplitude[i][k] * w * w * std::sin(x);
        }
      }
    };
    Trajectory run;
    run.name = "run " + std::to_string(r + 1);
    for (int k = 0; k < samples; ++k) {
      double q[2], v[2], a[2], tau[2];
      at(k * h, q, v, a);
      run.t.push_back(k * h);
      for (const double x : q) run.q.push_back(x + noise * random.normal());
      at((k + 0.5) * h, q, v, a);  // u_k acts from t_k to t_{k+1}
      point.inverse_dynamics(q, v, a, tau);
      for (const double x : tau) run.u.push_back(x + torque_noise * random.normal());
    }
    out.log.runs.push_back(std::move(run));
  }
  return out;
}

// The largest error of an entry of M along the motion, in units of sqrt(M_ii M_jj).
double mass_error(const Model& model, const Machine& machine) {
  const Model true_model(machine.truth);
  PointDynamics found(model), expected(true_model);
  double worst = 0;
  for (const Trajectory& run : machine.log.runs)
    for (int k = 0; k < run.size(); k += 50) {
      double m[4], m0[4];
      const std::span<const double> q = std::span(run.q).subspan(2 * k, 2);
      found.mass(q, m);
      expected.mass(q, m0);
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
          worst = std::max(
              worst, std::abs(m[2 * i + j] - m0[2 * i + j]) / std::sqrt(m0[3 * i] * m0[3 * j]));
    }
  return worst;
}

FitOptions torque_options(const std::string& family) {
  FitOptions options;
  options.family = family;
  options.method = FitMethod::torque;
  options.friction = "viscous+coulomb+offset";
  return options;
}

TEST(TorqueFit, FindsMOfAQuickArm) {
  ThreadPool pool(2);
  const Machine machine = moving_arm(4, 4, 600, 1e-5, 0);
  const FitResult result = fit(machine.log, {}, torque_options("trig"), pool);
  ASSERT_EQ(result.status, FitStatus::finished);
  EXPECT_LT(mass_error(result.model, machine), 0.05);
  EXPECT_LT(result.history.best, 0.002);
  for (const Description::Value& value : result.model.describe().values) {
    if (value.name != "Coulomb friction 1") continue;
    EXPECT_NEAR(value.value, 2, 0.1);
  }
  ASSERT_EQ(result.standard_errors.size(),
            static_cast<std::size_t>(result.model.parameter_count()));
  for (const double error : result.standard_errors) EXPECT_TRUE(std::isfinite(error));
}

// Inertia is a twentieth of this arm's torques, the rest is gravity and friction. A heavy M makes
// small errors of accelerations whatever the torques are; errors of torques do not forgive it.
TEST(TorqueFit, FindsMOfASlowArmWhereAccelerationsDoNot) {
  ThreadPool pool(2);
  const Machine machine = moving_arm(1, 6, 600, 1e-5, 0.1);
  FitOptions options = torque_options("arm");
  auto robot = std::make_shared<ArmDescription>();
  robot->kinematics = planar();
  options.robot = robot;
  const FitResult by_torque = fit(machine.log, {}, options, pool);
  ASSERT_EQ(by_torque.status, FitStatus::finished);
  EXPECT_LT(mass_error(by_torque.model, machine), 0.05);
  options.method = FitMethod::joint;
  options.quick = true;
  const FitResult by_default = fit(machine.log, {}, options, pool);
  EXPECT_EQ(by_default.method, FitMethod::torque);
  EXPECT_LT(mass_error(by_default.model, machine), 0.05);

  Log train = machine.log, validation = machine.log;
  train.runs.resize(5);
  validation.runs.erase(validation.runs.begin(), validation.runs.begin() + 5);
  const JointResult by_acceleration =
      fit_joint(Arm(machine.truth.config()), joint_data(train, validation, pool), {}, pool);
  EXPECT_GT(mass_error(by_acceleration.model, machine), 0.5);
}

TEST(TorqueFit, ThreadsDoNotChangeABit) {
  const Machine machine = moving_arm(4, 3, 200, 1e-4, 0.01);
  std::vector<std::vector<double>> thetas;
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    const FitResult result = fit(machine.log, {}, torque_options("trig"), pool);
    thetas.emplace_back(result.model.parameters().begin(), result.model.parameters().end());
  }
  EXPECT_EQ(thetas[0], thetas[1]);
}

TEST(TorqueFit, NetworksLearnTorques) {
  ThreadPool pool(2);
  const Machine machine = moving_arm(2, 4, 400, 1e-5, 0.02);
  const FitResult result = fit(machine.log, {}, torque_options("smm"), pool);
  ASSERT_EQ(result.status, FitStatus::finished);
  EXPECT_LT(result.history.best, 0.02);
}

TEST(TorqueFit, SaysWhatItNeeds) {
  ThreadPool pool(1);
  Machine machine = moving_arm(4, 3, 100, 1e-4, 0);
  const auto message = [&](const FitOptions& options) -> std::string {
    try {
      fit(machine.log, {}, options, pool);
    } catch (const InputError& e) {
      return e.what();
    }
    return "no error";
  };
  FitOptions options = torque_options("trig");
  options.learn_inputs = true;
  EXPECT_NE(message(options).find("inputs of known unit"), std::string::npos);
  options.learn_gains = true;
  EXPECT_NE(message(options).find("exclude each other"), std::string::npos);
  options = torque_options("trig");
  options.input_joints = {"q1", "q1"};
  EXPECT_NE(message(options).find("joint 'q2' has none"), std::string::npos);
  options = torque_options("trig");
  options.friction = "dry";
  EXPECT_NE(message(options).find("friction 'dry', expected none, viscous"), std::string::npos);
  for (Trajectory& run : machine.log.runs)
    for (std::size_t k = 1; k < run.u.size(); k += 2) run.u[k] = 3;
  EXPECT_NE(message(torque_options("trig")).find("joint 'q2' never changes"), std::string::npos);
}

}  // namespace
}  // namespace mechfit
