#include "mechfit/net/mlp.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

AlignedVector make_strips(int rows, int cols) {
  return AlignedVector(static_cast<std::size_t>(in_strips(rows, cols)), 0.0);
}

std::vector<int> layer_widths(const MlpShape& shape) {
  MECHFIT_CHECK(shape.inputs > 0, "inputs = " + std::to_string(shape.inputs));
  MECHFIT_CHECK(shape.outputs > 0, "outputs = " + std::to_string(shape.outputs));
  MECHFIT_CHECK(shape.hidden.size() == shape.activations.size());
  std::vector<int> widths = {shape.inputs};
  for (int width : shape.hidden) {
    MECHFIT_CHECK(width > 0, "hidden width = " + std::to_string(width));
    widths.push_back(width);
  }
  widths.push_back(shape.outputs);
  return widths;
}

}  // namespace

int parameter_count(const MlpShape& shape) {
  const auto widths = layer_widths(shape);
  int count = 0;
  for (std::size_t i = 1; i < widths.size(); ++i) count += widths[i] * (widths[i - 1] + 1);
  return count;
}

Mlp::Mlp(MlpShape shape, const Kernels& kernels) : shape_(std::move(shape)), kernels_(&kernels) {
  widths_ = layer_widths(shape_);
  const int raw = static_cast<int>(widths_.size()) - 1;
  int first = 0;
  for (int i = 0; i < raw; ++i) {
    offsets_.push_back(parameter_count_);
    parameter_count_ += width(i + 1) * (width(i) + 1);
    const Activation activation =
        i + 1 < raw ? shape_.activations[static_cast<std::size_t>(i)] : Activation::identity;
    if (activation == Activation::identity && i + 1 < raw) continue;
    Layer layer{};
    layer.in = width(first);
    layer.out = width(i + 1);
    layer.activation = activation;
    layer.first = first;
    layer.last = i;
    layer.transposed = layers_.empty() && i + 1 < raw;
    layer.forward = make_strips(layer.in, layer.out);
    layer.backward = make_strips(layer.out, layer.in);
    layer.bias = make_strips(1, layer.out);
    if (first < i) {
      layer.merged_w.resize(layer.out * layer.in);
      layer.merged_b.resize(layer.out);
      for (int j = first + 1; j < i; ++j) {
        layer.prefix_w.emplace_back(width(j + 1) * layer.in);
        layer.prefix_b.emplace_back(width(j + 1));
      }
      const int widest = *std::max_element(widths_.begin(), widths_.end());
      expand_scratch_ =
          std::max(expand_scratch_, static_cast<std::size_t>(widest * (layer.in + 1)));
    }
    merged_size_ += layer.out * (layer.in + 1);
    layers_.push_back(std::move(layer));
    first = i + 1;
  }
}

void Mlp::set_parameters(std::span<const double> theta) {
  MECHFIT_CHECK(static_cast<int>(theta.size()) == parameter_count_,
                std::to_string(theta.size()) + " parameters given, the network has " +
                    std::to_string(parameter_count_));
  for (auto& layer : layers_) {
    if (layer.first < layer.last) merge(theta.data(), layer);
    const double* w = prefix_w(theta.data(), layer, layer.last);
    kernels_->to_strips(layer.out, layer.in, w, layer.backward.data());
    kernels_->transpose_to_strips(layer.out, layer.in, w, layer.forward.data());
    std::copy_n(prefix_b(theta.data(), layer, layer.last), layer.out, layer.bias.begin());
  }
}

// Of layers first .. i merged, first <= i <= last: W [out_i][in] and b [out_i].
const double* Mlp::prefix_w(const double* theta, const Layer& layer, int i) const {
  if (i == layer.first) return theta + offset(i);
  if (i == layer.last) return layer.merged_w.data();
  return layer.prefix_w[static_cast<std::size_t>(i - layer.first - 1)].data();
}
const double* Mlp::prefix_b(const double* theta, const Layer& layer, int i) const {
  if (i == layer.first) return theta + offset(i) + width(i + 1) * width(i);
  if (i == layer.last) return layer.merged_b.data();
  return layer.prefix_b[static_cast<std::size_t>(i - layer.first - 1)].data();
}

