// Included once per instruction set, like the kernels that use it.
#if defined(MECHFIT_BASE_VECTOR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MECHFIT_BASE_VECTOR_INL_H_
#undef MECHFIT_BASE_VECTOR_INL_H_
#else
#define MECHFIT_BASE_VECTOR_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mechfit::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// The numbers of these kernels; a file that wants float says so before it includes anything.
#ifndef MECHFIT_REAL
#define MECHFIT_REAL double
#endif
using Real = MECHFIT_REAL;
using D = hn::CappedTag<Real, 64 / sizeof(Real)>;
using V = hn::Vec<D>;
inline constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
inline constexpr bool kWide = kLanes * sizeof(Real) == 64;  // 32 registers of 512 bits

// What a product hands its sums to must never become a call: all registers would be spilled.
#define MECHFIT_INLINED HWY_ATTR __attribute__((always_inline))

HWY_INLINE V set(Real x) { return hn::Set(D(), x); }

// The smaller and the larger one of a and b; a NaN in b stays, which only x86 grants.
constexpr bool kMinKeepsNaN = HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128;
HWY_INLINE V smaller(V a, V b) {
  return kMinKeepsNaN ? hn::Min(a, b) : hn::IfThenElse(hn::Lt(a, b), a, b);
}
HWY_INLINE V larger(V a, V b) {
  return kMinKeepsNaN ? hn::Max(a, b) : hn::IfThenElse(hn::Gt(a, b), a, b);
}

// sum[r][j] += left[r left_row] right[j right_vector .. + kLanes], then left_step and right_step
// further on, count times: a tile of a matrix product, kept in registers.
template <int kRows, int kVectors>
HWY_INLINE void add_products(int count, const Real* HWY_RESTRICT left, int left_row, int left_step,
                             const Real* HWY_RESTRICT right, int right_vector, int right_step,
                             V (&sum)[kRows][kVectors]) {
  for (int k = 0; k < count; ++k, left += left_step, right += right_step) {
    V x[kVectors];
    HWY_UNROLL(8)
    for (int j = 0; j < kVectors; ++j) x[j] = hn::LoadU(D(), right + j * right_vector);
    HWY_UNROLL(8)
    for (int r = 0; r < kRows; ++r) {
      const V factor = set(left[r * left_row]);
      HWY_UNROLL(8)
      for (int j = 0; j < kVectors; ++j) sum[r][j] = hn::MulAdd(factor, x[j], sum[r][j]);
    }
  }
}

// The same for a count that is known and a multiple of four, which go in one piece where there are
// registers enough.
template <int kCount, int kRows, int kVectors>
HWY_INLINE void add_products(const Real* HWY_RESTRICT left, int left_row, int left_step,
                             const Real* HWY_RESTRICT right, int right_vector, int right_step,
                             V (&sum)[kRows][kVectors]) {
  constexpr int kPiece = kWide ? 4 : 1;
  for (int k = 0; k < kCount; k += kPiece) {
    HWY_UNROLL(4)
    for (int i = 0; i < kPiece; ++i, left += left_step, right += right_step)
      add_products(1, left, left_row, left_step, right, right_vector, right_step, sum);
  }
}

// Lane i of the result is the sum of the lanes of x[i], i < kCount.
template <int kCount = kLanes>
HWY_INLINE V sums_of_lanes(V (&x)[kLanes]) {
#if HWY_TARGET == HWY_SCALAR
  return x[0];
#else
  constexpr int kPairs = (kCount + 1) / 2;
  HWY_UNROLL(8)
  for (int i = 0; i < kPairs; ++i)  // pairs within blocks of 128 bits
    x[i] = hn::Add(hn::InterleaveLower(D(), x[2 * i], x[2 * i + 1]),
                   hn::InterleaveUpper(D(), x[2 * i], x[2 * i + 1]));
  constexpr int kGroups = sizeof(Real) == 8 ? kPairs : (kPairs + 1) / 2;
  if constexpr (sizeof(Real) == 4) {
    const hn::Repartition<double, D> d;
    HWY_UNROLL(8)
    for (int i = 0; i < kGroups; ++i) {  // two pairs
      const auto even = hn::BitCast(d, x[2 * i]), odd = hn::BitCast(d, x[2 * i + 1]);
      x[i] = hn::Add(hn::BitCast(D(), hn::InterleaveLower(d, even, odd)),
                     hn::BitCast(D(), hn::InterleaveUpper(d, even, odd)));
    }
  }
  if constexpr (kWide) {
    HWY_UNROLL(2)
    for (int i = 0; 2 * i < kGroups; ++i) {  // neighbouring blocks
      const V y = 2 * i + 1 < kGroups ? x[2 * i + 1] : x[2 * i];
      x[i] = hn::Add(hn::OddEvenBlocks(y, x[2 * i]),
                     hn::SwapAdjacentBlocks(hn::OddEvenBlocks(x[2 * i], y)));
    }
  }
  if constexpr (kLanes * sizeof(Real) >= 32) {  // halves
    const V y = kCount > kLanes / 2 ? x[1] : x[0];
    x[0] = hn::Add(hn::ConcatLowerLower(D(), y, x[0]), hn::ConcatUpperUpper(D(), y, x[0]));
  }
  return x[0];
#endif
}

}  // namespace
}  // namespace mechfit::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
