#pragma once

#include <vector>

#include "mechfit/base/thread_pool.h"
#include "mechfit/evaluate/acceleration_error.h"
#include "mechfit/mechanics/model.h"

// How well a model of a driven machine predicts what its inputs push:
//
//   tau = Mdot v + M a - f(q, v, 0)    inverse dynamics at the points         [n]
//   B u = f(q, v, u) - f(q, v, 0)      what the inputs pushed there           [n]
namespace mechfit {

// Joints that some input pushes at q = v = 0 [n].
std::vector<bool> driven_joints(const Model& model);

// Both at all points, sample-major [N][n].
struct Torques {
  std::vector<double> predicted, applied;
};
Torques predict_torques(const Model& model, const MotionView& points, ThreadPool& pool);

// Errors of the driven joints, whose numbers are in `joints`; none: the machine is not driven.
// Torques are means over short stretches of samples (torque_window.h).
struct TorqueError {
  std::vector<int> joints;
  std::vector<double> nmse;      // squared error over the variance of B u
  std::vector<double> rms;       // error, in the input's unit (N m, N)
  std::vector<double> size;      // standard deviation of B u
  std::vector<double> friction;  // nMSE of the better baseline: viscous, Coulomb and offset of the
                                 // joint's own speed, by least squares on these very points
  double overall = 0;            // mean nMSE; that of the mean is 1
  double friction_overall = 0;
  int samples = 0;
  double window = 0;  // length of the stretches [s]; 0: samples as they are
};
TorqueError torque_error(const Torques& torques, const MotionView& points,
                         const std::vector<bool>& driven);

}  // namespace mechfit