// W = W_last .. W_first and b = W_last (.. (W_first+1 b_first + b_first+1) ..) + b_last
void Mlp::merge(const double* theta, Layer& layer) {
  for (int i = layer.first + 1; i <= layer.last; ++i) {
    const double* w = theta + offset(i);
    const int rows = width(i + 1), inner = width(i);
    auto* out_w = const_cast<double*>(prefix_w(theta, layer, i));
    auto* out_b = const_cast<double*>(prefix_b(theta, layer, i));
    kernels_->multiply(rows, layer.in, inner, w, false, prefix_w(theta, layer, i - 1), false,
                       out_w);
    std::copy_n(w + rows * inner, rows, out_b);
    kernels_->multiply_transposed(1, rows, inner, prefix_b(theta, layer, i - 1), w, true, out_b);
  }
}

Mlp::Workspace Mlp::make_workspace() const {
  Workspace w;
  w.y = make_panel(shape_.outputs);
  w.x_adjoint = make_panel(shape_.inputs);
  for (int s = 0; s < kStreams; ++s) {
    w.ydot[s] = make_panel(shape_.outputs);
    w.x_reverse[s] = make_panel(shape_.inputs);
  }
  for (const auto& layer : layers_) {
    Workspace::Layer numbers;
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
  return w;
}

const double* Mlp::slope(int l, const Workspace& w) const {
  return (layers_[l].activation == Activation::softplus ? w.layers[l].k : w.layers[l].a).data();
}
Features Mlp::value(int l, const Workspace& w) const {
  return l == 0 ? Features{w.x, true} : Features{w.layers[l - 1].a.data()};
}
Features Mlp::tangent_of(int l, int stream, const Workspace& w) const {
  return l == 0 ? Features{w.xdot[stream], true} : Features{w.layers[l - 1].adot[stream].data()};
}
Features Mlp::adjoint_of(int l, const double* ybar, const Workspace& w) const {
  return l + 1 == std::ssize(layers_) ? Features{ybar, true} : Features{w.layers[l].zbar.data()};
}
Features Mlp::delta_of(int l, int stream, const Workspace& w) const {
  return l + 1 == std::ssize(layers_) ? Features{w.gy[stream], true}
                                      : Features{w.layers[l].delta[stream].data()};
}

void Mlp::forward(Workspace& w) const {
  for (int l = 0; l + 1 < std::ssize(layers_); ++l) {
    const Layer& layer = layers_[l];
    kernels_->layer(layer.activation, value(l, w), layer.in, layer.forward.data(),
                    layer.bias.data(), layer.out, w.layers[l].a.data(), w.layers[l].k.data());
  }
}

void Mlp::output(Workspace& w) const {
  const int l = static_cast<int>(layers_.size()) - 1;
  const Layer& layer = layers_[l];
  kernels_->dots(value(l, w), layer.in, layer.backward.data(), layer.bias.data(), layer.out,
                 w.y.data());
}

void Mlp::reverse(int stream, const double* gy, bool curvature, Workspace& w) const {
  w.gy[stream] = gy;
  for (int l = static_cast<int>(layers_.size()) - 2; l >= 0; --l) {
    const Layer& next = layers_[l + 1];
    auto& numbers = w.layers[l];
    kernels_->slope_product(layers_[l].activation, delta_of(l + 1, stream, w), next.out,
                            next.backward.data(), next.in, slope(l, w),
                            curvature ? numbers.adot[stream].data() : nullptr, numbers.zbar.data(),
                            w.curvature, numbers.delta[stream].data());
  }
  if (curvature) w.curvature = true;
  const Layer& first = layers_.front();
  kernels_->dots(delta_of(0, stream, w), first.out, first.forward.data(), nullptr, first.in,
                 w.x_reverse[stream].data());
}

void Mlp::tangent(int stream, bool curvature, bool output, Workspace& w) const {
  const int last = static_cast<int>(layers_.size()) - 1;
  for (int l = 0; l < last; ++l) {
    const Layer& layer = layers_[l];
    auto& numbers = w.layers[l];
    kernels_->slope_product(layer.activation, tangent_of(l, stream, w), layer.in,
                            layer.forward.data(), layer.out, slope(l, w),
                            curvature ? numbers.delta[stream].data() : nullptr, numbers.zbar.data(),
                            w.curvature, numbers.adot[stream].data());
  }
  if (curvature) w.curvature = true;
  if (output)
    kernels_->dots(tangent_of(last, stream, w), layers_[last].in, layers_[last].backward.data(),
                   nullptr, layers_[last].out, w.ydot[stream].data());
}

int Mlp::weight_streams(int l, const double* ybar, const bool (&use)[kStreams], const Workspace& w,
                        OuterStream (&streams)[kStreams + 1]) const {
  int n = 0;
  const Features g = adjoint_of(l, ybar, w);
  if (g.data) streams[n++] = {g, value(l, w)};
  for (int s = 0; s < kStreams; ++s)
    if (use[s]) streams[n++] = {delta_of(l, s, w), tangent_of(l, s, w)};
  return n;
}

void Mlp::adjoint(const double* ybar, const bool (&use)[kStreams], bool x, bool theta,
                  Workspace& w) const {
  if (theta) {
    if (!w.gathered)
      for (auto& numbers : w.layers)
        std::fill(numbers.bias_gradient.begin(), numbers.bias_gradient.end(), 0.0);
    if (ybar) kernels_->add_panel(ybar, layers_.back().out, w.layers.back().bias_gradient.data());
  }
  for (int l = static_cast<int>(layers_.size()) - 1; l >= 0; --l) {
    if (theta) gather(l, ybar, use, w);
    if (l == 0) break;
    const Layer& layer = layers_[l];
    auto& below = w.layers[l - 1];
    kernels_->adjoint(layers_[l - 1].activation, adjoint_of(l, ybar, w), layer.out,
                      layer.backward.data(), layer.in, slope(l - 1, w), w.curvature,
                      below.zbar.data(), theta ? below.bias_gradient.data() : nullptr);
  }
  if (theta) w.gathered = true;
  if (!x) return;
  const Layer& first = layers_.front();
  const Features zbar = adjoint_of(0, ybar, w);
  if (zbar.data)
    kernels_->dots(zbar, first.out, first.forward.data(), nullptr, first.in, w.x_adjoint.data());
  else
    std::fill(w.x_adjoint.begin(), w.x_adjoint.end(), 0.0);
}

// Adds a layer's weight gradient to its accumulator.
void Mlp::gather(int l, const double* ybar, const bool (&use)[kStreams], Workspace& w) const {
  const Layer& layer = layers_[l];
  auto& numbers = w.layers[l];
  OuterStream streams[kStreams + 1];
  const int n = weight_streams(l, ybar, use, w, streams);
  if (layer.transposed)
    for (auto& stream : streams) std::swap(stream.left, stream.right);
  if (n > 0)
    kernels_->outer(layer.transposed ? layer.in : layer.out,
                    layer.transposed ? layer.out : layer.in, streams, n, w.gathered,
                    numbers.gradient.data());
  else if (!w.gathered)
    std::fill(numbers.gradient.begin(), numbers.gradient.end(), 0.0);
}

void Mlp::gradient_lanes(const double* ybar, const bool (&use)[kStreams], Workspace& w,
                         double* lanes) const {
  auto to_panel = [](Features from, int features, double* panel) {
    for (int k = 0; k < features; ++k)
      for (int s = 0; s < kBlock; ++s) panel[k * kBlock + s] = from.at(s, k);
  };
  for (int l = 0; l < std::ssize(layers_); ++l) {
    const Layer& layer = layers_[l];
    OuterStream streams[kStreams + 1];
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
    const Features g = adjoint_of(l, ybar, w);
    if (g.data) to_panel(g, layer.out, lanes);
    lanes += layer.out * kBlock;
  }
}

void Mlp::add_gradient(const Workspace& w, std::span<double> merged, bool add) const {
  if (!w.gathered) {
    if (!add) std::fill(merged.begin(), merged.end(), 0.0);
    return;
  }
  double* out = merged.data();
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    const double* strip = w.layers[l].gradient.data();
    if (layer.transposed) {
      for (int row = 0; row < layer.out; row += kStrip)
        for (int col = 0; col < layer.in; ++col, strip += kStrip)
          for (int r = row; r < std::min(row + kStrip, layer.out); ++r) {
            double& to = out[r * layer.in + col];
            to = (add ? to : 0.0) + strip[r - row];
          }
    } else {
      kernels_->from_strips(layer.out, layer.in, strip, add, out);
    }
    out += layer.out * layer.in;
    kernels_->from_strips(1, layer.out, w.layers[l].bias_gradient.data(), add, out);
    out += layer.out;
  }
}

