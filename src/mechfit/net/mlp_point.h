#pragma once

#include <span>
#include <vector>

#include "mechfit/net/mlp.h"
#include "mechfit/net/point_kernels.h"

namespace mechfit {

// A network at one point: the first three passes of Mlp, without a block's unused lanes. Remembers
// the last point; the network must outlive it.
class MlpPoint {
 public:
  explicit MlpPoint(const Mlp& net);
  MlpPoint(MlpPoint&&) = default;

  PointLayers layers() const { return layers_; }

 private:
  std::vector<PointLayer> layers_;
  std::vector<AlignedVector> storage_;
};

}  // namespace mechfit
