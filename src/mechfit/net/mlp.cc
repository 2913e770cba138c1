#include "mechfit/net/mlp.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

// Square by square, so that both sides stay within few cache lines.
void transpose(int rows, int cols, const double* m, double* out) {
  constexpr int kSquare = 8;
  for (int row = 0; row < rows; row += kSquare)
    for (int col = 0; col < cols; col += kSquare)
      for (int c = col; c < std::min(col + kSquare, cols); ++c)
        for (int r = row; r < std::min(row + kSquare, rows); ++r)
          out[c * rows + r] = m[r * cols + c];
}

std::size_t panel_size(int rows) { return static_cast<std::size_t>(rows) * kBlock; }

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
    layer.lanes = layer.in < 8 || layer.out < 8;
    layer.transposed.resize(layer.in * layer.out);
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
  theta_.assign(static_cast<std::size_t>(parameter_count_), 0.0);
}

void Mlp::set_parameters(std::span<const double> theta) {
  MECHFIT_CHECK(static_cast<int>(theta.size()) == parameter_count_,
                std::to_string(theta.size()) + " parameters given, the network has " +
                    std::to_string(parameter_count_));
  std::copy(theta.begin(), theta.end(), theta_.begin());
  for (auto& layer : layers_) {
    if (layer.first < layer.last) merge(layer);
    transpose(layer.out, layer.in, weights(layer), layer.transposed.data());
  }
}

// Of layers first .. i merged, first <= i <= last: W [out_i][in] and b [out_i].
const double* Mlp::prefix_w(const Layer& layer, int i) const {
  if (i == layer.first) return theta_.data() + offset(i);
  if (i == layer.last) return layer.merged_w.data();
  return layer.prefix_w[static_cast<std::size_t>(i - layer.first - 1)].data();
}
const double* Mlp::prefix_b(const Layer& layer, int i) const {
  if (i == layer.first) return theta_.data() + offset(i) + width(i + 1) * width(i);
  if (i == layer.last) return layer.merged_b.data();
  return layer.prefix_b[static_cast<std::size_t>(i - layer.first - 1)].data();
}

