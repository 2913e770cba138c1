#pragma once

#include <vector>

#include "examples/control/algebra.h"
#include "mechfit/mechanics/batch_dynamics.h"

namespace control {

// A model over one control interval of h seconds with one input u that is held:
//   x = (q, v),   x_next = f(x, u) by one step of Runge-Kutta's method of order four
class StepModel {
 public:
  StepModel(const mechfit::Model& model, double h);

  int states() const { return 2 * n_; }
  double h() const { return h_; }

  // Many intervals at once, one per column; NaN, and false, where a mass matrix is not positive
  // definite or x is NaN already.
  bool step(const Eigen::MatrixXd& x, const Eigen::VectorXd& u, Eigen::MatrixXd& x_next);
  // A = df/dx, B = df/du of each interval; false when the model fails at one of them.
  bool linearize(const Eigen::MatrixXd& x, const Eigen::VectorXd& u, std::vector<Matrix>& A,
                 std::vector<Vector>& B);

  bool step(const Vector& x, double u, Vector& x_next);
  bool linearize(const Vector& x, double u, Matrix& A, Vector& B);

 private:
  void slope(const Eigen::MatrixXd& x, const Eigen::VectorXd& u, Eigen::MatrixXd& dx);

  mechfit::ThreadPool pool_{1};
  mechfit::BatchDynamics dynamics_;
  int n_;
  double h_;
  Eigen::MatrixXd q_, v_, a_;          // arguments of a call, points in columns [n][N]
  std::vector<double> A_all_, B_all_;  // of xdot = (v, a), points after each other
};

}  // namespace control
