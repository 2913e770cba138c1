#pragma once

#include "mechfit/fit/arm/consistent_fit.h"
#include "mechfit/fit/smoothed/torque_fit.h"

namespace mechfit {

// Covariance and standard errors of an arm's parameters,
//
//   C = H^-1 (V + P) H^-1,   H = S + P
//
//   S  curvature of J's data as if errors of torques were white, P that of its priors
//   V  scatter of J's slope between parts of the data, as large as S if they were
//
// Errors that follow each other, or that joints share, are alike; those of smoothed accelerations
// also alternate, and then count for less. Parts are several times as long as errors are alike.
// Combinations that no torque tells keep their prior's uncertainty. What takes part in them has an
// infinite standard error, and a note counts them.
void add_arm_uncertainty(const FreeParameters& free, const ConsistentFit& found,
                         const Samples& samples, ThreadPool& pool, TorqueFit& fit);

}  // namespace mechfit
