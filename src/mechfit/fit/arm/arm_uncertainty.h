#pragma once

#include "mechfit/fit/arm/consistent_fit.h"
#include "mechfit/fit/smoothed/torque_fit.h"

namespace mechfit {

// Covariance and standard errors of an arm's parameters by the curvature of J. Errors of torques
// that follow each other are alike, so each joint's information is divided by the number of samples
// that count as one. Combinations that no torque tells have no part in the covariance: they change
// no torque. What takes part in them has an infinite standard error, and a note counts them.
void add_arm_uncertainty(const FreeParameters& free, const ConsistentFit& found,
                         const Samples& samples, ThreadPool& pool, TorqueFit& fit);

}  // namespace mechfit
