// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/peak.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on

#include "bench/peak.h"

#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

HWY_BEFORE_NAMESPACE();
namespace mechfit::bench::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Twelve independent chains of multiply-adds hide the latency on every machine we know. Returns
// operations per call.
double multiply_adds(int rounds, double* sink) {
  const hn::CappedTag<double, 8> d;
  using V = hn::Vec<decltype(d)>;
  V sum[12];
  for (int i = 0; i < 12; ++i) sum[i] = hn::Set(d, 1.0 + i);
  const V a = hn::Set(d, sink[0]), b = hn::Set(d, sink[1]);
  for (int round = 0; round < rounds; ++round) {
    HWY_UNROLL(12)
    for (int i = 0; i < 12; ++i) sum[i] = hn::MulAdd(sum[i], a, b);
  }
  V total = sum[0];
  for (int i = 1; i < 12; ++i) total = hn::Add(total, sum[i]);
  sink[2] = hn::GetLane(hn::SumOfLanes(d, total));
  return 2.0 * 12 * rounds * static_cast<double>(hn::Lanes(d));
}

const char* target_name() { return hwy::TargetName(HWY_TARGET); }

}  // namespace mechfit::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mechfit::bench {

HWY_EXPORT(multiply_adds);
HWY_EXPORT(target_name);

void restrict_instruction_set() {
  const char* target = std::getenv("MECHFIT_BENCH_TARGET");
  if (target && std::string_view(target) == "avx2") hwy::DisableTargets(HWY_AVX3 | HWY_AVX3_DL);
}

const char* instruction_set() { return HWY_DYNAMIC_DISPATCH(target_name)(); }

double peak_gflops() {
  static const double peak = [] {
    auto now = [] {
      timespec t;
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
      return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
    };
    double sink[3] = {0.999999, 1e-7, 0};
    double best = 0;
    for (int repeat = 0; repeat < 40; ++repeat) {
      const double start = now();
      const double flops = HWY_DYNAMIC_DISPATCH(multiply_adds)(200000, sink);
      best = std::max(best, flops / (now() - start) * 1e-9);
    }
    return best;
  }();
  return peak;
}

}  // namespace mechfit::bench
#endif
