#include "examples/control/closed_loop.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "examples/control/kalman.h"

namespace control {
namespace {

constexpr double kHold = 3;  // [s] at the top, the last one counts

// x - goal with whole turns of the joints that turn taken out.
Vector from_goal(const Task& task, const Vector& x) {
  Vector d = x - task.goal;
  const auto types = task.nominal.joint_types();
  for (std::size_t i = 0; i < types.size(); ++i)
    if (types[i] == mechfit::JointType::periodic) d[i] = std::remainder(d[i], 2 * std::numbers::pi);
  return d;
}

// Whether the end of the plan is where the regulator at the top may take over.
bool arrives(const Controller& controller) {
  constexpr double kNear = 0.05;  // [rad, m, rad/s, m/s]
  const Plan& plan = controller.plan;
  return plan.u.size() > 0 &&
         (plan.x.rightCols(1) - controller.task.goal).cwiseAbs().maxCoeff() < kNear;
}

// First guesses of the inputs: pushes to and fro at the pace of the hanging machine's slowest
// swing. The first one that becomes a plan which arrives is kept, else the best one.
std::vector<Eigen::VectorXd> first_guesses(const Task& task, int steps, double pace) {
  std::vector<Eigen::VectorXd> guesses;
  for (const double size : {0.3, -0.3, 0.1}) {
    Eigen::VectorXd u(steps);
    for (int k = 0; k < steps; ++k)
      u[k] = size * task.planned * task.limit * std::sin(pace * k * task.h);
    guesses.push_back(u);
  }
  return guesses;
}

// Of the linear motion about hanging: the lowest frequency [rad/s] that is not zero.
double slowest_swing(StepModel& model) {
  Matrix A;
  Vector B;
  const Vector rest = Vector::Zero(model.states());
  if (!model.linearize(rest, 0, A, B)) return 0;
  const Eigen::VectorXcd values = Eigen::MatrixXd(A).eigenvalues();
  double slowest = std::numeric_limits<double>::infinity();
  for (const auto& value : values) {
    const double pace = std::abs(std::arg(value)) / model.h();
    if (pace > 1e-3) slowest = std::min(slowest, pace);
  }
  return std::isfinite(slowest) ? slowest : 1;
}

}  // namespace

Controller make_controller(const Task& task, const mechfit::Model& model) {
  Controller out;
  StepModel steps(model, task.h);
  const int count = static_cast<int>(std::lround(task.horizon / task.h));
  out.task = {Vector::Zero(task.goal.size()), task.goal, task.Q, task.Qf, task.R,
              task.planned * task.limit,      count};
  for (const Eigen::VectorXd& guess : first_guesses(task, count, slowest_swing(steps))) {
    Plan plan = plan_motion(steps, out.task, guess);
    if (plan.u.size() > 0 && (out.plan.u.size() == 0 || plan.cost < out.plan.cost))
      out.plan = std::move(plan);
    if (arrives(out)) break;
  }
  if (out.plan.u.size() == 0) {
    out.failure = "the model fails along the plan";
    return out;
  }
  Matrix A;
  Vector B;
  const Matrix Q = task.h * Matrix(task.Q.asDiagonal());
  if (!steps.linearize(task.goal, 0, A, B) ||
      !resting_regulator(A, B, Q, task.h * task.R, out.top)) {
    out.failure = "the model has no regulator at the top";
    return out;
  }
  std::vector<Matrix> along_A;
  std::vector<Vector> along_B;
  if (!steps.linearize(out.plan.x.leftCols(count), out.plan.u, along_A, along_B)) {
    out.failure = "the model fails along the plan";
    return out;
  }
  out.along = motion_regulators(along_A, along_B, Q, task.h * task.R, out.top.P);
  return out;
}

namespace {

double command(const Task& task, const Controller& controller, int k, const Vector& x) {
  double u;
  if (k < controller.plan.u.size())
    u = controller.plan.u[k] - controller.along[k].K.dot(x - controller.plan.x.col(k));
  else
    u = -controller.top.K.dot(from_goal(task, x));
  return std::clamp(u, -task.limit, task.limit);
}

}  // namespace

Trial swing_up(const Task& task, const Controller& controller, const mechfit::Model& model,
               Machine& machine, double noise) {
  Trial trial;
  trial.failure = controller.failure;
  if (!trial.failure.empty()) return trial;
  const int n = task.nominal.joints();
  machine.place(std::vector<double>(n, 0.0));
  StepModel steps(model, task.h);
  StateFilter filter(steps, Vector::Zero(2 * n), Vector::Constant(n, noise), task.doubt);
  const int total = static_cast<int>(controller.plan.u.size() + std::lround(kHold / task.h));
  const int judged = total - static_cast<int>(std::lround(1 / task.h));
  double acting = 0;
  for (int k = 0; k < total; ++k) {
    filter.update(machine.encoders());
    if (!filter.predict(acting)) {
      trial.failure = "the estimate runs away";
      return trial;
    }
    const double next = command(task, controller, k + 1, filter.state());
    machine.drive({acting});
    acting = next;
    trial.t.push_back((k + 1) * task.h);
    trial.q.push_back(machine.q());
    trial.u.push_back(acting);
    if (!(std::abs(machine.q()[0]) <= task.rail)) {
      trial.failure = "left the rail";
      return trial;
    }
    if (k < judged) continue;
    Vector x = task.goal;
    for (int i = 0; i < n; ++i) x[i] = machine.q()[i];
    const Vector off = from_goal(task, x).head(n).cwiseQuotient(task.near).cwiseAbs();
    trial.worst = std::max(trial.worst, off.maxCoeff());
  }
  trial.success = trial.worst < 1;
  if (!trial.success) trial.failure = "does not stand";
  return trial;
}

}  // namespace control
