// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mechfit/net/kernels_single.cc"
// As in kernels.cc
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#define MECHFIT_REAL float
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "mechfit/net/tanh_single-inl.h"
#include "mechfit/net/kernels-inl.h"
// clang-format on

#include "mechfit/net/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace mechfit::HWY_NAMESPACE {

namespace {

// Registers of double, and halves of float for their numbers
using Wide = hn::CappedTag<double, 8>;
using Narrow = hn::Rebind<float, Wide>;
constexpr int kStep = static_cast<int>(hn::MaxLanes(Wide()));

void narrow(int count, const double* HWY_RESTRICT x, float* HWY_RESTRICT out) {
  int i = 0;
  for (; i + kStep <= count; i += kStep)
    hn::StoreU(hn::DemoteTo(Narrow(), hn::LoadU(Wide(), x + i)), Narrow(), out + i);
  for (; i < count; ++i) out[i] = static_cast<float>(x[i]);
}

void widen(int count, const float* HWY_RESTRICT x, bool add, double* HWY_RESTRICT out) {
  int i = 0;
  for (; i + kStep <= count; i += kStep) {
    const auto wide = hn::PromoteTo(Wide(), hn::LoadU(Narrow(), x + i));
    hn::StoreU(add ? hn::Add(hn::LoadU(Wide(), out + i), wide) : wide, Wide(), out + i);
  }
  for (; i < count; ++i) out[i] = (add ? out[i] : 0.0) + static_cast<double>(x[i]);
}

}  // namespace

SingleKernels make_single_kernels() { return {block_kernels(), narrow, widen}; }

}  // namespace mechfit::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mechfit {

HWY_EXPORT(make_single_kernels);

const SingleKernels& simd_single_kernels() {
  static const SingleKernels kernels = HWY_DYNAMIC_DISPATCH(make_single_kernels)();
  return kernels;
}

}  // namespace mechfit
#endif
