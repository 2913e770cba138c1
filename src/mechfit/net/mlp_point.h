#pragma once

#include <vector>

#include "mechfit/net/mlp.h"
#include "mechfit/net/point_kernels.h"

namespace mechfit {

// A network at one point: the first three passes of Mlp, without a block's unused lanes, as steps
// of a plan. The network must outlive it, and it the plan.
class MlpPoint {
 public:
  explicit MlpPoint(const Mlp& net);
  MlpPoint(MlpPoint&&) = default;

  int layers() const { return static_cast<int>(layers_.size()); }
  // A layer's values, and derivatives along xdot unless null; the first reads x and xdot, the last
  // writes y and ydot.
  PointStep forward(int layer, const double* x, const double* xdot, double* y, double* ydot);
  // From the gradient to a layer's output to the one to its input; the last reads gy, the first
  // writes x_reverse.
  PointStep reverse(int layer, const double* gy, double* x_reverse);

 private:
  struct Layer {
    const double *forward, *backward, *b;  // as in Mlp
    int rows, cols;
    Activation activation;
    AlignedVector a, k, delta, adot;  // [rows]; empty for the output layer
  };
  std::vector<Layer> layers_;
};

}  // namespace mechfit
