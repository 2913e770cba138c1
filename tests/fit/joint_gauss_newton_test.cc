#include "mechfit/fit/joint/joint_gauss_newton.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mechfit/base/error.h"
#include "mechfit/base/gradient_check.h"
#include "mechfit/estimate/kalman/smoother.h"
#include "mechfit/fit/data_scales.h"
#include "mechfit/fit/joint/joint_problem.h"
#include "mechfit/fit/smoothed/samples.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "mechfit/mechanics/families/start.h"
#include "mechfit/mechanics/families/trig/trig.h"
#include "tests/support/pendulum_data.h"

namespace mechfit {
namespace {

using testing::PendulumData;

Trig trig_for(const Log& train, ThreadPool& pool) {
  const Log smoothed = smooth(train, {}, pool).log;
  TrigConfig config;
  config.joints = train.channels.joint_types;
  config.friction = true;
  config.scales = data_scales(magnitudes(make_samples(smoothed)), config.joints, {}, false);
  return Trig(config);
}

// The reduced objective: J with the motions solved for.
TEST(JointGaussNewton, ReducedGradientAgreesWithFiniteDifferences) {
  const PendulumData data = testing::pendulum_data(0.5, 0.05, 1, 14, 2);
  ThreadPool pool(1);
  const MotionNoise noise{{0.05, 0.04}, {2.0, 1.5}};
  AnalyticSystem system = testing::pendulum_truth(0.3);
  system.set_constant("l2", 1.2);
  const Model model(system);
  JointRuns runs(model, data.train, data.train, pool);
  JointGaussNewton solver(model, runs, {}, nullptr);
  const MotionRun::Options exactly{100, 1e-20};
  runs.solve(model, noise, exactly);

  // By the envelope theorem the gradient is that of J with the motions held.
  std::vector<double> gradient(model.parameter_count());
  runs.each([&](MotionRun& run, int) {
    ASSERT_TRUE(run.linearise(model, RunDerivatives::parameters));
    for (std::size_t row = 0; row < run.error.e.size(); ++row)
      for (std::size_t k = 0; k < gradient.size(); ++k)
        gradient[k] += run.error.e[row] / (noise.s[row % 2] * noise.s[row % 2]) *
                       run.error.theta[row * gradient.size() + k];
  });
  const auto reduced = [&](std::span<const double> theta) {
    Model other = model;
    other.set_parameters(theta);
    JointRuns own(other, data.train, data.train, pool);
    return own.solve(other, noise, exactly);
  };
  const std::vector<double> theta(model.parameters().begin(), model.parameters().end());
  const auto report = check_gradient(reduced, theta, gradient);
  EXPECT_TRUE(report.agrees(1e-5)) << report.text();
}

// The information that remains for theta is the Schur complement of the whole normal matrix.
TEST(JointGaussNewton, EliminatesTheMotionsExactly) {
  const PendulumData data = testing::pendulum_data(0.5, 0.05, 2, 9, 2);
  ThreadPool pool(1);
  const MotionNoise noise{{0.05, 0.04}, {2.0, 1.5}};
  const Model model(testing::pendulum_truth(0.4));
  JointRuns runs(model, data.train, data.train, pool);
  JointGaussNewton solver(model, runs, {}, nullptr);
  ASSERT_TRUE(solver.linearise());
  const Eigen::MatrixXd S = solver.data_information(noise);
  const int p = model.parameter_count(), q = 9 * 2;
  const Eigen::VectorXd slope = solver.parameters().slopes(model.parameters());
  Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(p, p);
  runs.each([&](MotionRun& run, int) {
    ASSERT_TRUE(run.linearise(model, RunDerivatives::parameters));
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(7 * 2, q), B(7 * 2, p);
    for (int row = 0; row < 14; ++row) {
      const int t = row / 2, j = row % 2;
      for (int a = 0; a < 6; ++a)
        A(row, t * 2 + a) = run.error.jacobian[((t * 3 + a / 2) * 2 + j) * 2 + a % 2] / noise.s[j];
      for (int k = 0; k < p; ++k) B(row, k) = slope[k] * run.error.theta[row * p + k] / noise.s[j];
    }
    Eigen::MatrixXd H = A.transpose() * A;
    for (int k = 0; k < q; ++k) H(k, k) += 1 / (noise.sigma[k % 2] * noise.sigma[k % 2]);
    const Eigen::MatrixXd C = A.transpose() * B;
    expected += B.transpose() * B - C.transpose() * H.inverse() * C;
  });
  EXPECT_LT((S - expected).norm(), 1e-9 * expected.norm());
}

TEST(FreeParameters, StepsStopAtTheirBounds) {
  const Model model(testing::pendulum_truth(0.4));
  const FreeParameters free(model, std::vector<int>{0, 1, 2, 3, 4});  // only the damping moves
  ASSERT_EQ(free.size(), 2);
  ASSERT_TRUE(free.bounded(0) && free.bounded(1));
  Eigen::MatrixXd S(2, 2);
  S << 2, 1.8, 1.8, 2;
  // Without bounds eta1 would become negative; then eta2 alone has its own minimum.
  const Eigen::Vector2d phi(0.1, 0.6), g(2.0, 1.0);
  const Eigen::VectorXd d = free.step(S, g, phi);
  EXPECT_DOUBLE_EQ(phi[0] + d[0], 0);
  EXPECT_NEAR(d[1], -(1.0 + 1.8 * d[0]) / 2, 1e-12);
  EXPECT_GE(phi[1] + d[1], 0);
  // At its bound and pushed away from it: released.
  const Eigen::VectorXd away = free.step(S, Eigen::Vector2d(-1, 0), Eigen::Vector2d(0, 0.4));
  EXPECT_GT(away[0], 0);
}

TEST(MassPrior, DerivativesAgreeWithFiniteDifferences) {
  Random random(4);
  TrigConfig config;
  config.joints = {JointType::periodic, JointType::plain};
  Trig trig(config);
  std::vector<double> theta(trig.parameters().begin(), trig.parameters().end());
  for (double& t : theta) t += random.uniform(-0.03, 0.03);
  trig.set_parameters(theta);
  Model model(trig);
  const std::vector<double> range = {0, -1, 0, 1};
  MassPrior prior(model, spread_points(config.joints, range, 21), {1.3, 0.8}, false, 7);
  prior.settle(model);
  const int p = model.parameter_count();
  Eigen::VectorXd gradient = Eigen::VectorXd::Zero(p);
  Eigen::MatrixXd hessian = Eigen::MatrixXd::Zero(p, p);
  ASSERT_TRUE(prior.add_derivatives(model, gradient, &hessian));
  const auto value = [&](std::span<const double> at) {
    Model other = model;
    other.set_parameters(at);
    return prior.value(other);
  };
  const auto report = check_gradient(value, theta, {gradient.data(), static_cast<std::size_t>(p)});
  EXPECT_TRUE(report.agrees(1e-6)) << report.text();
  // M is linear in theta, so the Gauss-Newton matrix is the Hessian.
  Eigen::VectorXd direction(p);
  for (double& x : direction) x = random.normal();
  const Eigen::VectorXd product = hessian * direction;
  const auto slope = [&](std::span<const double> at, std::span<double> out) {
    Model other = model;
    other.set_parameters(at);
    Eigen::VectorXd g = Eigen::VectorXd::Zero(p);
    ASSERT_TRUE(prior.add_derivatives(other, g, nullptr));
    std::copy(g.begin(), g.end(), out.begin());
  };
  const auto second = check_jvp(slope, theta, {direction.data(), static_cast<std::size_t>(p)},
                                {product.data(), static_cast<std::size_t>(p)});
  EXPECT_TRUE(second.agrees(1e-6)) << second.text();
}

TEST(FitJoint, TrigonometricModelIsFarBetterThanSmoothingAlone) {
  const PendulumData data = testing::pendulum_data(0.5, 0.1, 11);
  ThreadPool pool(2);
  const auto result = fit_joint(Model(trig_for(data.train, pool)),
                                joint_data(data.train, data.validation, pool), {}, pool);
  EXPECT_EQ(result.status, FitStatus::finished);
  EXPECT_LT(acceleration_mse(result.model, data.test, pool), 0.5);
  EXPECT_NEAR(result.noise.sigma[0], 0.1, 0.01);
  EXPECT_NEAR(result.noise.sigma[1], 0.1, 0.01);
  ASSERT_EQ(result.standard_errors.size(),
            static_cast<std::size_t>(result.model.parameter_count()));
  for (double x : result.standard_errors) EXPECT_TRUE(std::isfinite(x));
}

// Degree 1 is exact for pendulums when angles are periodic, and far from it when they are not.
TEST(FitJoint, AHigherDegreePromisesMoreOnlyWhereItIsNeeded) {
  for (const bool periodic : {true, false}) {
    PendulumData data = testing::pendulum_data(0.0, 0.01, 14);
    for (Log* log : {&data.train, &data.validation})
      if (!periodic) log->channels.joint_types.assign(2, JointType::plain);
    ThreadPool pool(2);
    const Trig poorer = trig_for(data.train, pool);
    const auto fitted =
        fit_joint(Model(poorer), joint_data(data.train, data.validation, pool), {}, pool);
    TrigConfig config = poorer.config();
    config.degree = 2;
    const Model richer{Trig(config)};
    const auto theta = richer.parameters_of(fitted.model);
    ASSERT_TRUE(theta);
    EXPECT_EQ(promises_more(richer, *theta, fitted, data.train, pool), !periodic);
  }
}

TEST(FitJoint, FindsTheConstantsThatTheMotionTells) {
  const PendulumData data = testing::pendulum_data(0.5, 0.1, 12);
  ThreadPool pool(2);
  AnalyticSystem start = make_system("double-pendulum-points");
  for (const char* name : {"l1", "l2", "eta1", "eta2"}) start.set_constant(name, 0.7);
  start.set_constant("m2", 1.6);
  JointOptions options;
  options.fixed = {0, 4};  // m1 and g are known
  const auto result =
      fit_joint(Model(start), joint_data(data.train, data.validation, pool), options, pool);
  const AnalyticSystem& found = *result.model.as<AnalyticSystem>();
  EXPECT_EQ(found.constant("m1"), 1);
  EXPECT_EQ(found.constant("g"), 10);
  EXPECT_TRUE(result.undetermined.empty());
  const std::pair<const char*, double> truths[] = {
      {"m2", 1}, {"l1", 1}, {"l2", 1}, {"eta1", 0.5}, {"eta2", 0.5}};
  for (const auto& [name, truth] : truths) {
    int k = 0;
    while (found.constants()[k].name != name) ++k;
    const double error = result.standard_errors[k];
    EXPECT_NEAR(found.constant(name), truth, 4 * error) << name;
    EXPECT_LT(error, 0.1 * truth) << name;
    EXPECT_GT(error, 0) << name;
  }
}

TEST(FitJoint, NamesWhatTheMotionDoesNotTell) {
  const PendulumData data = testing::pendulum_data(0.5, 0.05, 13, 80);
  ThreadPool pool(2);
  const auto result = fit_joint(Model(testing::pendulum_truth(0.5)),
                                joint_data(data.train, data.validation, pool), {}, pool);
  // Masses and damping only relative to each other; lengths only relative to gravity.
  ASSERT_FALSE(result.undetermined.empty());
  std::string all;
  for (const auto& text : result.undetermined) all += text + "\n";
  EXPECT_NE(all.find("m1"), std::string::npos) << all;
  EXPECT_TRUE(std::isinf(result.standard_errors[0]));
}

TEST(FitJoint, DoesNotDependOnTheNumberOfThreads) {
  const PendulumData data = testing::pendulum_data(0.5, 0.1, 14, 40);
  ThreadPool one(1), three(3);
  const Model start(trig_for(data.train, one));
  JointOptions options;
  options.iterations = 8;
  const auto a = fit_joint(start, joint_data(data.train, data.validation, one), options, one);
  const auto b = fit_joint(start, joint_data(data.train, data.validation, three), options, three);
  for (int k = 0; k < start.parameter_count(); ++k)
    EXPECT_EQ(a.model.parameters()[k], b.model.parameters()[k]);
  EXPECT_EQ(a.validation_score, b.validation_score);
}

TEST(FitJoint, LivesWithMissingSamplesUnevenStepsAndShortRuns) {
  PendulumData data = testing::pendulum_data(0.5, 0.05, 15, 120);
  for (Trajectory& run : data.train.runs) {
    for (int k = 7; k < run.size(); k += 11)
      run.q[2 * k] = std::numeric_limits<double>::quiet_NaN();
    Trajectory thinned = run;
    thinned.t.clear();
    thinned.q.clear();
    for (int k = 0; k < run.size(); ++k) {
      if (k % 10 == 4) continue;
      thinned.t.push_back(run.t[k]);
      thinned.q.insert(thinned.q.end(), {run.q[2 * k], run.q[2 * k + 1]});
    }
    run = thinned;
  }
  data.train.runs[0].t.resize(20);
  data.train.runs[0].q.resize(40);
  ThreadPool pool(2);
  const auto result = fit_joint(Model(trig_for(data.train, pool)),
                                joint_data(data.train, data.validation, pool), {}, pool);
  EXPECT_LT(acceleration_mse(result.model, data.test, pool), 2);
  EXPECT_EQ(result.train.runs[0].size(), 20);
}

TEST(FitJoint, StopsWhenTheProgressHookSaysSo) {
  const PendulumData data = testing::pendulum_data(0.5, 0.1, 16, 40);
  ThreadPool pool(1);
  int calls = 0;
  JointHooks hooks;
  hooks.progress = [&](const FitRecord&, int) { return ++calls < 6; };
  const auto result = fit_joint(Model(trig_for(data.train, pool)),
                                joint_data(data.train, data.validation, pool), {}, pool, hooks);
  EXPECT_EQ(result.status, FitStatus::interrupted);
  EXPECT_EQ(result.history.records.size(), 6u);
}

}  // namespace
}  // namespace mechfit