// W = W_last .. W_first and b = W_last (.. (W_first+1 b_first + b_first+1) ..) + b_last
void Mlp::merge(Layer& layer) {
  for (int i = layer.first + 1; i <= layer.last; ++i) {
    const double* w = theta_.data() + offset(i);
    const int rows = width(i + 1), inner = width(i);
    auto* out_w = const_cast<double*>(prefix_w(layer, i));
    auto* out_b = const_cast<double*>(prefix_b(layer, i));
    std::fill_n(out_w, rows * layer.in, 0.0);
    std::copy_n(w + rows * inner, rows, out_b);
    kernels_->multiply(rows, layer.in, inner, w, false, prefix_w(layer, i - 1), out_w);
    kernels_->multiply_transposed(1, rows, inner, prefix_b(layer, i - 1), w, out_b);
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
  int widest = 0;
  for (const auto& layer : layers_) {
    Workspace::Layer panels;
    if (&layer != &layers_.back()) {
      panels.a = make_panel(layer.out);
      if (layer.activation == Activation::softplus) panels.k = make_panel(layer.out);
      panels.zbar = make_panel(layer.out);
      for (int s = 0; s < kStreams; ++s) {
        panels.delta[s] = make_panel(layer.out);
        panels.adot[s] = make_panel(layer.out);
      }
    }
    const int size = layer.lanes ? layer.out * layer.in * kSumLanes : layer.out * padded(layer.in);
    panels.gradient.assign(static_cast<std::size_t>(size), 0.0);
    panels.bias_lanes.assign(static_cast<std::size_t>(layer.out * kSumLanes), 0.0);
    widest = std::max(widest, padded(layer.in));
    w.layers.push_back(std::move(panels));
  }
  w.scratch.assign(panel_size((kStreams + 1) * widest), 0.0);
  return w;
}

const double* Mlp::slope(const Workspace& w, int layer) const {
  const auto at = static_cast<std::size_t>(layer);
  return layers_[at].activation == Activation::softplus ? w.layers[at].k.data()
                                                        : w.layers[at].a.data();
}

void Mlp::forward(Workspace& w) const {
  const double* x = w.x;
  for (std::size_t l = 0; l + 1 < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    auto& panels = w.layers[l];
    kernels_->affine(weights(layer), bias(layer), layer.out, layer.in, x, panels.a.data());
    kernels_->activate(layer.activation, layer.out, panels.a.data(), panels.k.data());
    x = panels.a.data();
  }
}

void Mlp::output(Workspace& w) const {
  const Layer& layer = layers_.back();
  const double* x = layers_.size() == 1 ? w.x : w.layers[layers_.size() - 2].a.data();
  kernels_->affine(weights(layer), bias(layer), layer.out, layer.in, x, w.y.data());
}

void Mlp::reverse(int stream, const double* gy, bool curvature, Workspace& w) const {
  w.gy[stream] = gy;
  const double* delta = gy;
  for (int l = static_cast<int>(layers_.size()) - 2; l >= 0; --l) {
    const auto at = static_cast<std::size_t>(l);
    const Layer& next = layers_[at + 1];
    auto& panels = w.layers[at];
    kernels_->slope_product(layers_[at].activation, next.transposed.data(), next.in, next.out,
                            delta, slope(w, l), curvature ? panels.adot[stream].data() : nullptr,
                            panels.zbar.data(), w.curvature, panels.delta[stream].data());
    delta = panels.delta[stream].data();
  }
  if (curvature) w.curvature = true;
  const Layer& first = layers_.front();
  kernels_->affine(first.transposed.data(), nullptr, first.in, first.out, delta,
                   w.x_reverse[stream].data());
}

void Mlp::tangent(int stream, bool curvature, bool output, Workspace& w) const {
  const double* xdot = w.xdot[stream];
  for (std::size_t l = 0; l + 1 < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    auto& panels = w.layers[l];
    kernels_->slope_product(layer.activation, weights(layer), layer.out, layer.in, xdot,
                            slope(w, static_cast<int>(l)),
                            curvature ? panels.delta[stream].data() : nullptr, panels.zbar.data(),
                            w.curvature, panels.adot[stream].data());
    xdot = panels.adot[stream].data();
  }
  if (curvature) w.curvature = true;
  const Layer& last = layers_.back();
  if (output)
    kernels_->affine(weights(last), nullptr, last.out, last.in, xdot, w.ydot[stream].data());
}

int Mlp::weight_streams(int l, const double* ybar, const bool (&use)[kStreams], const Workspace& w,
                        OuterStream (&streams)[kStreams + 1]) const {
  const auto at = static_cast<std::size_t>(l);
  const auto& panels = w.layers[at];
  const bool last = at + 1 == layers_.size();
  int n = 0;
  const double* g = last ? ybar : panels.zbar.data();
  if (g) streams[n++] = {g, l == 0 ? w.x : w.layers[at - 1].a.data()};
  for (int s = 0; s < kStreams; ++s)
    if (use[s])
      streams[n++] = {last ? w.gy[s] : panels.delta[s].data(),
                      l == 0 ? w.xdot[s] : w.layers[at - 1].adot[s].data()};
  return n;
}

void Mlp::adjoint(const double* ybar, const bool (&use)[kStreams], bool x, bool theta,
                  Workspace& w) const {
  const int count = static_cast<int>(layers_.size());
  const double* zbar = ybar;
  for (int l = count - 2; l >= 0; --l) {
    const auto at = static_cast<std::size_t>(l);
    const Layer& next = layers_[at + 1];
    auto& panels = w.layers[at];
    kernels_->adjoint(layers_[at].activation, next.transposed.data(), next.in, next.out, zbar,
                      slope(w, l), w.curvature, panels.zbar.data());
    zbar = panels.zbar.data();
  }
  if (x) {
    const Layer& first = layers_.front();
    if (zbar)
      kernels_->affine(first.transposed.data(), nullptr, first.in, first.out, zbar,
                       w.x_adjoint.data());
    else
      std::fill(w.x_adjoint.begin(), w.x_adjoint.end(), 0.0);
  }
  if (!theta) return;
  for (int l = 0; l < count; ++l) {
    const auto at = static_cast<std::size_t>(l);
    const Layer& layer = layers_[at];
    auto& panels = w.layers[at];
    OuterStream streams[kStreams + 1];
    const int n = weight_streams(l, ybar, use, w, streams);
    const double* g = l == count - 1 ? ybar : panels.zbar.data();
    if (n == 0) {
      if (!w.gathered) std::fill(panels.gradient.begin(), panels.gradient.end(), 0.0);
    } else if (layer.lanes) {
      kernels_->outer_lanes(layer.out, layer.in, streams, n, w.gathered, panels.gradient.data());
    } else {
      kernels_->outer(layer.out, layer.in, streams, n, w.scratch.data(), w.gathered,
                      panels.gradient.data());
    }
    if (g)
      kernels_->sum_lanes(layer.out, g, w.gathered, panels.bias_lanes.data());
    else if (!w.gathered)
      std::fill(panels.bias_lanes.begin(), panels.bias_lanes.end(), 0.0);
  }
  w.gathered = true;
}

void Mlp::gradient_lanes(const double* ybar, const bool (&use)[kStreams], const Workspace& w,
                         double* lanes) const {
  for (int l = 0; l < static_cast<int>(layers_.size()); ++l) {
    const Layer& layer = layers_[static_cast<std::size_t>(l)];
    OuterStream streams[kStreams + 1];
    const int n = weight_streams(l, ybar, use, w, streams);
    std::fill_n(lanes, layer.out * (layer.in + 1) * kBlock, 0.0);
    for (int row = 0; row < layer.out; ++row)
      for (int col = 0; col < layer.in; ++col, lanes += kBlock)
        for (int k = 0; k < n; ++k) {
          const double *g = streams[k].g + row * kBlock, *a = streams[k].a + col * kBlock;
          for (int s = 0; s < kBlock; ++s) lanes[s] += g[s] * a[s];
        }
    const double* g = l + 1 == static_cast<int>(layers_.size())
                          ? ybar
                          : w.layers[static_cast<std::size_t>(l)].zbar.data();
    if (g) std::copy_n(g, layer.out * kBlock, lanes);
    lanes += layer.out * kBlock;
  }
}

void Mlp::add_gradient(const Workspace& w, std::span<double> merged) const {
  if (!w.gathered) return;
  double* out = merged.data();
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    const double* gradient = w.layers[l].gradient.data();
    if (layer.lanes) {
      kernels_->fold_lanes(layer.out * layer.in, gradient, out);
    } else if (layer.in == padded(layer.in)) {
      kernels_->add(layer.out * layer.in, gradient, out);
    } else {
      for (int row = 0; row < layer.out; ++row, gradient += padded(layer.in))
        kernels_->add(layer.in, gradient, out + row * layer.in);
    }
    out += layer.out * layer.in;
    kernels_->fold_lanes(layer.out, w.layers[l].bias_lanes.data(), out);
    out += layer.out;
  }
}

