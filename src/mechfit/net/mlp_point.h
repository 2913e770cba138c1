#pragma once

#include <vector>

#include "mechfit/net/mlp.h"

namespace mechfit {

// A network at one point: the first three passes of Mlp, without a block's unused lanes. Remembers
// the last point; the network must outlive it.
class MlpPoint {
 public:
  explicit MlpPoint(const Mlp& net);

  void forward(const double* x);                      // x [inputs], kept by its address
  void output(double* y) const;                       // [outputs]
  void reverse(const double* gy, double* x_reverse);  // [outputs] -> [inputs]
  void tangent(const double* xdot, double* ydot);     // [inputs] -> [outputs]

 private:
  struct Layer {
    AlignedVector a, k, delta, adot;  // [out], padded
  };
  const double* slope(std::size_t layer) const;

  const Mlp& net_;
  std::vector<Layer> layers_;  // the hidden ones
  const double* x_ = nullptr;
};

}  // namespace mechfit
