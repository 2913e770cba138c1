#pragma once

#include <span>
#include <vector>

#include "mechfit/estimate/motion/jerk_prior.h"

namespace mechfit {

// How far a motion may be from its observations and from its model, per joint.
struct MotionNoise {
  std::vector<double> sigma;  // standard deviation of an observation      [n]
  std::vector<double> s;      // and of an acceleration error of the model [n]

  friend bool operator==(const MotionNoise&, const MotionNoise&) = default;
};

// One run's
//
//   J(q) = sum |y - q|^2 / (2 sigma^2) + sum |e(q)|^2 / (2 s^2)
//
// with e replaced by e + A dq around a motion q: for any noise a quadratic function of dq with
//
//   H = diag(1 / sigma^2)  + sum_j A_j' A_j / s_j^2
//   g = -(y - q) / sigma^2 + sum_j A_j' e_j / s_j^2
//
// (A_j the rows of joint j). Missing observations are NaN and have no weight. Only e and A are
// kept: H is made of them anew for every noise, which takes less memory than the A_j' A_j by
// themselves.
// With a prior of the motion's own (JerkPrior) 1/2 q'P q is added.
class MotionQuadratic {
 public:
  // y, q [T][n], e [T-2][n], jacobian [T-2][3][n][n] as in DelRunError.
  // `prior` may be null, and stays where it is.
  void set(int n, std::span<const double> y, std::span<const double> q, std::span<const double> e,
           std::span<const double> jacobian, const JerkPrior* prior = nullptr);

  int joints() const { return n_; }
  int observed(int joint) const { return observed_[joint]; }
  int errors() const { return samples_ - 2; }  // per joint
  std::span<const double> e() const { return e_; }
  std::span<const double> jacobian() const { return jacobian_; }

  // J at dq = 0.
  double value(const MotionNoise& noise) const;

  // Makes H (its diagonal times 1 + damping) and g, and factors H; false when it is not positive
  // definite: too few observations to tell the motion.
  [[nodiscard]] bool factor(const MotionNoise& noise, double damping);
  const Banded& hessian() const { return hessian_; }  // the factor
  std::span<const double> gradient() const { return gradient_; }
  // out [T][n] += A' W x for x [T-2][n], W = diag(1 / s^2).
  void add_pulled_back(const MotionNoise& noise, std::span<const double> x,
                       std::span<double> out) const;

  // Logarithm of the density of the observations that the linearised model gives, the motion
  // integrated out: for complete observations that of e + A (y - q) under N(0, s^2 + A sigma^2 A').
  // -infinity when H is not positive definite. Overwrites the factor.
  double log_likelihood(const MotionNoise& noise);

 private:
  int n_ = 0, samples_ = 0;
  std::vector<double> misfit_;            // y - q, NaN where missing           [T][n]
  std::vector<int> observed_;             // [n]
  std::vector<double> misfit2_, error2_;  // sums of squares                    [n]
  std::vector<double> e_, jacobian_;      // [T-2][n], [T-2][3][n][n]
  const JerkPrior* prior_ = nullptr;
  double prior_value_ = 0;
  std::vector<double> prior_pull_;  // P q                                      [T n]
  Banded hessian_;
  std::vector<double> gradient_, scratch_;
};

}  // namespace mechfit
