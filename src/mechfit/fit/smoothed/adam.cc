// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mechfit/fit/smoothed/adam.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on

#include "mechfit/fit/smoothed/adam.h"

#include <cmath>

#include "mechfit/base/error.h"

HWY_BEFORE_NAMESPACE();
namespace mechfit::HWY_NAMESPACE {

// Plain loops, which the compiler vectorises for each target; the same bits on all of them.
void adam_step(std::size_t size, const double* HWY_RESTRICT gradient, double rate,
               double correction, double* HWY_RESTRICT mean, double* HWY_RESTRICT square,
               double* HWY_RESTRICT step) {
  for (std::size_t i = 0; i < size; ++i) {
    const double g = gradient[i];
    mean[i] = Adam::kBeta1 * mean[i] + (1.0 - Adam::kBeta1) * g;
    square[i] = Adam::kBeta2 * square[i] + (1.0 - Adam::kBeta2) * g * g;
    step[i] = -rate * mean[i] / (std::sqrt(square[i]) * correction + Adam::kEpsilon);
  }
}

}  // namespace mechfit::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mechfit {

HWY_EXPORT(adam_step);

void Adam::step(std::span<const double> gradient, double rate, std::span<double> step) {
  MECHFIT_CHECK(gradient.size() == mean.size() && step.size() == mean.size());
  power1 *= kBeta1;
  power2 *= kBeta2;
  HWY_DYNAMIC_DISPATCH(adam_step)
  (mean.size(), gradient.data(), rate / (1.0 - power1), 1.0 / std::sqrt(1.0 - power2), mean.data(),
   square.data(), step.data());
}

}  // namespace mechfit
#endif
