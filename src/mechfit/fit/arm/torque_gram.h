#pragma once

#include <Eigen/Dense>
#include <vector>

#include "mechfit/base/thread_pool.h"
#include "mechfit/evaluate/torque_window.h"
#include "mechfit/fit/smoothed/samples.h"
#include "mechfit/mechanics/families/arm/arm.h"
#include "mechfit/mechanics/families/arm/regressor.h"

// The torque error of an arm is linear in x,
//
//   r = Mdot v + M a - f(q, v, u) = X x - y,   x = [pi of each link (regressor.h), rotors, theta of
//                                                   the joint forces]
//
// and so the sum of its squares is a quadratic that is made once.
namespace mechfit {

// X and y of blocks of samples. Constant after construction.
class TorqueRows {
 public:
  explicit TorqueRows(const Arm& arm);

  int joints() const { return regressor_.n(); }
  int size() const { return arm_.parameter_count(); }                           // of x
  const std::vector<int>& columns(int joint) const { return columns_[joint]; }  // that act on it

  struct Workspace {
    ArmRegressor::Workspace bodies;
    JointForces::Workspace forces;
    std::vector<double> row, q, v, a;  // of one sample
    AlignedVector qs, vs, us, fs, bs, lanes;
    std::vector<Eigen::MatrixXd> X;  // of each joint [kBlock][columns]
    Eigen::MatrixXd y;               // [kBlock][n]
  };
  Workspace make_workspace() const;
  // Fills X and y with samples first .. first + count - 1, count <= kBlock; other rows are zero.
  void load(const Samples& samples, int first, int count, Workspace& w) const;

 private:
  void load_panels(const Samples& samples, int first, int count, Workspace& w) const;

  Arm arm_;
  ArmRegressor regressor_;
  std::vector<std::vector<int>> columns_;  // [n]
};

// Of each joint: sum of r^2 = x'G x - 2 b'x + c, r the mean over each stretch of samples
// (torque_window.h).
struct TorqueGram {
  std::vector<Eigen::MatrixXd> G;  // [columns][columns]
  std::vector<Eigen::VectorXd> b;
  std::vector<double> c;
  double samples = 0;             // stretches
  std::vector<TorqueGram> parts;  // the same of parts of the data that follow each other; they sum
                                  // to this
};

// With its parts. The same bits whatever the number of threads.
TorqueGram torque_gram(const TorqueRows& rows, const Samples& samples,
                       const std::vector<Stretch>& stretches, ThreadPool& pool);

// x of the arm's parameters, and dx/dtheta where it is not one: of each link [10][10].
Eigen::VectorXd torque_numbers(const Arm& arm, std::span<const double> theta);

}  // namespace mechfit
