#pragma once

#include <vector>

#include "examples/control/lqr.h"
#include "examples/control/step_model.h"

namespace control {

// What a plan should do: bring the machine from x0 to goal in `steps` intervals with |u| <= limit,
//   cost = h sum [1/2 (x - goal)' Q (x - goal) + 1/2 R u^2] + 1/2 (x_N - goal)' Qf (x_N - goal)
struct PlanTask {
  Vector x0, goal;
  Vector Q, Qf;  // diagonals
  double R, limit;
  int steps;
};

struct Plan {
  Eigen::MatrixXd x;  // [2n][steps + 1]
  Eigen::VectorXd u;  // [steps]
  double cost;
  int iterations;
};

// Iterative LQR from the inputs u: linearise the motion, solve the quadratic problem of its
// neighbourhood back in time, roll out along the new inputs, as often as that lowers the cost.
// Inputs within limits as in Tassa, Mansard and Todorov, "Control-limited differential dynamic
// programming" (2014), where one input makes the box problem a clamp.
// A plan without steps when the model fails on the first motion.
Plan plan_motion(StepModel& model, const PlanTask& task, const Eigen::VectorXd& u);

}  // namespace control
