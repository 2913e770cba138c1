#include "mechfit/net/mlp_point.h"

#include "mechfit/net/point_kernels.h"

namespace mechfit {
namespace {

int blocks(int rows) { return (rows + kBlock - 1) / kBlock; }

}  // namespace

MlpPoint::MlpPoint(const Mlp& net) : net_(net), layers_(net.layers_.size() - 1) {
  for (std::size_t l = 0; l < layers_.size(); ++l)
    for (auto* x : {&layers_[l].a, &layers_[l].k, &layers_[l].delta, &layers_[l].adot})
      *x = make_panel(blocks(net.layers_[l].out));
}

const double* MlpPoint::slope(std::size_t layer) const {
  return net_.layers_[layer].activation == Activation::softplus ? layers_[layer].k.data()
                                                                : layers_[layer].a.data();
}

void MlpPoint::forward(const double* x) {
  x_ = x;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const auto& layer = net_.layers_[l];
    double* a = layers_[l].a.data();
    point_affine(net_.weights(layer), layer.transposed.data(), net_.bias(layer), layer.out,
                 layer.in, x, a);
    net_.kernels_->activate(layer.activation, blocks(layer.out), a, layers_[l].k.data());
    x = a;
  }
}

void MlpPoint::output(double* y) const {
  const auto& layer = net_.layers_.back();
  point_affine(net_.weights(layer), layer.transposed.data(), net_.bias(layer), layer.out, layer.in,
               layers_.empty() ? x_ : layers_.back().a.data(), y);
}

void MlpPoint::reverse(const double* gy, double* x_reverse) {
  const double* delta = gy;
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const auto& next = net_.layers_[l + 1];
    point_slope_product(net_.layers_[l].activation, next.transposed.data(), net_.weights(next),
                        next.in, next.out, delta, slope(l), layers_[l].delta.data());
    delta = layers_[l].delta.data();
  }
  const auto& first = net_.layers_.front();
  point_affine(first.transposed.data(), net_.weights(first), nullptr, first.in, first.out, delta,
               x_reverse);
}

void MlpPoint::tangent(const double* xdot, double* ydot) {
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const auto& layer = net_.layers_[l];
    point_slope_product(layer.activation, net_.weights(layer), layer.transposed.data(), layer.out,
                        layer.in, xdot, slope(l), layers_[l].adot.data());
    xdot = layers_[l].adot.data();
  }
  const auto& last = net_.layers_.back();
  point_affine(net_.weights(last), last.transposed.data(), nullptr, last.out, last.in, xdot, ydot);
}

}  // namespace mechfit
