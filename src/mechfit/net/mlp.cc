#include "mechfit/net/mlp.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

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

Mlp::Mlp(MlpShape shape, const Kernels& kernels, const SingleKernels* single)
    : shape_(std::move(shape)), kernels_(&kernels), passes_(MlpPasses<double>(kernels, kernels)) {
  if (single) passes_ = MlpPasses<float>(*single, kernels);
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
    layer.first = first;
    layer.last = i;
    std::visit(
        [&](auto& passes) { passes.add_layer(layer.in, layer.out, activation, i + 1 == raw); },
        passes_);
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
  for (int l = 0; l < std::ssize(layers_); ++l) {
    Layer& layer = layers_[l];
    if (layer.first < layer.last) merge(theta.data(), layer);
    std::visit(
        [&](auto& passes) {
          passes.set_weights(l, prefix_w(theta.data(), layer, layer.last),
                             prefix_b(theta.data(), layer, layer.last));
        },
        passes_);
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

// f(passes, their workspace)
template <class Inside, class Function>
void Mlp::visit(Inside& inside, const Function& f) const {
  std::visit(
      [&]<class Real>(const MlpPasses<Real>& passes) {
        auto* workspace = std::get_if<typename MlpPasses<Real>::Workspace>(&inside);
        MECHFIT_CHECK(workspace, "the workspace is of a network of another precision");
        f(passes, *workspace);
      },
      passes_);
}

Mlp::Workspace Mlp::make_workspace() const {
  Workspace w;
  w.y = make_panel(shape_.outputs);
  w.x_adjoint = make_panel(shape_.inputs);
  for (int s = 0; s < kStreams; ++s) {
    w.ydot[s] = make_panel(shape_.outputs);
    w.x_reverse[s] = make_panel(shape_.inputs);
  }
  std::visit([&](const auto& passes) { w.inside = passes.make_workspace(); }, passes_);
  return w;
}

void Mlp::forward(Workspace& w) const {
  visit(w.inside, [&](const auto& passes, auto& inside) { passes.forward(w.x, inside); });
}

void Mlp::output(Workspace& w) const {
  visit(w.inside, [&](const auto& passes, auto& inside) { passes.output(inside, w.y.data()); });
}

void Mlp::reverse(int stream, const double* gy, bool curvature, Workspace& w) const {
  visit(w.inside, [&](const auto& passes, auto& inside) {
    passes.reverse(stream, gy, curvature, inside, w.x_reverse[stream].data());
  });
}

void Mlp::tangent(int stream, bool curvature, bool output, Workspace& w) const {
  visit(w.inside, [&](const auto& passes, auto& inside) {
    passes.tangent(stream, w.xdot[stream], curvature, inside,
                   output ? w.ydot[stream].data() : nullptr);
  });
}

void Mlp::begin_adjoint(Workspace& w) const {
  visit(w.inside, [](const auto&, auto& inside) { inside.curvature = false; });
}

void Mlp::adjoint(const double* ybar, const bool (&use)[kStreams], bool x, bool theta,
                  Workspace& w) const {
  visit(w.inside, [&](const auto& passes, auto& inside) {
    passes.adjoint(ybar, use, theta, inside, x ? w.x_adjoint.data() : nullptr);
  });
}

void Mlp::gradient_lanes(const double* ybar, const bool (&use)[kStreams], Workspace& w,
                         double* lanes) const {
  visit(w.inside,
        [&](const auto& passes, auto& inside) { passes.gradient_lanes(ybar, use, inside, lanes); });
}

void Mlp::clear_gradient(Workspace& w) const {
  visit(w.inside, [](const auto&, auto& inside) { inside.gathered = false; });
}

void Mlp::add_gradient(const Workspace& w, std::span<double> merged, bool add) const {
  visit(w.inside, [&](const auto& passes, const auto& inside) {
    if (inside.gathered)
      passes.add_gradient(inside, merged.data(), add);
    else if (!add)
      std::fill(merged.begin(), merged.end(), 0.0);
  });
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
