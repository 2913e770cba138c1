#pragma once

#include "mechfit/fit/joint/joint.h"
#include "mechfit/fit/joint/joint_gauss_newton.h"

namespace mechfit {

// How well the parameters are known, by the curvature of J at its minimum with the motions
// eliminated; around the solver's last linearise. Fills covariance, standard_errors and
// undetermined of the result.
void add_uncertainty(JointGaussNewton& solver, const MotionNoise& noise, JointResult& result);

}  // namespace mechfit
