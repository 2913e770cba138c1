#pragma once

#include <vector>

#include "mechfit/evaluate/acceleration_error.h"

// A log of torques holds more than the motion: noise of sensors and vibration, at frequencies that
// the motion does not have. Torques are therefore compared as means over stretches of samples so
// short that the motion hardly changes in them.
namespace mechfit {

// Consecutive samples of one run.
struct Stretch {
  int first, count;
};

// Length of a stretch [s]: in it the phase of the quickest joint moves by 0.1 rad.
double torque_window(const MotionView& points);

// All samples in stretches of about `window`; those that are left at the end of a run, less than
// half of it, belong to none unless the run has no other. Of one sample each where steps between
// samples are as long, or not known.
std::vector<Stretch> stretches(const MotionView& points, double window);

// Means over stretches of rows [N][n]: [stretches][n].
std::vector<double> stretch_means(const std::vector<Stretch>& stretches,
                                  std::span<const double> rows, int n);

}  // namespace mechfit
