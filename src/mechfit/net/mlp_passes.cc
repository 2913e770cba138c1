#include "mechfit/net/mlp_passes.h"

#include <algorithm>
#include <type_traits>

namespace mechfit {
namespace {

template <class Real>
constexpr bool kDouble = std::is_same_v<Real, double>;

}  // namespace

template <class Real>
auto MlpPasses<Real>::make_strips(int rows, int cols) -> Numbers {
  return Numbers(static_cast<std::size_t>(in_strips(rows, cols)), Real{0});
}

template <class Real>
void MlpPasses<Real>::add_layer(int in, int out, Activation activation, bool last) {
  const auto size = static_cast<std::size_t>(std::max(in_strips(in, out), in_strips(out, in)));
  if (!kDouble<Real> && strips_.size() < size) strips_.resize(size);
  layers_.push_back({in, out, activation, layers_.empty() && !last, make_strips(in, out),
                     make_strips(out, in), make_strips(1, out)});
}

template <class Real>
void MlpPasses<Real>::set_weights(int l, const double* w, const double* b) {
  Layer& layer = layers_[l];
  if constexpr (kDouble<Real>) {
    matrices_->to_strips(layer.out, layer.in, w, layer.backward.data());
    matrices_->transpose_to_strips(layer.out, layer.in, w, layer.forward.data());
    matrices_->to_strips(1, layer.out, b, layer.bias.data());
  } else {
    matrices_->to_strips(layer.out, layer.in, w, strips_.data());
    narrow_strips(layer.out, layer.in, layer.backward);
    matrices_->transpose_to_strips(layer.out, layer.in, w, strips_.data());
    narrow_strips(layer.in, layer.out, layer.forward);
    kernels_->narrow(layer.out, b, layer.bias.data());
  }
}

// From strips_, all but the rest of the last strip.
template <class Real>
void MlpPasses<Real>::narrow_strips(int rows, int cols, Numbers& out) const {
  if constexpr (!kDouble<Real>) {
    const int whole = in_strips(rows, cols - cols % kStrip);
    kernels_->narrow(whole, strips_.data(), out.data());
    for (int i = whole; i < in_strips(rows, cols); i += kStrip)
      kernels_->narrow(cols % kStrip, &strips_[i], &out[i]);
  }
}

template <class Real>
auto MlpPasses<Real>::make_workspace() const -> Workspace {
  Workspace w;
  for (const auto& layer : layers_) {
    typename Workspace::Layer numbers;
    if (&layer != &layers_.back()) {
      numbers.a = make_strips(kBlock, layer.out);
      if (layer.activation == Activation::softplus) numbers.k = make_strips(kBlock, layer.out);
      numbers.zbar = make_strips(kBlock, layer.out);
      for (int s = 0; s < kStreams; ++s) {
        numbers.delta[s] = make_strips(kBlock, layer.out);
        numbers.adot[s] = make_strips(kBlock, layer.out);
      }
    }
    numbers.gradient =
        layer.transposed ? make_strips(layer.in, layer.out) : make_strips(layer.out, layer.in);
    numbers.bias_gradient = make_strips(1, layer.out);
    w.layers.push_back(std::move(numbers));
  }
  if constexpr (!kDouble<Real>) {
    auto panel = [](int rows) { return Numbers(static_cast<std::size_t>(rows) * kBlock); };
    const int in = layers_.front().in, out = layers_.back().out;
    w.x_copy = panel(in);
    w.ybar_copy = panel(out);
    w.y_copy = panel(std::max(in, out));
    for (int s = 0; s < kStreams; ++s) {
      w.xdot_copy[s] = panel(in);
      w.gy_copy[s] = panel(out);
    }
  }
  return w;
}

// A panel in numbers of this kind: itself, or its copy.
template <class Real>
const Real* MlpPasses<Real>::own(const double* panel, int rows, Numbers& copy) const {
  if constexpr (kDouble<Real>) {
    (void)rows, (void)copy;
    return panel;
  } else {
    if (!panel) return nullptr;
    kernels_->narrow(rows * kBlock, panel, copy.data());
    return copy.data();
  }
}

template <class Real>
const Real* MlpPasses<Real>::slope(int l, const Workspace& w) const {
  return (layers_[l].activation == Activation::softplus ? w.layers[l].k : w.layers[l].a).data();
}
template <class Real>
auto MlpPasses<Real>::value(int l, const Workspace& w) const -> Values {
  return l == 0 ? Values{w.x, true} : Values{w.layers[l - 1].a.data()};
}
template <class Real>
auto MlpPasses<Real>::tangent_of(int l, int stream, const Workspace& w) const -> Values {
  return l == 0 ? Values{w.xdot[stream], true} : Values{w.layers[l - 1].adot[stream].data()};
}
template <class Real>
auto MlpPasses<Real>::adjoint_of(int l, const Real* ybar, const Workspace& w) const -> Values {
  return l + 1 == std::ssize(layers_) ? Values{ybar, true} : Values{w.layers[l].zbar.data()};
}
template <class Real>
auto MlpPasses<Real>::delta_of(int l, int stream, const Workspace& w) const -> Values {
  return l + 1 == std::ssize(layers_) ? Values{w.gy[stream], true}
                                      : Values{w.layers[l].delta[stream].data()};
}

template <class Real>
void MlpPasses<Real>::forward(const double* x, Workspace& w) const {
  w.x = own(x, layers_.front().in, w.x_copy);
  for (int l = 0; l + 1 < std::ssize(layers_); ++l) {
    const Layer& layer = layers_[l];
    kernels_->block.layer(layer.activation, value(l, w), layer.in, layer.forward.data(),
                          layer.bias.data(), layer.out, w.layers[l].a.data(), w.layers[l].k.data());
  }
}

template <class Real>
void MlpPasses<Real>::output(Workspace& w, double* y) const {
  const int l = static_cast<int>(layers_.size()) - 1;
  const Layer& layer = layers_[l];
  dots(value(l, w), layer.in, layer.backward.data(), layer.bias.data(), layer.out, w, y);
}

template <class Real>
void MlpPasses<Real>::reverse(int stream, const double* gy, bool curvature, Workspace& w,
                              double* x_reverse) const {
  w.gy[stream] = own(gy, layers_.back().out, w.gy_copy[stream]);
  for (int l = static_cast<int>(layers_.size()) - 2; l >= 0; --l) {
    const Layer& next = layers_[l + 1];
    auto& numbers = w.layers[l];
    kernels_->block.slope_product(layers_[l].activation, delta_of(l + 1, stream, w), next.out,
                                  next.backward.data(), next.in, slope(l, w),
                                  curvature ? numbers.adot[stream].data() : nullptr,
                                  numbers.zbar.data(), w.curvature, numbers.delta[stream].data());
  }
  if (curvature) w.curvature = true;
  const Layer& first = layers_.front();
  dots(delta_of(0, stream, w), first.out, first.forward.data(), nullptr, first.in, w, x_reverse);
}

template <class Real>
void MlpPasses<Real>::tangent(int stream, const double* xdot, bool curvature, Workspace& w,
                              double* ydot) const {
  w.xdot[stream] = own(xdot, layers_.front().in, w.xdot_copy[stream]);
  const int last = static_cast<int>(layers_.size()) - 1;
  for (int l = 0; l < last; ++l) {
    const Layer& layer = layers_[l];
    auto& numbers = w.layers[l];
    kernels_->block.slope_product(layer.activation, tangent_of(l, stream, w), layer.in,
                                  layer.forward.data(), layer.out, slope(l, w),
                                  curvature ? numbers.delta[stream].data() : nullptr,
                                  numbers.zbar.data(), w.curvature, numbers.adot[stream].data());
  }
  if (curvature) w.curvature = true;
  if (ydot)
    dots(tangent_of(last, stream, w), layers_[last].in, layers_[last].backward.data(), nullptr,
         layers_[last].out, w, ydot);
}

// y = x W' (+ b) as a panel
template <class Real>
void MlpPasses<Real>::dots(Values x, int inner, const Real* weights, const Real* b, int count,
                           Workspace& w, double* y) const {
  if constexpr (kDouble<Real>) {
    (void)w;
    kernels_->block.dots(x, inner, weights, b, count, y);
  } else {
    kernels_->block.dots(x, inner, weights, b, count, w.y_copy.data());
    kernels_->widen(count * kBlock, w.y_copy.data(), false, y);
  }
}

template <class Real>
int MlpPasses<Real>::weight_streams(int l, const Real* ybar, const bool (&use)[kStreams],
                                    const Workspace& w,
                                    OuterStream<Real> (&streams)[kStreams + 1]) const {
  int n = 0;
  const Values g = adjoint_of(l, ybar, w);
  if (g.data) streams[n++] = {g, value(l, w)};
  for (int s = 0; s < kStreams; ++s)
    if (use[s]) streams[n++] = {delta_of(l, s, w), tangent_of(l, s, w)};
  return n;
}

template <class Real>
void MlpPasses<Real>::adjoint(const double* y_bar, const bool (&use)[kStreams], bool theta,
                              Workspace& w, double* x_adjoint) const {
  const Real* ybar = own(y_bar, layers_.back().out, w.ybar_copy);
  if (theta) {
    if (!w.gathered)
      for (auto& numbers : w.layers)
        std::fill(numbers.bias_gradient.begin(), numbers.bias_gradient.end(), Real{0});
    if (ybar)
      kernels_->block.add_panel(ybar, layers_.back().out, w.layers.back().bias_gradient.data());
  }
  for (int l = static_cast<int>(layers_.size()) - 1; l >= 0; --l) {
    if (theta) gather(l, ybar, use, w);
    if (l == 0) break;
    const Layer& layer = layers_[l];
    auto& below = w.layers[l - 1];
    kernels_->block.adjoint(layers_[l - 1].activation, adjoint_of(l, ybar, w), layer.out,
                            layer.backward.data(), layer.in, slope(l - 1, w), w.curvature,
                            below.zbar.data(), theta ? below.bias_gradient.data() : nullptr);
  }
  if (theta) w.gathered = true;
  if (!x_adjoint) return;
  const Layer& first = layers_.front();
  const Values zbar = adjoint_of(0, ybar, w);
  if (zbar.data)
    dots(zbar, first.out, first.forward.data(), nullptr, first.in, w, x_adjoint);
  else
    std::fill_n(x_adjoint, first.in * kBlock, 0.0);
}

// Adds a layer's weight gradient to its accumulator.
template <class Real>
void MlpPasses<Real>::gather(int l, const Real* ybar, const bool (&use)[kStreams],
                             Workspace& w) const {
  const Layer& layer = layers_[l];
  auto& numbers = w.layers[l];
  OuterStream<Real> streams[kStreams + 1];
  const int n = weight_streams(l, ybar, use, w, streams);
  if (layer.transposed)
    for (auto& stream : streams) std::swap(stream.left, stream.right);
  if (n > 0)
    kernels_->block.outer(layer.transposed ? layer.in : layer.out,
                          layer.transposed ? layer.out : layer.in, streams, n, w.gathered,
                          numbers.gradient.data());
  else if (!w.gathered)
    std::fill(numbers.gradient.begin(), numbers.gradient.end(), Real{0});
}

template <class Real>
void MlpPasses<Real>::gradient_lanes(const double* y_bar, const bool (&use)[kStreams], Workspace& w,
                                     double* lanes) const {
  const Real* ybar = own(y_bar, layers_.back().out, w.ybar_copy);
  auto to_panel = [](Values from, int features, double* panel) {
    for (int k = 0; k < features; ++k)
      for (int s = 0; s < kBlock; ++s) panel[k * kBlock + s] = from.at(s, k);
  };
  for (int l = 0; l < std::ssize(layers_); ++l) {
    const Layer& layer = layers_[l];
    OuterStream<Real> streams[kStreams + 1];
    const int n = weight_streams(l, ybar, use, w, streams);
    std::fill_n(lanes, layer.out * (layer.in + 1) * kBlock, 0.0);
    const std::size_t size = static_cast<std::size_t>(layer.in + layer.out) * kBlock;
    if (w.panels.size() < size) w.panels.resize(size);
    double *left = w.panels.data(), *right = left + layer.out * kBlock;
    for (int k = 0; k < n; ++k) {
      to_panel(streams[k].left, layer.out, left);
      to_panel(streams[k].right, layer.in, right);
      double* to = lanes;
      for (int row = 0; row < layer.out; ++row)
        for (int col = 0; col < layer.in; ++col, to += kBlock) {
          const double *g = left + row * kBlock, *a = right + col * kBlock;
          for (int s = 0; s < kBlock; ++s) to[s] += g[s] * a[s];
        }
    }
    lanes += layer.out * layer.in * kBlock;
    const Values g = adjoint_of(l, ybar, w);
    if (g.data) to_panel(g, layer.out, lanes);
    lanes += layer.out * kBlock;
  }
}

template <class Real>
void MlpPasses<Real>::add_gradient(const Workspace& w, double* out, bool add) const {
  auto from_strips = [&](int rows, int cols, const Real* strips) {
    if constexpr (kDouble<Real>) {
      matrices_->from_strips(rows, cols, strips, add, out);
    } else {
      for (int col = 0; col < cols; col += kStrip)
        for (int row = 0; row < rows; ++row, strips += kStrip)
          kernels_->widen(std::min(kStrip, cols - col), strips, add, out + row * cols + col);
    }
    out += rows * cols;
  };
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    const Real* strip = w.layers[l].gradient.data();
    if (layer.transposed) {
      for (int row = 0; row < layer.out; row += kStrip)
        for (int col = 0; col < layer.in; ++col, strip += kStrip)
          for (int r = row; r < std::min(row + kStrip, layer.out); ++r) {
            double& to = out[r * layer.in + col];
            to = (add ? to : 0.0) + static_cast<double>(strip[r - row]);
          }
      out += layer.out * layer.in;
    } else {
      from_strips(layer.out, layer.in, strip);
    }
    from_strips(1, layer.out, w.layers[l].bias_gradient.data());
  }
}

template class MlpPasses<float>;
template class MlpPasses<double>;

}  // namespace mechfit
