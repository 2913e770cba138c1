// Included once per instruction set, like the kernels that use it.
#if defined(MECHFIT_NET_ROW_MAJOR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MECHFIT_NET_ROW_MAJOR_INL_H_
#undef MECHFIT_NET_ROW_MAJOR_INL_H_
#else
#define MECHFIT_NET_ROW_MAJOR_INL_H_
#endif

#include "hwy/highway.h"
#include "mechfit/base/vector-inl.h"
#include "mechfit/net/tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mechfit::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Products of row-major matrices, for merging layers.

// kTile rows x kVectors registers of columns of A B; left and right begin there.
template <int kTile, int kVectors>
HWY_INLINE void multiply_tile(const double* HWY_RESTRICT left, int row_stride, int k_stride,
                              const double* HWY_RESTRICT right, int cols, int inner, bool add,
                              double* HWY_RESTRICT out) {
  const D d;
  V sum[kTile][kVectors];
  HWY_UNROLL(8)
  for (int r = 0; r < kTile; ++r) HWY_UNROLL(8)
  for (int j = 0; j < kVectors; ++j)
    sum[r][j] = add ? hn::LoadU(d, out + r * cols + j * kLanes) : hn::Zero(d);
  add_products(inner, left, row_stride, k_stride, right, kLanes, cols, sum);
  HWY_UNROLL(8)
  for (int r = 0; r < kTile; ++r) HWY_UNROLL(8)
  for (int j = 0; j < kVectors; ++j) hn::StoreU(sum[r][j], d, out + r * cols + j * kLanes);
}

void multiply(int rows, int cols, int inner, const double* a, bool a_transposed, const double* b,
              bool add, double* out) {
  const int row_stride = a_transposed ? 1 : inner, k_stride = a_transposed ? rows : 1;
  in_tiles(rows, [&]<int kTile>(int row) HWY_ATTR {
    const double* left = a + row * row_stride;
    double* to = out + row * cols;
    int col = 0;
    for (; col + kTileVectors * kLanes <= cols; col += kTileVectors * kLanes)
      multiply_tile<kTile, kTileVectors>(left, row_stride, k_stride, b + col, cols, inner, add,
                                         to + col);
    for (; col + kLanes <= cols; col += kLanes)
      multiply_tile<kTile, 1>(left, row_stride, k_stride, b + col, cols, inner, add, to + col);
    for (; col < cols; ++col)
      for (int r = 0; r < kTile; ++r) {
        double sum = add ? to[r * cols + col] : 0.0;
        for (int k = 0; k < inner; ++k)
          sum += left[r * row_stride + k * k_stride] * b[k * cols + col];
        to[r * cols + col] = sum;
      }
  });
}

// kTile rows x kLanes columns of A B'.
template <int kTile>
HWY_INLINE void multiply_transposed_tile(const double* HWY_RESTRICT a, const double* HWY_RESTRICT b,
                                         int cols, int inner, bool add, double* HWY_RESTRICT out) {
  const D d;
  V sum[kTile][kLanes];
  HWY_UNROLL(8)
  for (int r = 0; r < kTile; ++r) HWY_UNROLL(8)
  for (int c = 0; c < kLanes; ++c) sum[r][c] = hn::Zero(d);
  const int whole = inner - inner % kLanes;
  for (int k = 0; k < whole; k += kLanes) {
    V x[kTile];
    HWY_UNROLL(8)
    for (int r = 0; r < kTile; ++r) x[r] = hn::LoadU(d, a + r * inner + k);
    HWY_UNROLL(8)
    for (int c = 0; c < kLanes; ++c) {
      const V y = hn::LoadU(d, b + c * inner + k);
      HWY_UNROLL(8)
      for (int r = 0; r < kTile; ++r) sum[r][c] = hn::MulAdd(x[r], y, sum[r][c]);
    }
  }
  HWY_UNROLL(8)
  for (int r = 0; r < kTile; ++r) {
    double* to = out + r * cols;
    const V total = sums_of_lanes(sum[r]);
    hn::StoreU(add ? hn::Add(hn::LoadU(d, to), total) : total, d, to);
    for (int k = whole; k < inner; ++k)
      for (int c = 0; c < kLanes; ++c) to[c] += a[r * inner + k] * b[c * inner + k];
  }
}

void multiply_transposed(int rows, int cols, int inner, const double* a, const double* b, bool add,
                         double* out) {
  const int whole = cols - cols % kLanes;
  for (int col = 0; col < whole; col += kLanes) {  // so few rows of B stay near
    const double* right = b + col * inner;
    int row = 0;
    for (; row + 2 <= rows; row += 2)
      multiply_transposed_tile<2>(a + row * inner, right, cols, inner, add, out + row * cols + col);
    if (row < rows)
      multiply_transposed_tile<1>(a + row * inner, right, cols, inner, add, out + row * cols + col);
  }
  for (int row = 0; row < rows; ++row)
    for (int col = whole; col < cols; ++col) {
      double sum = add ? out[row * cols + col] : 0.0;
      for (int k = 0; k < inner; ++k) sum += a[row * inner + k] * b[col * inner + k];
      out[row * cols + col] = sum;
    }
}

}  // namespace
}  // namespace mechfit::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
