// Included once per instruction set, like the kernels that use it.
#if defined(MECHFIT_NET_TILES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MECHFIT_NET_TILES_INL_H_
#undef MECHFIT_NET_TILES_INL_H_
#else
#define MECHFIT_NET_TILES_INL_H_
#endif

#include "hwy/highway.h"
#include "mechfit/base/vector-inl.h"
#include "mechfit/net/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace mechfit::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// A tile of a product is accumulated in registers: kTileVectors registers wide, and high enough to
// hide the latency of a multiply-add and the loads. 4 x 4 fits well into the 32 registers of
// AVX-512 and NEON, 6 x 2 into 16. Where a strip has only two registers, of float on AVX-512, tiles
// are higher instead.
inline constexpr int kTileVectors = kWide || HWY_ARCH_ARM_A64 ? 4 : 2;
inline constexpr int kTileRows = 6;
inline constexpr int kOuterRows = kTileVectors == 4 && kStrip / kLanes >= 4 ? 4 : 6;

// f<kTile>(first row) for tiles of at most kMost rows that cover all, of equal height or one row
// less.
template <int kMost = kTileRows, class Function>
HWY_INLINE void in_tiles(int rows, const Function& f) {
  static_assert(kMost >= 3 && kMost <= 6);
  int tiles = (rows + kMost - 1) / kMost;
  for (int row = 0, height = 0; tiles > 0; row += height, --tiles) {
    height = (rows - row + tiles - 1) / tiles;
    if constexpr (kMost >= 6)
      if (height == 6) f.template operator()<6>(row);
    if constexpr (kMost >= 5)
      if (height == 5) f.template operator()<5>(row);
    if constexpr (kMost >= 4)
      if (height == 4) f.template operator()<4>(row);
    if (height == 3) f.template operator()<3>(row);
    if (height == 2) f.template operator()<2>(row);
    if (height == 1) f.template operator()<1>(row);
  }
}

}  // namespace
}  // namespace mechfit::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
