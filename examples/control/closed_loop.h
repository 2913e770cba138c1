#pragma once

#include <string>
#include <vector>

#include "examples/control/machine.h"
#include "examples/control/task.h"

namespace control {

// The controller that one model makes: plan, regulators along it, regulator at the top.
struct Controller {
  std::string failure;  // why there is none; empty: there is one
  PlanTask task;
  Plan plan;
  std::vector<Regulator> along;
  Regulator top;
};

Controller make_controller(const Task& task, const mechfit::Model& model);

// How a swing-up went. A row for each control interval.
struct Trial {
  bool success = false;
  std::string failure;                 // in words; empty for a success
  double worst = 0;                    // distance of a joint from the goal in the last second, its
                                       // allowed distance being 1
  std::vector<double> t, u;            // [T]
  std::vector<std::vector<double>> q;  // [T][n] of the machine, not of the encoders
};

// The machine hangs at rest. In interval k the controller reads the encoders and computes; what it
// computes acts in interval k + 1. So it predicts its estimate over one interval by its model and
// chooses the input for there.
Trial swing_up(const Task& task, const Controller& controller, const mechfit::Model& model,
               Machine& machine, double noise);

}  // namespace control
