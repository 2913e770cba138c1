#pragma once

#include <Eigen/Dense>
#include <span>
#include <string>
#include <vector>

#include "mechfit/mechanics/model.h"

namespace mechfit {

// The parameters of a model as a Gauss-Newton method moves them: those that are not held, positive
// ones by their logarithm, non-negative ones with a bound.
//
//   phi [size]  ->  theta [p]
class FreeParameters {
 public:
  FreeParameters(const Model& model, std::span<const int> fixed);

  int size() const { return static_cast<int>(entries_.size()); }
  Eigen::VectorXd from_theta(std::span<const double> theta) const;
  void to_theta(const Eigen::VectorXd& phi, std::span<double> theta) const;
  // dtheta/dphi [size], at theta.
  Eigen::VectorXd slopes(std::span<const double> theta) const;
  int index(int k) const { return entries_[k].index; }  // in theta
  bool bounded(int k) const { return entries_[k].info.range == Range::nonnegative; }
  const std::string& name(int k) const { return entries_[k].info.name; }

  // A Gaussian prior that only steadies what the data do not tell: its centre and precision.
  double centre(int k) const { return entries_[k].info.prior_mean; }
  double precision(int k) const { return entries_[k].info.prior_precision; }
  void set_precision(int k, double precision) { entries_[k].info.prior_precision = precision; }
  std::vector<double> precisions() const;
  // A coefficient that is zero unless the data ask for it.
  bool prunable(int k) const { return entries_[k].info.prunable; }
  // In these units phi is relative: a change of one is a change of the parameter's own size.
  double unit(int k) const { return entries_[k].info.size; }

  // The step d that minimises 1/2 d'S d + g'd with phi + d >= 0 where bounded.
  Eigen::VectorXd step(const Eigen::MatrixXd& S, const Eigen::VectorXd& g,
                       const Eigen::VectorXd& phi) const;

 private:
  struct Entry {
    int index;
    ParameterInfo info;
  };
  std::vector<Entry> entries_;
};

}  // namespace mechfit