// Back through the merging: G, g the gradients to W and b of the layers up to i,
//   dS/dW_i = G W_prefix' + g b_prefix',  dS/db_i = g,  then G <- W_i' G, g <- W_i' g
void Mlp::expand_gradient(std::span<const double> theta, std::span<const double> merged,
                          std::span<double> gradient) const {
  // Grows once per thread: a training step must not allocate, and models are shared by threads.
  thread_local std::vector<double> buffers[2];
  for (auto& buffer : buffers)
    if (buffer.size() < expand_scratch_) buffer.resize(expand_scratch_);
  const double* in = merged.data();
  for (const auto& layer : layers_) {
    const double *big = in, *small = in + layer.out * layer.in;
    double *scratch = buffers[0].data(), *other = buffers[1].data();
    for (int i = layer.last; i > layer.first; --i) {
      const int rows = width(i + 1), inner = width(i);
      const double* w = theta.data() + offset(i);
      double* out = gradient.data() + offset(i);
      kernels_->multiply_transposed(rows, inner, layer.in, big,
                                    prefix_w(theta.data(), layer, i - 1), false, out);
      kernels_->multiply(rows, inner, 1, small, false, prefix_b(theta.data(), layer, i - 1), true,
                         out);
      std::copy_n(small, rows, out + rows * inner);
      double* next = i - 1 == layer.first ? gradient.data() + offset(i - 1) : scratch;
      kernels_->multiply(inner, layer.in, rows, w, true, big, false, next);
      kernels_->multiply(1, inner, rows, small, false, w, false, next + inner * layer.in);
      big = next;
      small = next + inner * layer.in;
      std::swap(scratch, other);
    }
    if (layer.first == layer.last)
      kernels_->copy(layer.out * (layer.in + 1), in, gradient.data() + offset(layer.first));
    in += layer.out * (layer.in + 1);
  }
}

