// The parts of examples/control, and a swing-up of two machines from log to standing.
#include <gtest/gtest.h>

#include "examples/control/spread.h"
#include "examples/control/study.h"
#include "mechfit/base/gradient_check.h"

namespace control {
namespace {

Task task_named(const std::string& name) {
  for (Task& task : tasks())
    if (task.name == name) return task;
  throw std::runtime_error("no task " + name);
}

TEST(StepModel, DerivativesAreThoseOfTheStep) {
  for (const Task& task : tasks()) {
    const mechfit::Model model(task.nominal);
    StepModel step(model, task.h);
    const Vector x = Vector::LinSpaced(4, 0.4, -1.1);
    Matrix A;
    Vector B, next;
    const double u = 0.3 * task.limit;
    ASSERT_TRUE(step.linearize(x, u, A, B));
    for (int column = 0; column < 5; ++column) {
      const auto f = [&](std::span<const double> z, std::span<double> y) {
        ASSERT_TRUE(step.step(Vector(Eigen::Map<const Vector>(z.data(), 4)), z[4], next));
        std::copy(next.begin(), next.end(), y.begin());
      };
      const std::vector<double> z = {x[0], x[1], x[2], x[3], u};
      std::vector<double> direction(5, 0.0);
      direction[column] = 1;
      const Vector jvp = column < 4 ? Vector(A.col(column)) : B;
      const auto report = mechfit::check_jvp(f, z, direction, {jvp.data(), 4});
      EXPECT_TRUE(report.agrees(1e-6))
          << task.name << ", column " << column << ": " << report.text();
    }
  }
}

TEST(Regulator, RestingOneSolvesTheRiccatiEquation) {
  Matrix A(2, 2), Q = Matrix::Identity(2, 2);
  A << 1, 0.1, 0.2, 1;
  const Vector B = Eigen::Vector2d(0, 0.1);
  Regulator regulator;
  ASSERT_TRUE(resting_regulator(A, B, Q, 0.5, regulator));
  const Regulator again = riccati_step(A, B, Q, 0.5, regulator.P);
  EXPECT_LT((again.P - regulator.P).norm(), 1e-8 * regulator.P.norm());
  const Eigen::Matrix2d closed = A - B * regulator.K.transpose();
  EXPECT_LT(closed.eigenvalues().cwiseAbs().maxCoeff(), 1);
}

TEST(Plan, StaysWithinLimitsAndIsAMotionOfTheModel) {
  const Task task = task_named("cart-pole");
  const mechfit::Model model(task.nominal);
  StepModel step(model, task.h);
  const int steps = 50;
  const PlanTask wanted{Vector::Zero(4), task.goal, task.Q, task.Qf, task.R, 3, steps};
  const Eigen::VectorXd start = Eigen::VectorXd::Constant(steps, 0.5);
  const Plan plan = plan_motion(step, wanted, start);
  ASSERT_EQ(plan.u.size(), steps);
  EXPECT_LE(plan.u.cwiseAbs().maxCoeff(), 3);
  EXPECT_GT(plan.iterations, 1);
  Vector next;
  for (int k = 0; k < steps; ++k) {
    ASSERT_TRUE(step.step(Vector(plan.x.col(k)), plan.u[k], next));
    EXPECT_LT((next - plan.x.col(k + 1)).norm(), 1e-12);
  }
}

TEST(Spread, DrawingsAreOffByTenToThirtyPercentInMassesAndLengthsOnly) {
  const mechfit::AnalyticSystem machine = machine_of(task_named("acrobot").nominal, 3);
  const mechfit::AnalyticSystem drawing = drawing_of(machine, 3);
  for (const auto& constant : machine.constants()) {
    const double off =
        std::abs(drawing.constant(constant.name) / machine.constant(constant.name) - 1);
    if (constant.name == "g" || constant.name.starts_with("eta")) {
      EXPECT_EQ(off, 0) << constant.name;
    } else {
      EXPECT_GE(off, 0.1) << constant.name;
      EXPECT_LE(off, 0.3) << constant.name;
    }
  }
}

TEST(SwingUp, LearnedModelsStandWhereTrueEquationsDo) {
  const Task task = task_named("furuta");
  for (const int seed : {0, 1}) {
    int standing[3] = {};
    for (const SwingUp& run : swing_ups(task, seed, {0.001}, "trig"))
      standing[static_cast<int>(run.source)] += run.trial.success;
    EXPECT_EQ(standing[static_cast<int>(Source::truth)], 1) << "seed " << seed;
    EXPECT_EQ(standing[static_cast<int>(Source::log)], 1) << "seed " << seed;
  }
}

}  // namespace
}  // namespace control
