#pragma once

#include <string>
#include <vector>

#include "examples/control/ilqr.h"
#include "examples/control/recording.h"
#include "mechfit/mechanics/families/analytic/analytic.h"

namespace control {

// A machine that hangs and shall stand, how it is recorded and how it is driven: what an engineer
// decides before he has a model. Every model gets the same.
struct Task {
  std::string name, title;
  mechfit::AnalyticSystem nominal;  // the middle of the machines
  double h;                         // control interval and step of the log [s]
  double limit;                     // of the actuator
  std::string driven;               // name of the joint that it pushes
  Recording recording;

  // The controller.
  double horizon;  // of the plan [s]
  double planned;  // share of the limit that plans may use, the rest is for feedback
  Vector goal;     // (q, v)
  Vector Q, Qf;    // diagonals of the weights
  double R;
  Vector doubt;  // accelerations that the filter takes any model to miss [n]

  // What counts as success: in the last second of three that follow the plan, every joint within
  // `near` of the goal; and joint 0 within the rail from the beginning on.
  Vector near;  // [n]
  double rail;  // infinity: none
};

std::vector<Task> tasks();

}  // namespace control
