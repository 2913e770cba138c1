#pragma once

#include <span>
#include <vector>

#include "mechfit/mechanics/families/smm/smm.h"
#include "mechfit/net/mlp_point.h"

namespace mechfit {

// A structured mechanical model at one point, for calls that a controller makes: what Smm computes
// for a block, without the lanes. The model must outlive it.
class SmmPoint {
 public:
  explicit SmmPoint(const Smm& model);

  // f = dL/dq + F at (q, v, u), u empty for no input, and rate = Mdot v; the others belong to the
  // last call of it.
  void forces(std::span<const double> q, std::span<const double> v, std::span<const double> u,
              std::span<double> f, std::span<double> rate);
  void mass_product(std::span<const double> x, std::span<double> y) const;         // M x
  [[nodiscard]] bool solve(std::span<const double> b, std::span<double> x) const;  // M x = b

 private:
  void plan();
  void load_features(std::span<const double> q, std::span<const double> v);
  template <class Size>
  void kinetic(Size n, std::span<double> rate);

  const Smm& model_;
  MlpPoint mass_, potential_, force_;
  PointPlan before_, after_;                     // up to L and its rate; from the gradient to L
  std::vector<double> minus_energy_;             // [1]
  std::vector<double> phi_, slope_, direction_;  // [features (+ n)]
  std::vector<double> x_reverse_, potential_reverse_;  // [features]
  std::vector<double> l_, lv_, l_gradient_;            // entries of L
  std::vector<double> v_, w_, pi_, lv_w_, force_out_;  // [n]
  std::vector<double> inverse_l_, inverse_d_;          // 1 / L_ii, 1 / D_i
};

}  // namespace mechfit
