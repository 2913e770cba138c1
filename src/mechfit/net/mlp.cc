#include "mechfit/net/mlp.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <string>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// [rows][cols] -> [ceil(rows / kRows)][cols][kRows]
void pack(const RowMatrix& m, AlignedVector& packed) {
  const int rows = static_cast<int>(m.rows()), cols = static_cast<int>(m.cols());
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col)
      packed[static_cast<std::size_t>((row / kRows * cols + col) * kRows + row % kRows)] =
          m(row, col);
}

std::size_t panel_size(int rows) { return static_cast<std::size_t>(rows) * kBlock; }

// [W b; 0 1] of one layer, so that merging layers is a product of matrices.
RowMatrix augmented(const double* w, int in, int out) {
  RowMatrix m = RowMatrix::Zero(out + 1, in + 1);
  m.topLeftCorner(out, in) = Eigen::Map<const RowMatrix>(w, out, in);
  m.topRightCorner(out, 1) = Eigen::Map<const Eigen::VectorXd>(w + out * in, out);
  m(out, in) = 1.0;
  return m;
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
    const auto at = static_cast<std::size_t>(i);
    offsets_.push_back(parameter_count_);
    parameter_count_ += widths_[at + 1] * (widths_[at] + 1);
    const Activation activation = i + 1 < raw ? shape_.activations[at] : Activation::identity;
    if (activation == Activation::identity && i + 1 < raw) continue;
    Layer layer{};
    layer.in = widths_[static_cast<std::size_t>(first)];
    layer.out = widths_[at + 1];
    layer.activation = activation;
    layer.first = first;
    layer.last = i;
    layer.lanes = layer.in < 8 || layer.out < 8;
    layer.w.assign(static_cast<std::size_t>(padded_rows(layer.out) * layer.in), 0.0);
    layer.wt.assign(static_cast<std::size_t>(padded_rows(layer.in) * layer.out), 0.0);
    layer.b.assign(static_cast<std::size_t>(layer.out), 0.0);
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
    auto raw = [&](int i) {
      const auto at = static_cast<std::size_t>(i);
      return augmented(theta_.data() + offsets_[at], widths_[at], widths_[at + 1]);
    };
    RowMatrix m = raw(layer.last);
    for (int i = layer.last - 1; i >= layer.first; --i) m = m * raw(i);
    const RowMatrix w = m.topLeftCorner(layer.out, layer.in);
    pack(w, layer.w);
    pack(w.transpose(), layer.wt);
    for (int i = 0; i < layer.out; ++i) layer.b[static_cast<std::size_t>(i)] = m(i, layer.in);
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
    const int size = layer.lanes ? layer.out * layer.in * kRows : layer.out * padded_rows(layer.in);
    panels.gradient.assign(static_cast<std::size_t>(size), 0.0);
    panels.bias_lanes.assign(static_cast<std::size_t>(layer.out * kRows), 0.0);
    widest = std::max(widest, padded_rows(layer.in));
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
    kernels_->affine(layer.w.data(), layer.b.data(), layer.out, layer.in, x, panels.a.data());
    kernels_->activate(layer.activation, layer.out, panels.a.data(), panels.k.data());
    x = panels.a.data();
  }
}

void Mlp::output(Workspace& w) const {
  const Layer& layer = layers_.back();
  const double* x = layers_.size() == 1 ? w.x : w.layers[layers_.size() - 2].a.data();
  kernels_->affine(layer.w.data(), layer.b.data(), layer.out, layer.in, x, w.y.data());
}

void Mlp::reverse(int stream, const double* gy, bool curvature, Workspace& w) const {
  w.gy[stream] = gy;
  const double* delta = gy;
  for (int l = static_cast<int>(layers_.size()) - 2; l >= 0; --l) {
    const auto at = static_cast<std::size_t>(l);
    const Layer& next = layers_[at + 1];
    auto& panels = w.layers[at];
    kernels_->slope_product(layers_[at].activation, next.wt.data(), next.in, next.out, delta,
                            slope(w, l), curvature ? panels.adot[stream].data() : nullptr,
                            panels.zbar.data(), w.curvature, panels.delta[stream].data());
    delta = panels.delta[stream].data();
  }
  if (curvature) w.curvature = true;
  const Layer& first = layers_.front();
  kernels_->affine(first.wt.data(), nullptr, first.in, first.out, delta,
                   w.x_reverse[stream].data());
}

void Mlp::tangent(int stream, bool curvature, bool output, Workspace& w) const {
  const double* xdot = w.xdot[stream];
  for (std::size_t l = 0; l + 1 < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    auto& panels = w.layers[l];
    kernels_->slope_product(layer.activation, layer.w.data(), layer.out, layer.in, xdot,
                            slope(w, static_cast<int>(l)),
                            curvature ? panels.delta[stream].data() : nullptr, panels.zbar.data(),
                            w.curvature, panels.adot[stream].data());
    xdot = panels.adot[stream].data();
  }
  if (curvature) w.curvature = true;
  const Layer& last = layers_.back();
  if (output)
    kernels_->affine(last.w.data(), nullptr, last.out, last.in, xdot, w.ydot[stream].data());
}

