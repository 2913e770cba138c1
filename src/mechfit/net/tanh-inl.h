// Included once per instruction set, like the kernels that use it.
#if defined(MECHFIT_NET_TANH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MECHFIT_NET_TANH_INL_H_
#undef MECHFIT_NET_TANH_INL_H_
#else
#define MECHFIT_NET_TANH_INL_H_
#endif

#include "hwy/highway.h"
#include "mechfit/base/vector-inl.h"
#include "mechfit/net/tanh_table.h"

HWY_BEFORE_NAMESPACE();
namespace mechfit::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// A register of eight holds the table, from which a permutation takes entries; narrower ones choose
// between the first and the middle entry.
inline constexpr int kTanhEntries = kLanes == 8 ? 8 : 2;
inline constexpr double kTanhStep = 0x1.62e42fefa39efp-2 / kTanhEntries;  // ln(2) / (2 N)

// Entry k mod N.
template <class T>
HWY_INLINE hn::Vec<hn::Rebind<T, D>> look_up(const T (&table)[8],
                                             hn::Vec<hn::RebindToSigned<D>> k) {
  const hn::Rebind<T, D> d;
  if constexpr (kTanhEntries == 8) {
    if constexpr (HWY_IS_DEBUG_BUILD) k = hn::And(k, hn::Set(hn::RebindToSigned<D>(), 7));
    return hn::TableLookupLanes(hn::Load(d, table), hn::IndicesFromVec(d, k));
  } else if constexpr (kLanes == 1) {
    return hn::Set(d, table[hn::GetLane(k) & 1 ? 4 : 0]);
  } else {
    const V odd = hn::BitCast(D(), hn::ShiftLeft<63>(k));
    return hn::BitCast(d, hn::IfNegativeThenElse(odd, hn::BitCast(D(), hn::Set(d, table[4])),
                                                 hn::BitCast(D(), hn::Set(d, table[0]))));
  }
}

// tanh(r) / r = 1 + c_0 z + c_1 z^2 + .., z = r^2, up to c_2 z^3 (N = 8) or c_4 z^5: the series
// with the next power replaced by the polynomial of lower degree nearest to it up to R, the largest
// z.
struct TanhSeries {
  static constexpr int kTerms = kTanhEntries == 8 ? 3 : 5;
  double c[6] = {-1.0 / 3, 2.0 / 15, -17.0 / 315, 62.0 / 2835, -1382.0 / 155925, 21844.0 / 6081075};

  constexpr TanhSeries() {
    constexpr double kNearest[][5] = {{1.0 / 32, -9.0 / 16, 1.5},
                                      {1.0 / 512, -25.0 / 256, 25.0 / 32, -35.0 / 16, 2.5}};
    double power = c[kTerms];
    for (int i = kTerms - 1; i >= 0; --i) {
      power *= kTanhStep * kTanhStep / 4;
      c[i] += power * kNearest[kTerms == 5][i];
    }
  }
};

// With k the integer nearest to 2 N x / ln(2), s = 2^(k / N) as the table has it, r = x - ln(s) / 2
// and t = tanh r, by the addition theorem
//   tanh(x) = ((s - 1) + (s + 1) t) / ((s + 1) + (s - 1) t)
// k is read from the last bits of 2 N x / ln(2) + magic. Several registers go side by side, or a
// machine runs out of places for operations that wait.
template <int kCount>
HWY_INLINE void tanh_in_place(V (&x)[kCount]) {
  constexpr double kMagic = 0x1.8p52, kLimit = 19.0625;
  constexpr int kShift = kTanhEntries == 8 ? 49 : 51;  // k / N to the exponent's bits
  constexpr TanhSeries kSeries;
  const V magic = set(kMagic), one = set(1.0);
  V r[kCount], s[kCount], t[kCount];
  HWY_UNROLL(8)
  for (int i = 0; i < kCount; ++i) {
    x[i] = larger(set(-kLimit), smaller(set(kLimit), x[i]));
    s[i] = hn::MulAdd(x[i], set(1 / kTanhStep), magic);
    r[i] = hn::NegMulAdd(hn::Sub(s[i], magic), set(kTanhStep), x[i]);
  }
  HWY_UNROLL(8)
  for (int i = 0; i < kCount; ++i) {
    const auto k = hn::BitCast(hn::RebindToSigned<D>(), s[i]);
    r[i] = hn::Sub(r[i], look_up(kTanhTable.shift, k));
    s[i] = hn::BitCast(D(), hn::Add(look_up(kTanhTable.power, k), hn::ShiftLeft<kShift>(k)));
  }
  HWY_UNROLL(8)
  for (int i = 0; i < kCount; ++i) {
    const V z = hn::Mul(r[i], r[i]);
    V p = set(kSeries.c[TanhSeries::kTerms - 1]);
    HWY_UNROLL(4)
    for (int j = TanhSeries::kTerms - 2; j >= 0; --j) p = hn::MulAdd(p, z, set(kSeries.c[j]));
    t[i] = hn::Mul(r[i], hn::MulAdd(p, z, one));
  }
  HWY_UNROLL(8)
  for (int i = 0; i < kCount; ++i) {
    const V less = hn::Sub(one, s[i]), more = hn::Add(one, s[i]);
    x[i] = hn::Div(hn::MulSub(more, t[i], less), hn::NegMulAdd(less, t[i], more));
  }
}

}  // namespace
}  // namespace mechfit::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
