// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mechfit/base/gram.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// clang-format on

#include "mechfit/base/gram.h"

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace mechfit::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, 8>;
using V = hn::Vec<D>;
inline constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
inline constexpr int kVectors = 3;

// kTile rows of S from row on and kVectors registers of its columns from column on, as far as they
// exist and below the diagonal; what is above it is their mirror image.
template <int kTile>
HWY_INLINE void tile(int rows, int cols, const double* HWY_RESTRICT a, double scale, int row,
                     int column, double* HWY_RESTRICT s) {
  const D d;
  const int wanted = cols - column;
  const auto mask = [&](int j) HWY_ATTR {
    const int left = wanted - j * kLanes;
    return hn::FirstN(d, left < 0 ? 0 : static_cast<std::size_t>(left));
  };
  V sum[kTile][kVectors];
  HWY_UNROLL(4)
  for (int r = 0; r < kTile; ++r) HWY_UNROLL(3)
  for (int j = 0; j < kVectors; ++j) sum[r][j] = hn::Zero(d);
  const auto add = [&](const V(&x)[kVectors], const double* left) HWY_ATTR {
    HWY_UNROLL(4)
    for (int r = 0; r < kTile; ++r) {
      const V factor = hn::Set(d, left[r]);
      HWY_UNROLL(3)
      for (int j = 0; j < kVectors; ++j) sum[r][j] = hn::MulAdd(factor, x[j], sum[r][j]);
    }
  };
  if (wanted >= kVectors * kLanes) {
    for (int k = 0; k < rows; ++k, a += cols) {
      V x[kVectors];
      HWY_UNROLL(3)
      for (int j = 0; j < kVectors; ++j) x[j] = hn::LoadU(d, a + column + j * kLanes);
      add(x, a + row);
    }
  } else {
    const auto m0 = mask(0), m1 = mask(1), m2 = mask(2);
    for (int k = 0; k < rows; ++k, a += cols) {
      const double* p = a + column;
      const V x[kVectors] = {hn::MaskedLoad(m0, d, p), hn::MaskedLoad(m1, d, p + kLanes),
                             hn::MaskedLoad(m2, d, p + 2 * kLanes)};
      add(x, a + row);
    }
  }
  for (int r = 0; r < kTile; ++r)
    for (int j = 0; j < kVectors; ++j) {
      double out[kLanes];
      hn::StoreU(sum[r][j], d, out);
      for (int lane = 0; lane < kLanes; ++lane) {
        const int col = column + j * kLanes + lane;
        if (col > row + r || col >= cols) continue;
        s[(row + r) * cols + col] += scale * out[lane];
        if (col < row + r) s[col * cols + row + r] += scale * out[lane];
      }
    }
}

}  // namespace

void add_gram(int rows, int cols, const double* a, double scale, double* s) {
  int row = 0;
  for (; row + 4 <= cols; row += 4)
    for (int column = 0; column < row + 4; column += kVectors * kLanes)
      tile<4>(rows, cols, a, scale, row, column, s);
  for (; row < cols; ++row)
    for (int column = 0; column <= row; column += kVectors * kLanes)
      tile<1>(rows, cols, a, scale, row, column, s);
}

}  // namespace mechfit::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mechfit {

HWY_EXPORT(add_gram);

void add_gram(int rows, int cols, const double* a, double scale, double* s) {
  HWY_DYNAMIC_DISPATCH(add_gram)(rows, cols, a, scale, s);
}

}  // namespace mechfit
#endif
