// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mechfit/base/gram.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "mechfit/base/vector-inl.h"
// clang-format on

#include "mechfit/base/gram.h"

#include <algorithm>
#include <cstddef>
#include <memory>

HWY_BEFORE_NAMESPACE();
namespace mechfit::HWY_NAMESPACE {
namespace {

// kTile x kVectors sums and what they are made of fill sixteen registers.
inline constexpr int kVectors = 3;
inline constexpr int kTile = 4;    // rows of S at a time
inline constexpr int kPanel = 24;  // columns of a panel
static_assert(kPanel % kTile == 0 && kPanel % (kVectors * kLanes) == 0);
inline constexpr int kDepth = 128;  // rows of A at a time: two panels stay in the first-level cache

// Rows of A as panels [kDepth][kPanel] of columns, zeros beyond the last.
void pack(int rows, int cols, const double* HWY_RESTRICT a, double* HWY_RESTRICT panels) {
  for (int column = 0; column < cols; column += kPanel, panels += kDepth * kPanel) {
    const int width = cols - column < kPanel ? cols - column : kPanel;
    for (int k = 0; k < rows; ++k) {
      double* to = panels + k * kPanel;
      for (int j = 0; j < width; ++j) to[j] = a[k * cols + column + j];
      for (int j = width; j < kPanel; ++j) to[j] = 0;
    }
  }
}

// out [kTile][stride] += scale left' right, kTile columns of one panel with kVectors registers of
// another.
HWY_INLINE void tile(int rows, const double* HWY_RESTRICT left, const double* HWY_RESTRICT right,
                     double scale, int stride, double* HWY_RESTRICT out) {
  const D d;
  V s[kTile][kVectors];
  HWY_UNROLL(4)
  for (int r = 0; r < kTile; ++r) HWY_UNROLL(3)
  for (int j = 0; j < kVectors; ++j) s[r][j] = hn::Zero(d);
  add_products(rows, left, 1, kPanel, right, kLanes, kPanel, s);
  const V factor = hn::Set(d, scale);
  for (int r = 0; r < kTile; ++r)
    for (int j = 0; j < kVectors; ++j) {
      double* to = out + static_cast<std::size_t>(r) * stride + j * kLanes;
      hn::StoreU(hn::MulAdd(factor, s[r][j], hn::LoadU(d, to)), d, to);
    }
}

}  // namespace

void add_gram(int rows, int cols, const double* a, double scale, double* s) {
  const int count = (cols + kPanel - 1) / kPanel;
  const auto panels =
      std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(count) * kDepth * kPanel);
  double rim[kTile * kPanel];
  for (int first = 0; first < rows; first += kDepth) {
    const int depth = rows - first < kDepth ? rows - first : kDepth;
    pack(depth, cols, a + static_cast<std::size_t>(first) * cols, panels.get());
    for (int row = 0; row < cols; row += kTile) {
      const double* left = panels.get() + row / kPanel * kDepth * kPanel + row % kPanel;
      for (int column = 0; column < row + kTile && column < cols; column += kPanel) {
        const double* right = panels.get() + column * kDepth;
        const bool whole = row + kTile <= cols && column + kPanel <= row + 1;
        double* out = whole ? s + static_cast<std::size_t>(row) * cols + column : rim;
        if (!whole) std::fill_n(rim, kTile * kPanel, 0.0);
        for (int part = 0; part < kPanel; part += kVectors * kLanes)
          tile(depth, left, right + part, scale, whole ? cols : kPanel, out + part);
        for (int r = 0; !whole && r < kTile && row + r < cols; ++r)  // up to the diagonal
          for (int j = 0; j < kPanel && column + j <= row + r; ++j)
            s[(row + r) * cols + column + j] += rim[r * kPanel + j];
      }
    }
  }
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
