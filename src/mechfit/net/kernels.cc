// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mechfit/net/kernels.cc"
// Scalable vectors cannot be kept in arrays of accumulators, and SSSE3 machines without SSE4 are not worth a target.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "mechfit/net/tanh-inl.h"
#include "mechfit/net/kernels-inl.h"
#include "mechfit/net/row_major-inl.h"
#include "mechfit/net/strips-inl.h"
// clang-format on

#include "mechfit/net/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace mechfit::HWY_NAMESPACE {

Kernels make_kernels() {
  return {block_kernels(),     copy,        add,      to_strips,
          transpose_to_strips, from_strips, multiply, multiply_transposed};
}
void call_vector_tanh(const double* x, int count, double* y) { vector_tanh(x, count, y); }

}  // namespace mechfit::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mechfit {

HWY_EXPORT(make_kernels);
HWY_EXPORT(call_vector_tanh);

const Kernels& simd_kernels() {
  static const Kernels kernels = HWY_DYNAMIC_DISPATCH(make_kernels)();
  return kernels;
}

void vector_tanh(const double* x, int count, double* y) {
  HWY_DYNAMIC_DISPATCH(call_vector_tanh)(x, count, y);
}

}  // namespace mechfit
#endif
