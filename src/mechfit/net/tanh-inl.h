// Included once per instruction set, like the kernels that use it.
#if defined(MECHFIT_NET_TANH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MECHFIT_NET_TANH_INL_H_
#undef MECHFIT_NET_TANH_INL_H_
#else
#define MECHFIT_NET_TANH_INL_H_
#endif

#include <bit>
#include <cstdint>
#include <utility>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mechfit::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, 8>;
using V = hn::Vec<D>;
inline constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));

HWY_INLINE V set(double x) { return hn::Set(D(), x); }

// tanh(x) = t / (t + 2), t = exp(2x) - 1, for x >= 0.
//   2x = (k / T) ln 2 + 2r,  T = kLanes table entries of 2^(j/T),  |2r| <= ln 2 / (2T)
//   t  = H (expm1(2r) + lo) + (H - 1),  H = 2^(k/T) rounded, lo its relative rounding error
inline constexpr int kTableShift = 52 - std::countr_zero(static_cast<unsigned>(kLanes));
inline constexpr int kExpm1Degree = kLanes == 8 ? 8 : kLanes == 4 ? 10 : kLanes == 2 ? 12 : 15;

struct Exp2Entry {
  double hi, error;  // 2^(j/8) = hi + error
};
inline constexpr Exp2Entry kEighthPowers[8] = {{0x1p+0, 0.0},
                                               {0x1.172b83c7d517bp+0, -0x1.19041b9d78a76p-55},
                                               {0x1.306fe0a31b715p+0, 0x1.6f46ad23182e4p-55},
                                               {0x1.4bfdad5362a27p+0, 0x1.d4397afec42e2p-56},
                                               {0x1.6a09e667f3bcdp+0, -0x1.bdd3413b26456p-54},
                                               {0x1.8ace5422aa0dbp+0, 0x1.6e9f156864b27p-54},
                                               {0x1.ae89f995ad3adp+0, 0x1.7a1cd345dcc81p-54},
                                               {0x1.d5818dcfba487p+0, 0x1.2ed02d75b3707p-55}};

// Entry j is kept as the bits of hi less j << kTableShift, so that adding k << kTableShift gives
// the bits of 2^(k/T) for every k with k mod T = j.
struct Exp2Table {
  alignas(64) std::int64_t bits[kLanes];
  alignas(64) double lo[kLanes];

  constexpr Exp2Table() : bits(), lo() {
    for (int j = 0; j < kLanes; ++j) {
      const Exp2Entry entry = kEighthPowers[j * (8 / kLanes)];
      bits[j] = std::bit_cast<std::int64_t>(entry.hi) - (std::int64_t{j} << kTableShift);
      lo[j] = entry.error / entry.hi;
    }
  }
};
inline constexpr Exp2Table kExp2Table;

// Coefficient of r^i in expm1(2r): 2^i / i!
constexpr double expm1_coefficient(int i) {
  double c = 1.0;
  for (int j = 1; j <= i; ++j) c *= 2.0 / j;
  return c;
}

// Even and odd parts side by side, so that two chains run at once.
template <int kDegree>
HWY_INLINE V expm1_tail(V r, V r2) {  // sum over i >= 2 of c_i r^(i-2)
  constexpr int kTop = kDegree - 2, kEven = kTop - kTop % 2, kOdd = kTop - 1 + kTop % 2;
  V even = set(expm1_coefficient(kEven + 2)), odd = set(expm1_coefficient(kOdd + 2));
  [&]<int... i>(std::integer_sequence<int, i...>) {
    ((even = hn::MulAdd(even, r2, set(expm1_coefficient(kEven - 2 * i)))), ...);
  }
  (std::make_integer_sequence<int, kEven / 2>());
  [&]<int... i>(std::integer_sequence<int, i...>) {
    ((odd = hn::MulAdd(odd, r2, set(expm1_coefficient(kOdd - 2 * i)))), ...);
  }
  (std::make_integer_sequence<int, kOdd / 2>());
  return hn::MulAdd(odd, r, even);
}

// t of the formula above, of |x|. The order in Min lets a NaN pass.
HWY_INLINE V expm1_of_twice(V x) {
  const hn::RebindToSigned<D> di;
  x = hn::Min(set(20.0), hn::Abs(x));
  const V magic = set(0x1.8p52);
  const V shifted = hn::MulAdd(x, set(2.0 * kLanes / 0.693147180559945309417), magic);
  const V k = hn::Sub(shifted, magic);
  const V r = hn::NegMulAdd(k, set(0.693147180559945309417 / (2.0 * kLanes)), x);
  const auto bits = hn::BitCast(di, shifted);
  auto power = hn::Load(di, kExp2Table.bits);
  V lo = hn::Load(D(), kExp2Table.lo);
  if constexpr (kLanes > 1) {
    const auto j = hn::And(bits, hn::Set(di, kLanes - 1));
    power = hn::TableLookupLanes(power, hn::IndicesFromVec(di, j));
    lo = hn::TableLookupLanes(lo, hn::IndicesFromVec(D(), j));
  }
  const V h = hn::BitCast(D(), hn::Add(power, hn::ShiftLeft<kTableShift>(bits)));
  const V r2 = hn::Mul(r, r);
  const V p = hn::MulAdd(expm1_tail<kExpm1Degree>(r, r2), r2, hn::MulAdd(r, set(2.0), lo));
  return hn::MulAdd(h, p, hn::Sub(h, set(1.0)));
}

// A division each: sharing one between several, or refining an approximate inverse, costs more
// multiplications than it saves.
HWY_INLINE V tanh_of(V x) {
  const V t = expm1_of_twice(x);
  return hn::CopySign(hn::Div(t, hn::Add(t, set(2.0))), x);
}

}  // namespace
}  // namespace mechfit::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
