#pragma once

#include <functional>

#include "mechfit/fit/arm/torque_gram.h"
#include "mechfit/fit/joint/free_parameters.h"

// Torque regression with links that can exist: Levenberg-Marquardt on the links' numbers U
// (link_inertia.h) and the other parameters, on the quadratic of torque_gram.h,
//
//   J = sum over joints of (x'G x - 2 b'x + c) / (2 s^2) + N log s, + prior(theta)
namespace mechfit {

struct ConsistentFit {
  std::vector<double> theta;
  std::vector<double> s;        // rms torque error of each joint
  Eigen::MatrixXd information;  // of the free parameters, of the data alone, errors white
  std::vector<Eigen::MatrixXd> joint_information;  // the same of each joint; they sum to it
  int iterations = 0;
  double objective = 0;  // J
};

// Links near the edge of what can exist converge slowly: with noise of 0.05 N m on two simulated
// arms some joints end at errors of 0.06 to 0.085, with 1500 iterations instead of 200 still at
// 0.07. From the arm's parameters. s is found with them: a torque error as large as it is seen.
ConsistentFit fit_consistent(const Arm& start, const FreeParameters& free, const TorqueRows& rows,
                             const TorqueGram& gram);

}  // namespace mechfit
