// Included once per instruction set, like the kernels that use it.
#if defined(MECHFIT_NET_TANH_SINGLE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MECHFIT_NET_TANH_SINGLE_INL_H_
#undef MECHFIT_NET_TANH_SINGLE_INL_H_
#else
#define MECHFIT_NET_TANH_SINGLE_INL_H_
#endif

#include "hwy/highway.h"
#include "mechfit/base/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mechfit::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// tanh of float within 6 ulp: x P(x^2) / Q(x^2), up to 9, where tanh is 1. P and Q have the
// smallest largest relative error there, 2e-8 (least squares, weighted anew until errors were
// even).
template <int kCount>
HWY_INLINE void tanh_in_place(V (&x)[kCount]) {
  constexpr float kLimit = 9.0f;
  constexpr float kP[] = {1.0f, 0.13379717f, 3.4940341e-3f, 2.0583473e-5f, 1.3319061e-8f};
  constexpr float kQ[] = {1.0f, 0.46713033f, 2.5871070e-2f, 3.2830919e-4f, 7.7620149e-7f};
  HWY_UNROLL(8)
  for (int i = 0; i < kCount; ++i) {
    x[i] = larger(set(-kLimit), smaller(set(kLimit), x[i]));
    const V z = hn::Mul(x[i], x[i]);
    V p = set(kP[4]), q = set(kQ[4]);
    HWY_UNROLL(4)
    for (int j = 3; j >= 0; --j) {
      p = hn::MulAdd(p, z, set(kP[j]));
      q = hn::MulAdd(q, z, set(kQ[j]));
    }
    const V quotient = hn::Div(hn::Mul(x[i], p), q);  // may round to more than 1
    x[i] = larger(set(-1.0f), smaller(set(1.0f), quotient));
  }
}

}  // namespace
}  // namespace mechfit::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
