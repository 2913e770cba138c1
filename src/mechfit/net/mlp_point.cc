#include "mechfit/net/mlp_point.h"

#include "mechfit/base/error.h"

namespace mechfit {

MlpPoint::MlpPoint(const Mlp& net) {
  const auto* passes = std::get_if<MlpPasses<double>>(&net.passes_);
  MECHFIT_CHECK(passes, "single points need a network in double precision");
  for (const auto& layer : passes->layers()) {
    layers_.push_back({layer.forward.data(),
                       layer.backward.data(),
                       layer.bias.data(),
                       layer.out,
                       layer.in,
                       layer.activation,
                       {},
                       {},
                       {},
                       {}});
    Layer& point = layers_.back();
    if (&layer != &passes->layers().back())
      for (auto* x : {&point.a, &point.k, &point.delta, &point.adot})
        *x = make_panel((layer.out + kBlock - 1) / kBlock);
  }
}

PointStep MlpPoint::forward(int layer, const double* x, const double* xdot, double* y,
                            double* ydot) {
  Layer& at = layers_[layer];
  const bool last = layer + 1 == layers();
  if (layer > 0) {
    x = layers_[layer - 1].a.data();
    xdot = xdot ? layers_[layer - 1].adot.data() : nullptr;
  }
  return {last ? PointStep::Function::none : PointStep::Function::activate,
          at.activation,
          at.backward,
          at.forward,
          at.b,
          at.rows,
          at.cols,
          x,
          xdot,
          at.k.data(),
          last ? y : at.a.data(),
          last ? ydot : at.adot.data()};
}

PointStep MlpPoint::reverse(int layer, const double* gy, double* x_reverse) {
  Layer& at = layers_[layer];
  Layer* below = layer > 0 ? &layers_[layer - 1] : nullptr;
  const bool tanh = below && below->activation == Activation::tanh;
  return {below ? PointStep::Function::slope : PointStep::Function::none,
          below ? below->activation : Activation::identity,
          at.forward,
          at.backward,
          nullptr,
          at.cols,
          at.rows,
          layer + 1 == layers() ? gy : at.delta.data(),
          nullptr,
          tanh    ? below->a.data()
          : below ? below->k.data()
                  : nullptr,
          below ? below->delta.data() : x_reverse,
          nullptr};
}

}  // namespace mechfit
