// Included once per instruction set, like the kernels that use it.
#if defined(MECHFIT_NET_STRIPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MECHFIT_NET_STRIPS_INL_H_
#undef MECHFIT_NET_STRIPS_INL_H_
#else
#define MECHFIT_NET_STRIPS_INL_H_
#endif

#include <algorithm>

#include "hwy/highway.h"
#include "mechfit/base/vector-inl.h"
#include "mechfit/net/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace mechfit::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Matrices between row-major and strips.

// Two streams of registers, or the compiler makes it a call of memcpy.
void copy(int count, const double* HWY_RESTRICT x, double* HWY_RESTRICT out) {
  int i = 0;
  for (; i + 2 * kLanes <= count; i += 2 * kLanes) {
    const V first = hn::LoadU(D(), x + i), second = hn::LoadU(D(), x + i + kLanes);
    hn::StoreU(second, D(), out + i + kLanes);
    hn::StoreU(first, D(), out + i);
  }
  for (; i < count; ++i) out[i] = x[i];
}

void add(int count, const double* HWY_RESTRICT x, double* HWY_RESTRICT out) {
  int i = 0;
  for (; i + kLanes <= count; i += kLanes)
    hn::StoreU(hn::Add(hn::LoadU(D(), out + i), hn::LoadU(D(), x + i)), D(), out + i);
  for (; i < count; ++i) out[i] += x[i];
}

void to_strips(int rows, int cols, const double* m, double* strips) {
  for (int col = 0; col < cols; col += kStrip)
    for (int row = 0; row < rows; ++row, strips += kStrip)
      copy(std::min(kStrip, cols - col), m + row * cols + col, strips);
}

void from_strips(int rows, int cols, const double* strips, bool add_to, double* m) {
  for (int col = 0; col < cols; col += kStrip)
    for (int row = 0; row < rows; ++row, strips += kStrip)
      (add_to ? add : copy)(std::min(kStrip, cols - col), strips, m + row * cols + col);
}

// kLanes rows of kLanes numbers each, transposed: pairs of lanes, of blocks of 128 bits, of halves.
HWY_INLINE void transpose_square(const double* HWY_RESTRICT m, int stride,
                                 double* HWY_RESTRICT out) {
#if HWY_TARGET == HWY_SCALAR
  (void)stride;
  out[0] = m[0];
#else
  V x[kLanes];
  HWY_UNROLL(8)
  for (int i = 0; i < kLanes; ++i) x[i] = hn::LoadU(D(), m + i * stride);
  HWY_UNROLL(8)
  for (int i = 0; i < kLanes; i += 2) {
    const V lower = hn::InterleaveLower(D(), x[i], x[i + 1]);
    x[i + 1] = hn::InterleaveUpper(D(), x[i], x[i + 1]);
    x[i] = lower;
  }
  if constexpr (kLanes == 8) {
    HWY_UNROLL(8)
    for (int i = 0; i < kLanes; i = i % 4 == 1 ? i + 3 : i + 1) {
      const V even = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(x[i + 2]), x[i]);
      x[i + 2] = hn::OddEvenBlocks(x[i + 2], hn::SwapAdjacentBlocks(x[i]));
      x[i] = even;
    }
  }
  if constexpr (kLanes >= 4) {
    constexpr int kHalf = kLanes / 2;
    HWY_UNROLL(4)
    for (int i = 0; i < kHalf; ++i) {
      const V lower = hn::ConcatLowerLower(D(), x[i + kHalf], x[i]);
      x[i + kHalf] = hn::ConcatUpperUpper(D(), x[i + kHalf], x[i]);
      x[i] = lower;
    }
  }
  HWY_UNROLL(8)
  for (int i = 0; i < kLanes; ++i) hn::StoreU(x[i], D(), out + i * kStrip);
#endif
}

void transpose_to_strips(int rows, int cols, const double* m, double* strips) {
  for (int row = 0; row < rows; row += kLanes) {
    double* out = strips + row / kStrip * cols * kStrip + row % kStrip;
    const double* from = m + row * cols;
    int col = 0;
    if (row + kLanes <= rows)
      for (; col + kLanes <= cols; col += kLanes)
        transpose_square(from + col, cols, out + col * kStrip);
    for (; col < cols; ++col)
      for (int r = 0; r < std::min(kLanes, rows - row); ++r)
        out[col * kStrip + r] = from[r * cols + col];
  }
}

}  // namespace
}  // namespace mechfit::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
