#pragma once

#include <functional>

#include "mechfit/fit/arm/torque_gram.h"
#include "mechfit/fit/joint/free_parameters.h"

// Torque regression with links that can exist, on the quadratic of torque_gram.h in the numbers x:
//
//   J = sum over joints of (x'G x - 2 b'x + c) / (2 s^2) + N log s
//       + beta sum over links of D(pi) + priors of the other parameters       D: link_cone.h
//
// For given s this is convex, and D keeps links inside the cone of bodies, so that there is one
// minimum and Newton's method finds it from any links; s follows in turns.
namespace mechfit {

struct ConsistentFit {
  std::vector<double> theta;
  std::vector<double> s;        // rms torque error of each joint
  Eigen::MatrixXd information;  // of the free parameters, of the data alone, errors white
  Eigen::MatrixXd scores;       // slope of the data's J, of each part of the data [free][parts]
  Eigen::MatrixXd prior_information;  // curvature of D and of the priors
  double stretches = 0;               // of samples
  int iterations = 0;
  bool converged = false;
  double objective = 0;  // J
};

// From the arm's parameters, whose links are the expected ones. All ten numbers of each link must
// be free.
ConsistentFit fit_consistent(const Arm& start, const FreeParameters& free, const TorqueRows& rows,
                             const TorqueGram& gram);

}  // namespace mechfit