void initialise(const MlpShape& shape, Initialisation how, Random& random,
                std::span<double> theta) {
  MECHFIT_CHECK(static_cast<int>(theta.size()) == parameter_count(shape));
  const auto widths = layer_widths(shape);
  double* w = theta.data();
  for (std::size_t l = 0; l + 1 < widths.size(); ++l) {
    const int in = widths[l], out = widths[l + 1];
    const bool output = l + 2 == widths.size();
    if (how == Initialisation::xavier) {
      const double bound = std::sqrt(6.0 / (in + out));
      for (int i = 0; i < out * in; ++i) w[i] = random.uniform(-bound, bound);
      std::fill(w + out * in, w + out * (in + 1), 0.0);
    } else if (output) {
      const double bound = 1.0 / std::sqrt(in);
      for (int i = 0; i < out * (in + 1); ++i) w[i] = random.uniform(-bound, bound);
    } else {
      for (int row = 0; row < out; ++row) {
        double norm2 = 0.0;
        for (int col = 0; col < in; ++col) {
          const double x = random.normal();
          w[row * in + col] = x;
          norm2 += x * x;
        }
        for (int col = 0; col < in; ++col) w[row * in + col] /= std::sqrt(norm2);
      }
      std::fill(w + out * in, w + out * (in + 1), 0.0);
    }
    w += out * (in + 1);
  }
}

}  // namespace mechfit
