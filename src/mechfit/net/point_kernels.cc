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

// y = W x (+ b) for kRows <= kLanes rows, and with kTangent ydot = W xdot: the columns are in
// lanes.
template <int kRows, bool kTangent>
HWY_INLINE void dots(const double* HWY_RESTRICT w, const double* b, int cols,
                     const double* HWY_RESTRICT x, const double* HWY_RESTRICT xdot,
                     double* HWY_RESTRICT y, double* HWY_RESTRICT ydot) {
  constexpr bool kTogether = kTangent && 2 * kRows <= kLanes;  // both in one register
  V sum[kLanes], rest[kLanes];
  V* sum_dot = kTogether ? sum + kRows : rest;
  HWY_UNROLL(8)
  for (int i = 0; i < kLanes; ++i) sum[i] = rest[i] = hn::Zero(D());
  for (int k = 0; k < cols; k += kLanes) {
    const V value = load(x + k), rate = kTangent ? load(xdot + k) : value;
    HWY_UNROLL(8)
    for (int i = 0; i < kRows; ++i) {
      const V weights = load(w + i * cols + k);
      sum[i] = hn::MulAdd(weights, value, sum[i]);
      if (kTangent) sum_dot[i] = hn::MulAdd(weights, rate, sum_dot[i]);
    }
  }
  const V total = sums_of_lanes(sum);
  if constexpr (kRows == kLanes) {
    store(b ? hn::Add(total, load(b)) : total, y);
    if (kTangent) store(sums_of_lanes(rest), ydot);
  } else {
    double buffer[2 * kLanes];
    store(total, buffer);
    if (kTangent && !kTogether) store(sums_of_lanes(rest), buffer + kLanes);
    for (int i = 0; i < kRows; ++i) {
      y[i] = buffer[i] + (b ? b[i] : 0.0);
      if (kTangent) ydot[i] = buffer[(kTogether ? kRows : kLanes) + i];
    }
  }
}

// The same for any number of rows.
template <bool kTangent>
HWY_INLINE void all_dots(const double* w, const double* b, int rows, int cols, const double* x,
                         const double* xdot, double* y, double* ydot) {
  auto some = [&]<int kRows>() HWY_ATTR {
    dots<kRows, kTangent>(w, b, cols, x, xdot, y, ydot);
    rows -= kRows, w += kRows * cols, y += kRows;
    if (b) b += kRows;
    if (kTangent) ydot += kRows;
  };
  while (rows >= kLanes) some.template operator()<kLanes>();
  if constexpr (kLanes > 4)
    if (rows >= 4) some.template operator()<4>();
  if constexpr (kLanes > 2) {
    if (rows == 3) some.template operator()<3>();
    if (rows == 2) some.template operator()<2>();
  }
  if (rows == 1) some.template operator()<1>();
}

// kVectors registers of rows of W x + b from `row` on, from W transposed. kChains partial sums each
// hide the latency of a multiply-add.
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

// y = W x + b, the rows in lanes where there are enough of them.
HWY_INLINE void product(const double* w, const double* transposed, const double* b, int rows,
                        int cols, const double* x, double* y) {
  int row = 0;
  for (; row + 8 * kLanes <= rows; row += 8 * kLanes)
    rows_in_lanes<8, 1>(transposed, b, row, rows, cols, x, y);
  for (; row + 4 * kLanes <= rows; row += 4 * kLanes)
    rows_in_lanes<4, 2>(transposed, b, row, rows, cols, x, y);
  for (; row + kLanes <= rows; row += kLanes)
    rows_in_lanes<1, 4>(transposed, b, row, rows, cols, x, y);
  if (row < rows && cols % kLanes == 0) {
    all_dots<false>(w + row * cols, b ? b + row : nullptr, rows - row, cols, x, nullptr, y + row,
                    nullptr);
    return;
  }
  for (; row < rows; ++row) {
    double sum = b ? b[row] : 0.0;
    for (int k = 0; k < cols; ++k) sum += w[row * cols + k] * x[k];
    y[row] = sum;
  }
}

// y = W x + b and, where xdot is given, ydot = W xdot. Whole registers of columns are taken from W
// itself, row by row, which is where the reverse pass finds them in the cache again.
HWY_INLINE void affine(const PointLayer& layer, const double* x, const double* xdot, double* y,
                       double* ydot) {
  const int rows = layer.rows, cols = layer.cols;
  if (cols % kLanes == 0) {
    if (xdot)
      all_dots<true>(layer.w, layer.b, rows, cols, x, xdot, y, ydot);
    else
      all_dots<false>(layer.w, layer.b, rows, cols, x, nullptr, y, nullptr);
    return;
  }
  product(layer.w, layer.transposed, layer.b, rows, cols, x, y);
  if (xdot) product(layer.w, layer.transposed, nullptr, rows, cols, xdot, ydot);
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

HWY_INLINE void activate(const PointLayer& layer) {
  if (layer.activation == Activation::tanh)
    for (int i = 0; i < layer.rows; i += kLanes) store(tanh_of(load(layer.a + i)), layer.a + i);
  else
    simd_kernels().activate(layer.activation, (layer.rows + kBlock - 1) / kBlock, layer.a, layer.k);
}

}  // namespace

void point_forward(std::span<const PointPass> nets) {
  std::size_t depth = 0;
  for (const auto& net : nets)
    depth = net.layers.size() - 1 > depth ? net.layers.size() - 1 : depth;
  for (std::size_t l = 0; l < depth; ++l) {
    for (const auto& net : nets) {
      if (l + 1 >= net.layers.size()) continue;
      const PointLayer& layer = net.layers[l];
      const double* x = l == 0 ? net.x : net.layers[l - 1].a;
      const double* xdot = !net.xdot ? nullptr : l == 0 ? net.xdot : net.layers[l - 1].adot;
      affine(layer, x, xdot, layer.a, layer.adot);
    }
    for (const auto& net : nets)
      if (l + 1 < net.layers.size()) activate(net.layers[l]);
    for (const auto& net : nets)
      if (l + 1 < net.layers.size() && net.xdot) times_slope(net.layers[l], net.layers[l].adot);
  }
}

void point_output(const PointPass& net, double* y, double* ydot) {
  const bool hidden = net.layers.size() > 1;
  const PointLayer& last = net.layers.back();
  const PointLayer* below = hidden ? &net.layers[net.layers.size() - 2] : nullptr;
  affine(last, hidden ? below->a : net.x,
         !net.xdot ? nullptr
         : hidden  ? below->adot
                   : net.xdot,
         y, ydot);
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

}  // namespace mechfit::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mechfit {

HWY_EXPORT(point_forward);
HWY_EXPORT(point_output);
HWY_EXPORT(point_reverse);

void point_forward(std::span<const PointPass> nets) { HWY_DYNAMIC_DISPATCH(point_forward)(nets); }
void point_output(const PointPass& net, double* y, double* ydot) {
  HWY_DYNAMIC_DISPATCH(point_output)(net, y, ydot);
}
void point_reverse(PointLayers net, const double* gy, double* x_reverse) {
  HWY_DYNAMIC_DISPATCH(point_reverse)(net, gy, x_reverse);
}

}  // namespace mechfit
#endif
