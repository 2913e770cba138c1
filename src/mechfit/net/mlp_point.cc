#include "mechfit/net/mlp_point.h"

namespace mechfit {

MlpPoint::MlpPoint(const Mlp& net) {
  for (const auto& layer : net.layers_) {
    PointLayer point{net.weights(layer),
                     layer.transposed.data(),
                     net.bias(layer),
                     layer.out,
                     layer.in,
                     layer.activation,
                     nullptr,
                     nullptr,
                     nullptr,
                     nullptr};
    if (&layer != &net.layers_.back())
      for (auto* x : {&point.a, &point.k, &point.delta, &point.adot}) {
        storage_.push_back(make_panel((layer.out + kBlock - 1) / kBlock));
        *x = storage_.back().data();
      }
    layers_.push_back(point);
  }
}

}  // namespace mechfit