void Mlp::adjoint(const double* ybar, const bool (&use)[kStreams], bool x, bool theta,
                  Workspace& w) const {
  const int count = static_cast<int>(layers_.size());
  const double* zbar = ybar;
  for (int l = count - 2; l >= 0; --l) {
    const auto at = static_cast<std::size_t>(l);
    const Layer& next = layers_[at + 1];
    auto& panels = w.layers[at];
    kernels_->adjoint(layers_[at].activation, next.wt.data(), next.in, next.out, zbar, slope(w, l),
                      w.curvature, panels.zbar.data());
    zbar = panels.zbar.data();
  }
  if (x) {
    const Layer& first = layers_.front();
    if (zbar)
      kernels_->affine(first.wt.data(), nullptr, first.in, first.out, zbar, w.x_adjoint.data());
    else
      std::fill(w.x_adjoint.begin(), w.x_adjoint.end(), 0.0);
  }
  if (!theta) return;
  for (int l = 0; l < count; ++l) {
    const auto at = static_cast<std::size_t>(l);
    const Layer& layer = layers_[at];
    auto& panels = w.layers[at];
    const bool last = l == count - 1;
    OuterStream streams[kStreams + 1];
    int n = 0;
    const double* g = last ? ybar : panels.zbar.data();
    if (g) streams[n++] = {g, l == 0 ? w.x : w.layers[at - 1].a.data()};
    for (int s = 0; s < kStreams; ++s)
      if (use[s])
        streams[n++] = {last ? w.gy[s] : panels.delta[s].data(),
                        l == 0 ? w.xdot[s] : w.layers[at - 1].adot[s].data()};
    if (layer.lanes)
      kernels_->outer_lanes(layer.out, layer.in, streams, n, panels.gradient.data());
    else
      kernels_->outer(layer.out, layer.in, streams, n, w.scratch.data(), panels.gradient.data());
    if (g) kernels_->sum_lanes(layer.out, g, panels.bias_lanes.data());
  }
}

void Mlp::clear_gradient(Workspace& w) const {
  for (auto& panels : w.layers) {
    std::fill(panels.gradient.begin(), panels.gradient.end(), 0.0);
    std::fill(panels.bias_lanes.begin(), panels.bias_lanes.end(), 0.0);
  }
}

namespace {

double lane_sum(const double* p) {
  return ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]));
}

}  // namespace

void Mlp::add_gradient(const Workspace& w, std::span<double> merged) const {
  double* out = merged.data();
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    const double* gradient = w.layers[l].gradient.data();
    if (layer.lanes) {
      for (int i = 0; i < layer.out * layer.in; ++i) out[i] += lane_sum(gradient + i * kRows);
    } else {
      for (int row = 0; row < layer.out; ++row)
        for (int col = 0; col < layer.in; ++col)
          out[row * layer.in + col] += gradient[row * padded_rows(layer.in) + col];
    }
    out += layer.out * layer.in;
    for (int i = 0; i < layer.out; ++i)
      out[i] += lane_sum(w.layers[l].bias_lanes.data() + i * kRows);
    out += layer.out;
  }
}

void Mlp::expand_gradient(std::span<const double> merged, std::span<double> theta) const {
  const double* in = merged.data();
  for (const auto& layer : layers_) {
    auto add = [&](int i, const RowMatrix& g) {
      const auto at = static_cast<std::size_t>(i);
      const int cols = widths_[at], rows = widths_[at + 1];
      double* out = theta.data() + offsets_[at];
      Eigen::Map<RowMatrix>(out, rows, cols) += g.topLeftCorner(rows, cols);
      Eigen::Map<Eigen::VectorXd>(out + rows * cols, rows) += g.topRightCorner(rows, 1);
    };
    if (layer.first == layer.last) {
      double* out = theta.data() + offsets_[static_cast<std::size_t>(layer.first)];
      for (int i = 0; i < layer.out * (layer.in + 1); ++i) out[i] += in[i];
    } else {
      // merged = A_last ... A_first, so dS/dA_i = (A_last .. A_{i+1})' G (A_{i-1} .. A_first)'
      RowMatrix g = RowMatrix::Zero(layer.out + 1, layer.in + 1);
      g.topLeftCorner(layer.out, layer.in) = Eigen::Map<const RowMatrix>(in, layer.out, layer.in);
      g.topRightCorner(layer.out, 1) =
          Eigen::Map<const Eigen::VectorXd>(in + layer.out * layer.in, layer.out);
      auto raw = [&](int i) {
        const auto at = static_cast<std::size_t>(i);
        return augmented(theta_.data() + offsets_[at], widths_[at], widths_[at + 1]);
      };
      RowMatrix left = RowMatrix::Identity(layer.out + 1, layer.out + 1);
      for (int i = layer.last; i >= layer.first; --i) {
        RowMatrix right = g.transpose() * left;  // (G' left)', then through the earlier layers
        right.transposeInPlace();
        for (int j = layer.first; j < i; ++j) right = right * raw(j).transpose();
        add(i, right);
        left = left * raw(i);
      }
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
