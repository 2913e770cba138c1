// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mechfit/net/point_kernels.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "mechfit/net/tanh-inl.h"
// clang-format on

#include "mechfit/net/point_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace mechfit::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE V load(const double* p) { return hn::LoadU(D(), p); }
HWY_INLINE void store(V v, double* p) { hn::StoreU(v, D(), p); }

// kVectors registers of rows of W x + b from `row` on. kChains partial sums each hide the latency
// of a multiply-add.
template <int kVectors, int kChains>
HWY_INLINE void rows_in_lanes(const double* HWY_RESTRICT transposed, const double* b, int row,
                              int rows, int cols, const double* HWY_RESTRICT x,
                              double* HWY_RESTRICT y) {
  V sum[kChains][kVectors];
  HWY_UNROLL(4)
  for (int c = 0; c < kChains; ++c) HWY_UNROLL(8)
  for (int j = 0; j < kVectors; ++j)
    sum[c][j] = b && c == 0 ? load(b + row + j * kLanes) : hn::Zero(D());
  const double* w = transposed + row;
  int k = 0;
  for (; k + kChains <= cols; k += kChains) {
    HWY_UNROLL(4)
    for (int c = 0; c < kChains; ++c, w += rows) {
      const V factor = set(x[k + c]);
      HWY_UNROLL(8)
      for (int j = 0; j < kVectors; ++j)
        sum[c][j] = hn::MulAdd(factor, load(w + j * kLanes), sum[c][j]);
    }
  }
  for (; k < cols; ++k, w += rows)
    for (int j = 0; j < kVectors; ++j)
      sum[0][j] = hn::MulAdd(set(x[k]), load(w + j * kLanes), sum[0][j]);
  HWY_UNROLL(8)
  for (int j = 0; j < kVectors; ++j) {
    V total = sum[0][j];
    for (int c = 1; c < kChains; ++c) total = hn::Add(total, sum[c][j]);
    store(total, y + row + j * kLanes);
  }
}

// One row at a time, the columns in lanes.
HWY_INLINE double dot(const double* HWY_RESTRICT w, const double* HWY_RESTRICT x, int cols) {
  V sum[2] = {hn::Zero(D()), hn::Zero(D())};
  int k = 0;
  for (; k + 2 * kLanes <= cols; k += 2 * kLanes) {
    sum[0] = hn::MulAdd(load(w + k), load(x + k), sum[0]);
    sum[1] = hn::MulAdd(load(w + k + kLanes), load(x + k + kLanes), sum[1]);
  }
  double total = hn::GetLane(hn::SumOfLanes(D(), hn::Add(sum[0], sum[1])));
  for (; k < cols; ++k) total += w[k] * x[k];
  return total;
}

HWY_INLINE void product(const double* w, const double* transposed, const double* b, int rows,
                        int cols, const double* x, double* y) {
  int row = 0;
  for (; row + 8 * kLanes <= rows; row += 8 * kLanes)
    rows_in_lanes<8, 1>(transposed, b, row, rows, cols, x, y);
  for (; row + 4 * kLanes <= rows; row += 4 * kLanes)
    rows_in_lanes<4, 2>(transposed, b, row, rows, cols, x, y);
  for (; row + kLanes <= rows; row += kLanes)
    rows_in_lanes<1, 4>(transposed, b, row, rows, cols, x, y);
  for (; row < rows; ++row) y[row] = dot(w + row * cols, x, cols) + (b ? b[row] : 0.0);
}

HWY_INLINE void affine(const PointLayer& layer, bool bias, const double* x, double* y) {
  product(layer.w, layer.transposed, bias ? layer.b : nullptr, layer.rows, layer.cols, x, y);
}

// y = W' x
HWY_INLINE void reverse_affine(const PointLayer& layer, const double* x, double* y) {
  product(layer.transposed, layer.w, nullptr, layer.cols, layer.rows, x, y);
}

// g becomes act' g
HWY_INLINE void times_slope(const PointLayer& layer, double* g) {
  const bool tanh = layer.activation == Activation::tanh;
  const double* k = tanh ? layer.a : layer.k;
  for (int i = 0; i < layer.rows; i += kLanes) {
    const V x = load(g + i), slope = load(k + i);
    store(tanh ? hn::NegMulAdd(hn::Mul(x, slope), slope, x) : hn::Mul(x, slope), g + i);
  }
}

}  // namespace

void point_forward(std::span<const PointLayers> nets, const double* x) {
  std::size_t depth = 0;
  for (const auto& net : nets) depth = net.size() - 1 > depth ? net.size() - 1 : depth;
  for (std::size_t l = 0; l < depth; ++l) {
    for (const auto& net : nets)
      if (l + 1 < net.size()) affine(net[l], true, l == 0 ? x : net[l - 1].a, net[l].a);
    for (const auto& net : nets) {
      if (l + 1 >= net.size()) continue;
      const PointLayer& layer = net[l];
      if (layer.activation == Activation::tanh)
        for (int i = 0; i < layer.rows; i += kLanes) store(tanh_of(load(layer.a + i)), layer.a + i);
      else
        simd_kernels().activate(layer.activation, (layer.rows + kBlock - 1) / kBlock, layer.a,
                                layer.k);
    }
  }
}

void point_output(PointLayers net, const double* x, double* y) {
  affine(net.back(), true, net.size() == 1 ? x : net[net.size() - 2].a, y);
}

void point_reverse(PointLayers net, const double* gy, double* x_reverse) {
  for (std::size_t l = net.size() - 1; l > 0; --l) {
    const PointLayer& below = net[l - 1];
    reverse_affine(net[l], gy, below.delta);
    times_slope(below, below.delta);
    gy = below.delta;
  }
  reverse_affine(net[0], gy, x_reverse);
}

void point_tangent(PointLayers net, const double* xdot, double* ydot) {
  for (std::size_t l = 0; l + 1 < net.size(); ++l) {
    affine(net[l], false, xdot, net[l].adot);
    times_slope(net[l], net[l].adot);
    xdot = net[l].adot;
  }
  affine(net.back(), false, xdot, ydot);
}

}  // namespace mechfit::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mechfit {

HWY_EXPORT(point_forward);
HWY_EXPORT(point_output);
HWY_EXPORT(point_reverse);
HWY_EXPORT(point_tangent);

void point_forward(std::span<const PointLayers> nets, const double* x) {
  HWY_DYNAMIC_DISPATCH(point_forward)(nets, x);
}
void point_output(PointLayers net, const double* x, double* y) {
  HWY_DYNAMIC_DISPATCH(point_output)(net, x, y);
}
void point_reverse(PointLayers net, const double* gy, double* x_reverse) {
  HWY_DYNAMIC_DISPATCH(point_reverse)(net, gy, x_reverse);
}
void point_tangent(PointLayers net, const double* xdot, double* ydot) {
  HWY_DYNAMIC_DISPATCH(point_tangent)(net, xdot, ydot);
}

}  // namespace mechfit
#endif
