// Included once per instruction set, like the kernels that use it.
#if defined(MECHFIT_NET_TANH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MECHFIT_NET_TANH_INL_H_
#undef MECHFIT_NET_TANH_INL_H_
#else
#define MECHFIT_NET_TANH_INL_H_
#endif

#include <bit>
#include <cstdint>

#include "hwy/highway.h"
#include "mechfit/base/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mechfit::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// The smaller and the larger one of a and b; a NaN in b stays, which plain numbers' Min does not
// grant.
HWY_INLINE V smaller(V a, V b) {
  return HWY_TARGET == HWY_SCALAR ? hn::IfThenElse(hn::Lt(a, b), a, b) : hn::Min(a, b);
}
HWY_INLINE V larger(V a, V b) {
  return HWY_TARGET == HWY_SCALAR ? hn::IfThenElse(hn::Gt(a, b), a, b) : hn::Max(a, b);
}

// Both ways below split |x| or x by x = k c + r, k a whole number in the low bits of x / c + magic.
inline constexpr double kMagic = 0x1.8p52, kLimit = 20.0, kLn2 = 0.693147180559945309417;

// Wide registers have a way to look up eight entries, and divide slowly: as little as can be waits
// for the division. tanh(x) = t / (t + 2), t = exp(2x) - 1, for x >= 0:
//   c = ln 2 / 16, j = k mod 8,  t = H (expm1(2r) + lo) + (H - 1),
//   H = 2^(k/8) rounded, lo its relative rounding error
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
inline constexpr int kTableShift = 52 - 3;

// Entry j is kept as the bits of hi less j << kTableShift, so that adding k << kTableShift gives
// the bits of 2^(k/8) for every k with k mod 8 = j.
struct Exp2Table {
  alignas(64) std::int64_t bits[8];
  alignas(64) double lo[8];

  constexpr Exp2Table() : bits(), lo() {
    for (int j = 0; j < 8; ++j) {
      const Exp2Entry entry = kEighthPowers[j];
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

HWY_INLINE V tanh_by_table(V x) {
  const hn::RebindToSigned<D> di;
  const V size = smaller(set(kLimit), hn::Abs(x)), magic = set(kMagic);
  const V shifted = hn::MulAdd(size, set(16 / kLn2), magic);
  const V r = hn::NegMulAdd(hn::Sub(shifted, magic), set(kLn2 / 16), size);
  const auto bits = hn::BitCast(di, shifted), j = hn::And(bits, hn::Set(di, 7));
  const auto power = hn::TableLookupLanes(hn::Load(di, kExp2Table.bits), hn::IndicesFromVec(di, j));
  const V lo = hn::TableLookupLanes(hn::Load(D(), kExp2Table.lo), hn::IndicesFromVec(D(), j));
  const V h = hn::BitCast(D(), hn::Add(power, hn::ShiftLeft<kTableShift>(bits)));
  // expm1(2r) = 2r + r^2 (even + r odd), two chains at once
  const V r2 = hn::Mul(r, r);
  auto c = [](int i) HWY_ATTR { return set(expm1_coefficient(i)); };
  const V even = hn::MulAdd(hn::MulAdd(hn::MulAdd(c(8), r2, c(6)), r2, c(4)), r2, c(2));
  const V odd = hn::MulAdd(hn::MulAdd(c(7), r2, c(5)), r2, c(3));
  const V p = hn::MulAdd(hn::MulAdd(odd, r, even), r2, hn::MulAdd(r, set(2.0), lo));
  const V t = hn::MulAdd(h, p, hn::Sub(h, set(1.0)));
  return hn::CopySign(hn::Div(t, hn::Add(t, set(2.0))), x);
}

// Without a table: c = ln 2 / 2, H = 2^k = exp(2 k c), tanh r = r B / A with polynomials of r^2
// that are interpolated at Chebyshev nodes of |r| <= c / 2, to 1e-17:
//   tanh(x) = ((H - 1) A + (H + 1) r B) / ((H + 1) A + (H - 1) r B)
// H - 1 and H + 1 are exact, A - 1 and B - 1 small: they are added last.
HWY_INLINE V tanh_by_quotient(V x) {
  const hn::RebindToSigned<D> di;
  x = larger(set(-kLimit), smaller(set(kLimit), x));
  const V magic = set(kMagic), one = set(1.0);
  const V shifted = hn::MulAdd(x, set(2 / kLn2), magic);
  const V r = hn::NegMulAdd(hn::Sub(shifted, magic), set(kLn2 / 2), x), r2 = hn::Mul(r, r);
  const auto exponent = hn::ShiftLeft<52>(hn::BitCast(di, shifted));
  const V h = hn::BitCast(D(), hn::Add(exponent, hn::BitCast(di, one)));
  const V less = hn::Sub(h, one), more = hn::Add(h, one);
  const V a = hn::Mul(hn::MulAdd(set(0x1.03fc09304687dp-6), r2, set(0x1.c71948f3fffe3p-2)), r2);
  const V b = hn::Mul(hn::MulAdd(set(0x1.1530ca2e1b65ep-10), r2, set(0x1.c70fce7aaac7ep-4)), r2);
  const V rb = hn::MulAdd(r, b, r);
  const V y = hn::Div(hn::Add(less, hn::MulAdd(less, a, hn::Mul(more, rb))),
                      hn::Add(more, hn::MulAdd(more, a, hn::Mul(less, rb))));
  return hn::Or(y, hn::And(x, set(-0.0)));  // the sum of two zeros has lost the sign of -0
}

HWY_INLINE V tanh_of(V x) {
  if constexpr (kLanes == 8)
    return tanh_by_table(x);
  else
    return tanh_by_quotient(x);
}

}  // namespace
}  // namespace mechfit::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
