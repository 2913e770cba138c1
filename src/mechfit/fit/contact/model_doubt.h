#pragma once

#include <span>
#include <vector>

#include "mechfit/mechanics/model.h"

namespace mechfit {

// What is not known of a model's parameters:
//
//   theta + sum over k of eta_k r_k,   eta ~ N(0, 1),   sum of r_k r_k' = the covariance of theta
//
// as models a small way along each r_k, so that changes with eta_k are differences over `step`.
struct ModelDoubt {
  static constexpr double step = 1e-3;  // 1e-2 and 1e-4 give the same standard errors to 1 %
  std::vector<Model> along;             // theta + step r_k; empty: theta is taken as known

  int size() const { return static_cast<int>(along.size()); }
};

// `covariance` [p][p]; empty: no doubt. Directions that the parameters do not move along, or
// neither way within their ranges, are left out.
ModelDoubt model_doubt(const Model& model, std::span<const double> covariance);

}  // namespace mechfit
