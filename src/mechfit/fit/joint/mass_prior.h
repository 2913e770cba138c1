#pragma once

#include <Eigen/Dense>
#include <span>
#include <vector>

#include "mechfit/mechanics/model.h"

namespace mechfit {

// A prior that keeps M positive definite and of even size where no data are:
//
//   beta mean over points of  tr(c M^) - log det(c M^),   M^_ij = v_i v_j M_ij
//
// with the velocity scales v. c = 1 settles the scale that a free motion leaves open (M^ near 1);
// where inputs settle it, c = n / mean tr M^ makes the prior blind to it.
class MassPrior {
 public:
  // points [count][n]. `free_scale`: c = 1.
  MassPrior(const Model& model, std::span<const double> points, std::vector<double> v,
            bool free_scale, double beta);

  // The value, infinity where M is not positive definite at some point; c is that of the last
  // settle.
  double value(const Model& model);
  void set_weight(double beta) { beta_ = beta; }
  double weight() const { return beta_; }
  // c for this model.
  void settle(const Model& model);
  // Adds the gradient to theta, for families with few parameters also the Gauss-Newton matrix of
  // -log det [p][p]. False, and nothing added, where M is not positive definite.
  [[nodiscard]] bool add_derivatives(const Model& model, Eigen::Ref<Eigen::VectorXd> gradient,
                                     Eigen::MatrixXd* hessian);

 private:
  bool block(const Model& model, int first);  // M^ and its factor at the block's points

  int n_, count_;
  std::vector<double> points_, v_;
  bool free_scale_;
  double beta_, c_ = 1;
  Model::Workspace w_;
  AlignedVector q_, mass_, factor_, weights_, column_, lanes_;
};

// Points for it: spread evenly over the turn of each periodic joint and over the range of q [N][n]
// of each plain one.
std::vector<double> spread_points(const std::vector<JointType>& joints, std::span<const double> q,
                                  int count);

}  // namespace mechfit
