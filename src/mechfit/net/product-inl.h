// Included once per instruction set, like the kernels that use it.
#if defined(MECHFIT_NET_PRODUCT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MECHFIT_NET_PRODUCT_INL_H_
#undef MECHFIT_NET_PRODUCT_INL_H_
#else
#define MECHFIT_NET_PRODUCT_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "hwy/highway.h"
#include "mechfit/base/vector-inl.h"
#include "mechfit/net/kernels.h"
#include "mechfit/net/tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mechfit::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// The product x W of a block's features and a matrix in strips, tile by tile, and what follows it
// while its sums are in registers.

HWY_INLINE V load(const Real* p) { return hn::Load(D(), p); }
HWY_INLINE void store(V v, Real* p) { hn::Store(v, D(), p); }

// A whole register or the lower half of it
template <int kCount, class Tag = D>
HWY_INLINE void store_first(V v, Real* p) {
  if constexpr (kCount == kLanes)
    store(v, p);
  else
    hn::Store(hn::LowerHalf(hn::Half<Tag>(), v), hn::Half<Tag>(), p);
}

// f(strip, registers of the strip that are in use)
template <class Function>
HWY_INLINE void for_strips(int width, const Function& f) {
  for (int strip = 0; width > 0; ++strip, width -= kStrip)
    f(strip, (std::min(width, kStrip) + kLanes - 1) / kLanes);
}

// f<kVectors>(first register) for groups of registers that cover so many
template <int kGroup = kTileVectors, class Function>
HWY_INLINE void in_groups(int vectors, const Function& f) {
  int j = 0;
  for (; j + kGroup <= vectors; j += kGroup) f.template operator()<kGroup>(j);
  if constexpr (kGroup > 2)
    for (; j + 2 <= vectors; j += 2) f.template operator()<2>(j);
  for (; j < vectors; ++j) f.template operator()<1>(j);
}

// f<kSamples>(first sample) for tiles that cover a block
template <int kVectors, class Function>
HWY_INLINE void in_sample_tiles(const Function& f) {
  if constexpr (kTileVectors == 4) {
    constexpr int kSamples = kVectors == 4 ? 4 : 8;
    for (int s = 0; s < kBlock; s += kSamples) f.template operator()<kSamples>(s);
  } else {
    static_assert(kBlock == 4 * 5 + 2 * 6);
    for (int s = 0; s < 20; s += 5) f.template operator()<5>(s);
    for (int s = 20; s < kBlock; s += 6) f.template operator()<6>(s);
  }
}

// x W + b of kSamples samples x kVectors registers of columns; then, sample by sample,
// done(where it stands, the sums, which it may change), and what it left is added to totals unless
// these are null. All begin at the tile's corner.
template <int kSamples, int kVectors, bool kPanel, class Done, class Totals>
HWY_INLINE void tile(const Real* HWY_RESTRICT x, int inner, const Real* HWY_RESTRICT w,
                     const Real* b, int index, const Done& done, Totals totals) {
  V sum[kSamples][kVectors];
  HWY_UNROLL(8)
  for (int j = 0; j < kVectors; ++j) {
    const V start = b ? load(b + j * kLanes) : hn::Zero(D());
    HWY_UNROLL(8)
    for (int r = 0; r < kSamples; ++r) sum[r][j] = start;
  }
  constexpr int kSample = kPanel ? 1 : kStrip, kFeature = kPanel ? kBlock : 1;
  for (; inner >= kStrip; inner -= kStrip, x += kBlock * kStrip, w += kStrip * kStrip)
    add_products<kStrip>(x, kSample, kFeature, w, kLanes, kStrip, sum);
  if (inner > 0) add_products(inner, x, kSample, kFeature, w, kLanes, kStrip, sum);
  const Done finish = done;  // whose pointers no store can change
  HWY_UNROLL(8)
  for (int r = 0; r < kSamples; ++r) finish(index + r * kStrip, sum[r]);
  if constexpr (!std::is_null_pointer_v<Totals>) {
    if (!totals) return;
    HWY_UNROLL(8)
    for (int j = 0; j < kVectors; ++j) {
      V total = sum[0][j];
      HWY_UNROLL(8)
      for (int r = 1; r < kSamples; ++r) total = hn::Add(total, sum[r][j]);
      store(hn::Add(load(totals + j * kLanes), total), totals + j * kLanes);
    }
  }
}

// What `tile` does when it is done, from f(where it stands, sum) for one register, which returns
// what is left.
template <class Each>
HWY_INLINE auto for_each(const Each& each) {
  return [each]<int kVectors>(int i, V(&g)[kVectors]) MECHFIT_INLINED {
    HWY_UNROLL(8)
    for (int j = 0; j < kVectors; ++j) g[j] = each(i + j * kLanes, g[j]);
  };
}

// done as above for all samples and columns of x W + b
template <bool kPanel, class Done, class Totals>
HWY_INLINE void product_of(const Real* x, int inner, const Real* w, const Real* b, int width,
                           const Done& done, Totals totals) {
  for_strips(width, [&](int strip, int vectors) HWY_ATTR {
    in_groups(vectors, [&]<int kVectors>(int j) HWY_ATTR {
      const int column = j * kLanes;
      Totals here = totals;
      if constexpr (!std::is_null_pointer_v<Totals>)
        if (here) here += strip * kStrip + column;
      in_sample_tiles<kVectors>([&]<int kSamples>(int s) HWY_ATTR {
        tile<kSamples, kVectors, kPanel>(x + (kPanel ? s : s * kStrip), inner,
                                         w + strip * inner * kStrip + column,
                                         b ? b + strip * kStrip + column : nullptr,
                                         (strip * kBlock + s) * kStrip + column, done, here);
      });
    });
  });
}

template <class Done, class Totals = std::nullptr_t>
HWY_INLINE void product(Features<Real> x, int inner, const Real* w, const Real* b, int width,
                        const Done& done, Totals totals = nullptr) {
  if (x.panel)
    product_of<true>(x.data, inner, w, b, width, done, totals);
  else
    product_of<false>(x.data, inner, w, b, width, done, totals);
}

}  // namespace
}  // namespace mechfit::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