// Back through the merging: G, g the gradients to W and b of the layers up to i,
//   dS/dW_i += G W_prefix' + g b_prefix',  dS/db_i += g,  then G <- W_i' G, g <- W_i' g
void Mlp::expand_gradient(std::span<const double> merged, std::span<double> theta) const {
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
      const double* w = theta_.data() + offset(i);
      double* out = theta.data() + offset(i);
      kernels_->multiply_transposed(rows, inner, layer.in, big, prefix_w(layer, i - 1), out);
      kernels_->multiply(rows, inner, 1, small, false, prefix_b(layer, i - 1), out);
      for (int row = 0; row < rows; ++row) out[rows * inner + row] += small[row];
      const bool last = i - 1 == layer.first;
      double* next = last ? theta.data() + offset(i - 1) : scratch;
      if (!last) std::fill_n(next, inner * (layer.in + 1), 0.0);
      kernels_->multiply(inner, layer.in, rows, w, true, big, next);
      kernels_->multiply(1, inner, rows, small, false, w, next + inner * layer.in);
      big = next;
      small = next + inner * layer.in;
      std::swap(scratch, other);
    }
    if (layer.first == layer.last) {
      kernels_->add(layer.out * (layer.in + 1), big, theta.data() + offset(layer.first));
    }
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
