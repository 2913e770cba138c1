#pragma once

#include "mechfit/fit/joint/joint.h"

namespace mechfit {

// Joint estimation of machines whose inputs, of known unit, drive joints: their errors are those of
// forces,
//
//   J = sum |y - q|^2 / (2 sigma^2) + sum h (D q)^2 / (2 S) + sum |e(q, theta)|^2 / (2 s^2)
//       + prior(theta)
//
//   e  r / h, the force that the model misses, of driven joints; of the others as in joint.h
//   D  third differences: the motion of driven joints has a prior of its own (jerk_prior.h)
//
// A controller makes the motion; what is logged wrongly, or not modelled, is in the torques. So
// they are a second observation, and the density of both has no determinant of M: errors of
// accelerations M^-1 r / h are small for a heavy M whatever the torques are. Joints without an
// input keep it, for their e has M_pp^-1.
struct ForceOptions {
  std::vector<int> fixed;    // parameters that are known
  std::vector<bool> driven;  // [n], at least one
  std::vector<double> s;     // where the errors begin: those of torque regression [n]
  std::vector<double> size;  // of the torques, or of accelerations of joints without one [n]
  int iterations = 0;        // at most; 0: until it is quiet
  std::function<bool(const FitRecord&, int iterations)> progress;  // false ends the fit there
};

// From the parameters of `start`, of a family with few of them. validation_score: log-density of
// the held-out observations and torques, per observed number.
JointResult fit_forces(const Model& start, const JointData& data, const ForceOptions& options,
                       ThreadPool& pool);

// The same score of any model of few parameters: its s, and sigma, are those that make the training
// runs most likely.
double force_score(const Model& model, const JointData& data, const ForceOptions& options,
                   ThreadPool& pool);

}  // namespace mechfit
