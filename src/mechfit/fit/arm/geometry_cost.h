#pragma once

#include <Eigen/Dense>

#include "mechfit/fit/arm/torque_gram.h"

namespace mechfit {

// Torque errors of the best links and friction for a geometry, means over short stretches of
// samples (torque_window.h), in which the motion is that of their middle:
//
//   e = [W P (y - Y z), -sqrt(lambda) z],   z the minimiser of |e|^2: links in units of `unit`
//
//   P   takes out what friction explains, joint by joint; friction does not know the geometry
//   W   one over the torque's standard deviation, or over the rms of its error
//
// The ridge keeps links that no torque tells at zero: weak against any torque at first, and where
// errors are in units of their own a normal distribution of links with a deviation of one `unit`.
class GeometryCost {
 public:
  GeometryCost(const Arm& forces, const Samples& samples, const std::vector<Stretch>& stretches);

  int joints() const { return n_; }
  double ridge() const { return ridge_; }  // lambda
  int samples() const { return size_; }    // stretches

  // From now on W is one over the rms errors that this geometry leaves.
  void weigh_by_errors(const ArmKinematics& kinematics);

  struct Workspace {
    Eigen::MatrixXd X;  // W P Y in units [n size][10 n]
    Eigen::LLT<Eigen::MatrixXd> gram{Eigen::MatrixXd::Identity(1, 1)};  // copied before it is used
    Eigen::VectorXd z, e;                                               // of the last `value`
    Eigen::VectorXd pi, torques, moved;  // links, and their torques [n size]
    std::vector<double> row, tau;
  };
  Workspace make_workspace() const;

  // |e|^2 over the number of torques.
  double value(const ArmKinematics& kinematics, Workspace& w) const;
  // The change of e with the geometry when z follows (Kaufman's form), by a difference to `moved`,
  // which is `step` away. After `value` and `linearise` of the geometry itself.
  void linearise(const ArmKinematics& kinematics, Workspace& w) const;
  void slope(const ArmKinematics& moved, double step, Eigen::Ref<Eigen::VectorXd> out,
             Workspace& w) const;

 private:
  void project(int joint, Eigen::Ref<Eigen::MatrixXd> columns) const;
  void torques(const ArmKinematics& kinematics, Eigen::VectorXd& out, Workspace& w) const;

  int n_, size_;
  std::vector<double> q_, v_, a_;          // means [size][n]
  std::vector<Eigen::MatrixXd> friction_;  // of each joint, orthonormal [size][k]
  Eigen::VectorXd y_, unit_;               // W P y [n size], units of pi [10 n]
  std::vector<double> weight_;             // [n]
  double ridge_;
};

}  // namespace mechfit
