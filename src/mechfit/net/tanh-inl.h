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

// The smaller and the larger one of a and b; a NaN in b stays, which plain numbers' Min does not
// grant.
HWY_INLINE V smaller(V a, V b) {
  return HWY_TARGET == HWY_SCALAR ? hn::IfThenElse(hn::Lt(a, b), a, b) : hn::Min(a, b);
}
HWY_INLINE V larger(V a, V b) {
  return HWY_TARGET == HWY_SCALAR ? hn::IfThenElse(hn::Gt(a, b), a, b) : hn::Max(a, b);
}

// With a = k / 128 the nearest multiple, r = x - a and t = tanh r, by the addition theorem
//   tanh(x) = A + (1 - A^2) t / (1 + e),  A = tanh a from a table,  e = A t
//   t = r (1 - r^2 / 3 + 2 r^4 / 15 - 17 r^6 / 315),  1 / (1 + e) = (1 - e)(1 + e^2 + e^4)
// where R r^2 - R^2 / 8, R = 2^-16 the largest r^2, stands for the last r^4. What the series leave
// out is below 2^-55 of the result. No division: it would take as long as all of this. k is read
// from the last bits of 128 x + magic; whatever a NaN has there stays within the table.
HWY_INLINE V tanh_of(V x) {
  constexpr double kMagic = 0x1.8p52 + kTanhMiddle, kLimit = 19.0625, kR = 0x1p-16;
  const hn::RebindToSigned<D> di;
  const V magic = set(kMagic), one = set(1.0);
  x = larger(set(-kLimit), smaller(set(kLimit), x));
  const V shifted = hn::MulAdd(x, set(kTanhSteps), magic);
  const V r = hn::NegMulAdd(hn::Sub(shifted, magic), set(1.0 / kTanhSteps), x), r2 = hn::Mul(r, r);
  const auto k = hn::And(hn::BitCast(di, shifted), hn::Set(di, 2 * kTanhMiddle - 1));
  const V a = hn::GatherIndex(D(), kTanhTable, k);
  const V p =
      hn::MulAdd(set(17.0 / 315 * kR - 2.0 / 15), r2, set(1.0 / 3 - 17.0 / 315 * kR * kR / 8));
  const V t = hn::Mul(r, hn::NegMulAdd(p, r2, one));
  const V e = hn::Mul(a, t), e2 = hn::Mul(e, e), inverse = hn::Sub(one, e);
  return hn::MulAdd(hn::Mul(hn::NegMulAdd(a, a, one), t),
                    hn::MulAdd(inverse, hn::MulAdd(e2, e2, e2), inverse), a);
}

}  // namespace
}  // namespace mechfit::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
