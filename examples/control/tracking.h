#pragma once

#include <vector>

#include "examples/control/recording.h"
#include "mechfit/mechanics/families/analytic/analytic.h"

namespace control {

// An arm whose joints all have a motor and which shall follow a reference by computed torque.
struct TrackingTask {
  mechfit::AnalyticSystem nominal;
  mechfit::Channels channels;  // of its log: a torque at each joint
  Recording recording;
  double h, seconds;
  double bandwidth;  // of the feedback [rad/s], low: a good model does the work
};

TrackingTask tracking_task();

// One tracking run; errors are those of the machine's true positions.
struct Tracking {
  double error = 0;       // rms over joints and time after the first second [rad]
  double feedback = 0;    // rms of the feedback torque over that of all torque
  std::vector<double> t;  // [T]
  std::vector<std::vector<double>> reference, q;  // [T][n]
};

// tau = M(q*) a* + C(q*, v*) + g(q*) + friction(v*) by the model, along the reference q*, plus
// M0 (w^2 (q* - q) + 2 w (v* - v)) with a constant M0, the nominal machine's amid the motion, the
// same for every model. q* - q and its rate come from the encoders by a filter without a model.
// What is computed in interval k acts in interval k + 1; the reference there is known in advance.
Tracking track(const TrackingTask& task, const mechfit::Model& model, Machine& machine,
               std::uint64_t seed);

}  // namespace control
