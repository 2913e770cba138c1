// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mechfit/net/point_kernels.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on

#include "mechfit/net/point_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace mechfit::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, 8>;
using V = hn::Vec<D>;
inline constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));

HWY_INLINE V load(const double* p) { return hn::LoadU(D(), p); }
HWY_INLINE void store(V v, double* p) { hn::StoreU(v, D(), p); }
HWY_INLINE V set(double x) { return hn::Set(D(), x); }

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

}  // namespace

void point_affine(const double* w, const double* transposed, const double* b, int rows, int cols,
                  const double* x, double* y) {
  product(w, transposed, b, rows, cols, x, y);
}

void point_slope_product(Activation act, const double* w, const double* transposed, int rows,
                         int cols, const double* x, const double* k, double* out) {
  product(w, transposed, nullptr, rows, cols, x, out);
  for (int i = 0; i < rows; i += kLanes) {
    const V g = load(out + i), slope = load(k + i);
    store(act == Activation::tanh ? hn::NegMulAdd(hn::Mul(g, slope), slope, g) : hn::Mul(g, slope),
          out + i);
  }
}

}  // namespace mechfit::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mechfit {

HWY_EXPORT(point_affine);
HWY_EXPORT(point_slope_product);

void point_affine(const double* w, const double* transposed, const double* b, int rows, int cols,
                  const double* x, double* y) {
  HWY_DYNAMIC_DISPATCH(point_affine)(w, transposed, b, rows, cols, x, y);
}
void point_slope_product(Activation act, const double* w, const double* transposed, int rows,
                         int cols, const double* x, const double* k, double* out) {
  HWY_DYNAMIC_DISPATCH(point_slope_product)(act, w, transposed, rows, cols, x, k, out);
}

}  // namespace mechfit
#endif
