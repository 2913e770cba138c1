#include "examples/control/ilqr.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace control {
namespace {

constexpr int kMostIterations = 300;
constexpr double kSmallestGain = 1e-4;  // of the cost, relative: the motion stands still below it
// Of every search the steps 1, 1/2, 1/4 ... are tried side by side, for a block of points costs
// what one point does.
constexpr int kTrials = 12;
// Levenberg's term on the states, in units of what the cost weighs.
constexpr double kFirstDamping = 1e-3, kLeastDamping = 1e-9, kMostDamping = 1e9;

class Search {
 public:
  Search(StepModel& model, const PlanTask& task) : model_(model), task_(task) {}

  double stage_cost(const Vector& x, double u) const {
    const Vector d = x - task_.goal;
    return model_.h() / 2 * (d.dot(task_.Q.cwiseProduct(d)) + task_.R * u * u);
  }
  double final_cost(const Vector& x) const {
    const Vector d = x - task_.goal;
    return d.dot(task_.Qf.cwiseProduct(d)) / 2;
  }

  // The motion of the inputs u.
  bool begin(const Eigen::VectorXd& u, Plan& plan) {
    change_ = Eigen::VectorXd::Zero(task_.steps);
    gain_.assign(task_.steps, Vector::Zero(model_.states()));
    plan.x = task_.x0.replicate(1, task_.steps + 1);
    plan.u = u;
    plan.cost = std::numeric_limits<double>::infinity();
    return improve(plan, 1) && linearize(plan);
  }

  bool linearize(const Plan& plan) {
    return model_.linearize(plan.x.leftCols(task_.steps), plan.u, A_, B_);
  }

  // Changes of u and gains about the plan, back in time:
  //   Qu = R u + B' p,   Quu = R + B' (P + damping) B,   Qux = B' (P + damping) A
  //   k = clamp(-Qu / Quu),   K = -Qux / Quu, 0 where a limit binds
  // false where Quu is not positive.
  bool solve(const Plan& plan, double damping) {
    const double h = model_.h();
    const Vector Q = h * task_.Q;
    Vector p = task_.Qf.cwiseProduct(plan.x.col(task_.steps) - task_.goal);
    Matrix P = task_.Qf.asDiagonal();
    const Matrix damped = damping * Matrix(task_.Q.asDiagonal());
    for (int k = task_.steps - 1; k >= 0; --k) {
      const Matrix& A = A_[k];
      const Vector& B = B_[k];
      const Vector d = plan.x.col(k) - task_.goal;
      const Vector Qx = Q.cwiseProduct(d) + A.transpose() * p;
      const double Qu = h * task_.R * plan.u[k] + B.dot(p);
      const Matrix Qxx = Matrix(Q.asDiagonal()) + A.transpose() * P * A;
      const double Quu = h * task_.R + B.dot(P * B), quu = Quu + B.dot(damped * B);
      const Vector Qux = A.transpose() * (P * B), qux = Qux + A.transpose() * (damped * B);
      if (!(quu > 0)) return false;
      const double wanted = -Qu / quu;
      change_[k] = std::clamp(wanted, -task_.limit - plan.u[k], task_.limit - plan.u[k]);
      gain_[k] = change_[k] == wanted ? Vector(-qux / quu) : Vector::Zero(model_.states());
      const Vector& K = gain_[k];
      p = Qx + Quu * change_[k] * K + Qu * K + change_[k] * Qux;
      P = Qxx + Quu * K * K.transpose() + K * Qux.transpose() + Qux * K.transpose();
      P = (0.5 * (P + P.transpose())).eval();
    }
    return change_.allFinite();
  }

  // Rolls out kTrials lengths of the change and keeps the best, where it lowers the cost.
  bool improve(Plan& plan, int trials = kTrials) {
    const int s = model_.states();
    std::vector<Eigen::MatrixXd> x(task_.steps + 1);
    Eigen::MatrixXd u(trials, task_.steps);
    Eigen::VectorXd cost = Eigen::VectorXd::Zero(trials), now(trials);
    x[0] = task_.x0.replicate(1, trials);
    for (int k = 0; k < task_.steps; ++k) {
      for (int j = 0; j < trials; ++j) {
        const Vector off = x[k].col(j) - plan.x.col(k);
        const double fed = plan.u[k] + std::ldexp(change_[k], -j) + gain_[k].dot(off);
        now[j] = std::isfinite(fed) ? std::clamp(fed, -task_.limit, task_.limit) : 0;
        u(j, k) = now[j];
        cost[j] += stage_cost(x[k].col(j), now[j]);
      }
      model_.step(x[k], now, x[k + 1]);  // trials that run away are NaN from here on
    }
    for (int j = 0; j < trials; ++j) cost[j] += final_cost(x[task_.steps].col(j));
    cost = cost.array().isFinite().select(cost, std::numeric_limits<double>::infinity());
    Eigen::Index best;
    if (!(cost.minCoeff(&best) < plan.cost)) return false;
    plan.cost = cost[best];
    plan.u = u.row(best);
    plan.x.resize(s, task_.steps + 1);
    for (int k = 0; k <= task_.steps; ++k) plan.x.col(k) = x[k].col(best);
    return true;
  }

 private:
  StepModel& model_;
  const PlanTask& task_;
  std::vector<Matrix> A_;
  std::vector<Vector> B_;
  Eigen::VectorXd change_;
  std::vector<Vector> gain_;
};

}  // namespace

Plan plan_motion(StepModel& model, const PlanTask& task, const Eigen::VectorXd& u) {
  Search search(model, task);
  Plan plan{};
  if (!search.begin(u, plan)) return {};
  double damping = kFirstDamping;
  for (plan.iterations = 0; plan.iterations < kMostIterations; ++plan.iterations) {
    const double before = plan.cost;
    if (search.solve(plan, damping) && search.improve(plan)) {
      if (!search.linearize(plan)) return {};
      damping = std::max(damping / 4, kLeastDamping);
      if (before - plan.cost < kSmallestGain * before) break;
    } else {
      damping *= 8;
      if (damping > kMostDamping) break;
    }
  }
  return plan;
}

}  // namespace control
