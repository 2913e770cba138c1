// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mechfit/net/kernels.cc"
// Scalable vectors cannot be kept in arrays of accumulators, and SSSE3 machines without SSE4 are not worth a target.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "hwy/contrib/math/math-inl.h"
#include "mechfit/net/row_major-inl.h"
#include "mechfit/net/tanh-inl.h"
#include "mechfit/net/tiles-inl.h"
// clang-format on

#include "mechfit/net/kernels.h"

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace mechfit::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE V load(const double* p) { return hn::Load(D(), p); }
HWY_INLINE void store(V v, double* p) { hn::Store(v, D(), p); }

void vector_tanh(const double* x, int count, double* y) {
  int i = 0;
  for (; i + kLanes <= count; i += kLanes) hn::StoreU(tanh_of(hn::LoadU(D(), x + i)), D(), y + i);
  if (i == count) return;
  alignas(64) double buffer[kLanes] = {};
  for (int j = i; j < count; ++j) buffer[j - i] = x[j];
  store(tanh_of(load(buffer)), buffer);
  for (int j = i; j < count; ++j) y[j] = buffer[j - i];
}

void activate(Activation act, int rows, double* HWY_RESTRICT a, double* HWY_RESTRICT k) {
  if (act == Activation::tanh) {
    for (int i = 0; i < rows * kBlock; i += kLanes) store(tanh_of(load(a + i)), a + i);
  } else if (act == Activation::softplus) {
    const V one = set(1.0);
    for (int i = 0; i < rows * kBlock; i += kLanes) {
      const V z = load(a + i);
      const V small = hn::Exp(D(), hn::Neg(hn::Abs(z)));
      const V nonnegative = hn::IfThenElse(hn::Ge(z, hn::Zero(D())), one, small);
      const V value = hn::Add(hn::Max(z, hn::Zero(D())), hn::Log1p(D(), small));
      store(hn::Div(nonnegative, hn::Add(one, small)), k + i);
      store(hn::IfThenElse(hn::IsNaN(z), z, value), a + i);
    }
  }
}

template <Activation kAct>
HWY_INLINE V times_slope(V k, V g) {
  if constexpr (kAct == Activation::tanh) return hn::NegMulAdd(hn::Mul(g, k), k, g);
  if constexpr (kAct == Activation::softplus) return hn::Mul(g, k);
  return g;
}

template <Activation kAct>
HWY_INLINE V times_curvature(V k, V g) {
  if constexpr (kAct == Activation::tanh) return hn::Mul(hn::Mul(set(-2.0), k), g);
  if constexpr (kAct == Activation::softplus) return hn::NegMulAdd(k, g, g);
  return hn::Zero(D());
}

// kTile rows of W x in kTileVectors registers of samples, done(index into the panel, accumulator)
// after the sums. w, b and x begin at the tile's first row and sample.
template <int kTile, class Done>
HWY_INLINE void tile(const double* HWY_RESTRICT w, const double* b, int cols,
                     const double* HWY_RESTRICT x, int index, const Done& done) {
  V acc[kTile][kTileVectors];
  HWY_UNROLL(8)
  for (int r = 0; r < kTile; ++r) {
    const V start = b ? set(b[r]) : hn::Zero(D());
    HWY_UNROLL(8)
    for (int j = 0; j < kTileVectors; ++j) acc[r][j] = start;
  }
  add_products(cols, w, cols, 1, x, kLanes, kBlock, acc);
  HWY_UNROLL(8)
  for (int r = 0; r < kTile; ++r) HWY_UNROLL(8)
  for (int j = 0; j < kTileVectors; ++j) done(index + r * kBlock + j * kLanes, acc[r][j]);
}

// The same for all rows, where columns are so few that x stays in registers.
template <int kCols, class Done>
HWY_INLINE void thin_product(const double* HWY_RESTRICT w, const double* b, int rows,
                             const double* HWY_RESTRICT x, int index, const Done& done) {
  V samples[kCols][kTileVectors];
  HWY_UNROLL(8)
  for (int k = 0; k < kCols; ++k) HWY_UNROLL(8)
  for (int j = 0; j < kTileVectors; ++j) samples[k][j] = load(x + k * kBlock + j * kLanes);
  for (int row = 0; row < rows; ++row, w += kCols, index += kBlock) {
    V sum[kTileVectors];
    const V first = set(w[0]);
    HWY_UNROLL(8)
    for (int j = 0; j < kTileVectors; ++j)
      sum[j] = b ? hn::MulAdd(first, samples[0][j], set(b[row])) : hn::Mul(first, samples[0][j]);
    HWY_UNROLL(8)
    for (int k = 1; k < kCols; ++k) {
      const V weight = set(w[k]);
      HWY_UNROLL(8)
      for (int j = 0; j < kTileVectors; ++j) sum[j] = hn::MulAdd(weight, samples[k][j], sum[j]);
    }
    HWY_UNROLL(8)
    for (int j = 0; j < kTileVectors; ++j) done(index + j * kLanes, sum[j]);
  }
}

// done(index into the panel, W x + b) for all rows and samples
template <class Done>
HWY_INLINE void product(const double* w, const double* b, int rows, int cols, const double* x,
                        const Done& done) {
  static_assert(kBlock % (kTileVectors * kLanes) == 0);
  auto thin = [&]<int kCols>() HWY_ATTR {
    for (int j = 0; j < kBlock; j += kTileVectors * kLanes)
      thin_product<kCols>(w, b, rows, x + j, j, done);
  };
  if (cols == 1) return thin.template operator()<1>();
  if (cols == 2) return thin.template operator()<2>();
  if (cols == 3) return thin.template operator()<3>();
  if (cols == 4) return thin.template operator()<4>();
  in_tiles(rows, [&]<int kTile>(int row) HWY_ATTR {
    for (int j = 0; j < kBlock; j += kTileVectors * kLanes)
      tile<kTile>(w + row * cols, b ? b + row : nullptr, cols, x + j, row * kBlock + j, done);
  });
}

void affine(const double* w, const double* b, int rows, int cols, const double* x, double* y) {
  product(w, b, rows, cols, x, [y](int i, V z) MECHFIT_INLINED { store(z, y + i); });
}

template <Activation kAct>
void slope_product_of(const double* w, int rows, int cols, const double* x, const double* k,
                      const double* other, double* e, bool add, double* out) {
  if (!other) {
    product(w, nullptr, rows, cols, x,
            [=](int i, V g) MECHFIT_INLINED { store(times_slope<kAct>(load(k + i), g), out + i); });
  } else if (add) {
    product(w, nullptr, rows, cols, x, [=](int i, V g) MECHFIT_INLINED {
      const V slope = load(k + i);
      store(hn::MulAdd(times_curvature<kAct>(slope, g), load(other + i), load(e + i)), e + i);
      store(times_slope<kAct>(slope, g), out + i);
    });
  } else {
    product(w, nullptr, rows, cols, x, [=](int i, V g) MECHFIT_INLINED {
      const V slope = load(k + i);
      store(hn::Mul(times_curvature<kAct>(slope, g), load(other + i)), e + i);
      store(times_slope<kAct>(slope, g), out + i);
    });
  }
}

void slope_product(Activation act, const double* w, int rows, int cols, const double* x,
                   const double* k, const double* other, double* e, bool add, double* out) {
  if (act == Activation::tanh)
    slope_product_of<Activation::tanh>(w, rows, cols, x, k, other, e, add, out);
  else
    slope_product_of<Activation::softplus>(w, rows, cols, x, k, other, e, add, out);
}

template <Activation kAct>
void adjoint_of(const double* w, int rows, int cols, const double* x, const double* k, bool e_valid,
                double* e) {
  if (!x) {
    if (!e_valid)
      for (int i = 0; i < rows * kBlock; i += kLanes) store(hn::Zero(D()), e + i);
  } else if (e_valid) {
    product(w, nullptr, rows, cols, x, [=](int i, V g) MECHFIT_INLINED {
      store(hn::Add(times_slope<kAct>(load(k + i), g), load(e + i)), e + i);
    });
  } else {
    product(w, nullptr, rows, cols, x,
            [=](int i, V g) MECHFIT_INLINED { store(times_slope<kAct>(load(k + i), g), e + i); });
  }
}

void adjoint(Activation act, const double* w, int rows, int cols, const double* x, const double* k,
             bool e_valid, double* e) {
  if (act == Activation::tanh)
    adjoint_of<Activation::tanh>(w, rows, cols, x, k, e_valid, e);
  else
    adjoint_of<Activation::softplus>(w, rows, cols, x, k, e_valid, e);
}

// out[j][i] = row(i)[j] for a square of registers.
template <class Row>
HWY_INLINE void transpose_square(const Row& row, double* HWY_RESTRICT out) {
  V x[kLanes];
#if HWY_TARGET == HWY_SCALAR
  x[0] = load(row(0));
#else
  if constexpr (kLanes < 8) {
    for (int i = 0; i < kLanes; ++i) x[i] = load(row(i));
  } else {  // halves, on their way from memory
    const hn::Half<D> half;
    HWY_UNROLL(8)
    for (int i = 0; i < 4; ++i) {
      const double *low = row(i), *high = row(i + kLanes / 2);
      x[i] = hn::Combine(D(), hn::Load(half, high), hn::Load(half, low));
      x[i + kLanes / 2] = hn::Combine(D(), hn::Load(half, high + 4), hn::Load(half, low + 4));
    }
  }
  V y[kLanes];
  HWY_UNROLL(8)
  for (int i = 0; i < kLanes; i += 2) {  // pairs within 128-bit blocks
    y[i] = hn::InterleaveLower(D(), x[i], x[i + 1]);
    y[i + 1] = hn::InterleaveUpper(D(), x[i], x[i + 1]);
  }
  if constexpr (kLanes == 2) {
    for (int i = 0; i < 2; ++i) x[i] = y[i];
  } else if constexpr (kLanes == 4) {
    for (int i = 0; i < 2; ++i) {
      x[i] = hn::ConcatLowerLower(D(), y[i + 2], y[i]);
      x[i + 2] = hn::ConcatUpperUpper(D(), y[i + 2], y[i]);
    }
  } else {
    HWY_UNROLL(2)
    for (int i = 0; i < kLanes; i += 4) HWY_UNROLL(2)  // quadruples within halves
    for (int j = i; j < i + 2; ++j) {
      x[j] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(y[j + 2]), y[j]);
      x[j + 2] = hn::OddEvenBlocks(y[j + 2], hn::SwapAdjacentBlocks(y[j]));
    }
  }
#endif
  HWY_UNROLL(8)
  for (int i = 0; i < kLanes; ++i) store(x[i], out + i * kLanes);
}

// at = a' for a [cols][kBlock], in strips of one register: [ceil(cols / kLanes)][kBlock][kLanes],
// zero-padded.
void transpose_panel(int cols, const double* HWY_RESTRICT a, double* HWY_RESTRICT at) {
  alignas(64) static constexpr double kZeros[8] = {};
  for (int col = 0; col < cols; col += kLanes, a += kLanes * kBlock)
    for (int p = 0; p < kBlock; p += kLanes, at += kLanes * kLanes)
      if (col + kLanes <= cols)
        transpose_square([=](int i) MECHFIT_INLINED { return a + i * kBlock + p; }, at);
      else
        transpose_square(
            [=](int i) MECHFIT_INLINED { return col + i < cols ? a + i * kBlock + p : kZeros; },
            at);
}

inline constexpr int kStrip = kBlock * kLanes;

// kTile rows x kVectors registers of the weight gradient, over all streams and samples.
// row and column are those of its corner.
template <int kTile, int kVectors>
HWY_INLINE void outer_tile(const double* const* g, const double* const* at, int count, int row,
                           int column, int stride, bool add, double* HWY_RESTRICT gradient) {
  V acc[kTile][kVectors];
  gradient += row * stride + column;
  HWY_UNROLL(8)
  for (int r = 0; r < kTile; ++r) HWY_UNROLL(8)
  for (int j = 0; j < kVectors; ++j)
    acc[r][j] = add ? load(gradient + r * stride + j * kLanes) : hn::Zero(D());
  for (int s = 0; s < count; ++s)
    add_products(kBlock, g[s] + row * kBlock, kBlock, 1, at[s] + column * kBlock, kStrip, kLanes,
                 acc);
  HWY_UNROLL(8)
  for (int r = 0; r < kTile; ++r) HWY_UNROLL(8)
  for (int j = 0; j < kVectors; ++j) store(acc[r][j], gradient + r * stride + j * kLanes);
}

template <int kVectors>
HWY_INLINE void outer_columns(const double* const* g, const double* const* at, int count, int rows,
                              int column, int stride, bool add, double* gradient) {
  in_tiles(rows, [&]<int kTile>(int row) HWY_ATTR {
    outer_tile<kTile, kVectors>(g, at, count, row, column, stride, add, gradient);
  });
}

inline constexpr int kMaxStreams = 3;

void outer(int rows, int cols, const OuterStream* streams, int count, double* scratch, bool add,
           double* gradient) {
  const int stride = padded(cols);
  const double* g[kMaxStreams];
  const double* at[kMaxStreams];
  for (int s = 0; s < count; ++s) {
    double* transposed = scratch + static_cast<std::ptrdiff_t>(s) * stride * kBlock;
    transpose_panel(cols, streams[s].a, transposed);
    g[s] = streams[s].g;
    at[s] = transposed;
  }
  const int whole = (cols + kLanes - 1) / kLanes * kLanes;  // transposed columns, padded by zeros
  int column = 0;
  for (; column + kTileVectors * kLanes <= whole; column += kTileVectors * kLanes)
    outer_columns<kTileVectors>(g, at, count, rows, column, stride, add, gradient);
  for (; column + 2 * kLanes <= whole; column += 2 * kLanes)
    outer_columns<2>(g, at, count, rows, column, stride, add, gradient);
  for (; column < cols; column += kLanes)
    outer_columns<1>(g, at, count, rows, column, stride, add, gradient);
}

// Sums of thin[i] long' for kThin thin rows, kept in registers while the long ones pass by, of
// kCount streams: sums of (i, j) at sums + i thin_step + j long_step.
template <int kThin, int kCount>
HWY_INLINE void thin_outer(const OuterStream* streams, bool few_rows, int first, int lane,
                           int long_rows, int thin_step, int long_step, double* HWY_RESTRICT sums) {
  constexpr int kParts = kBlock / kSumLanes;
  V factor[kCount][kThin][kParts];
  const double* panel[kCount];
  HWY_UNROLL(8)
  for (int s = 0; s < kCount; ++s) {
    const double* thin = (few_rows ? streams[s].g : streams[s].a) + first * kBlock + lane;
    panel[s] = (few_rows ? streams[s].a : streams[s].g) + lane;
    HWY_UNROLL(8)
    for (int i = 0; i < kThin; ++i) HWY_UNROLL(8)
    for (int p = 0; p < kParts; ++p) factor[s][i][p] = load(thin + i * kBlock + p * kSumLanes);
  }
  sums += first * thin_step + lane;
  for (int j = 0; j < long_rows; ++j, sums += long_step) {
    V sum[kThin];
    HWY_UNROLL(8)
    for (int i = 0; i < kThin; ++i) sum[i] = load(sums + i * thin_step);
    HWY_UNROLL(8)
    for (int s = 0; s < kCount; ++s) HWY_UNROLL(8)
    for (int p = 0; p < kParts; ++p) {
      const V x = load(panel[s] + j * kBlock + p * kSumLanes);
      HWY_UNROLL(8)
      for (int i = 0; i < kThin; ++i) sum[i] = hn::MulAdd(factor[s][i][p], x, sum[i]);
    }
    HWY_UNROLL(8)
    for (int i = 0; i < kThin; ++i) store(sum[i], sums + i * thin_step);
  }
}

void outer_lanes(int rows, int cols, const OuterStream* streams, int count, bool add,
                 double* lanes) {
  const bool few_rows = rows < cols;
  const int thin_rows = few_rows ? rows : cols, long_rows = few_rows ? cols : rows;
  const int thin_step = (few_rows ? cols : 1) * kSumLanes;
  const int long_step = (few_rows ? 1 : cols) * kSumLanes;
  if (!add)
    for (int i = 0; i < rows * cols * kSumLanes; i += kLanes) store(hn::Zero(D()), lanes + i);
  constexpr bool kManyRegisters = kTileVectors == 4;
  for (int lane = 0; lane < kSumLanes; lane += kLanes) {
    int s = 0;
    for (; kManyRegisters && s + 2 <= count; s += 2)
      in_tiles<3>(thin_rows, [&]<int kThin>(int first) HWY_ATTR {
        thin_outer<kThin, 2>(streams + s, few_rows, first, lane, long_rows, thin_step, long_step,
                             lanes);
      });
    for (; s < count; ++s)
      in_tiles<kManyRegisters ? 6 : 3>(thin_rows, [&]<int kThin>(int first) HWY_ATTR {
        thin_outer<kThin, 1>(streams + s, few_rows, first, lane, long_rows, thin_step, long_step,
                             lanes);
      });
  }
}

void sum_lanes(int rows, const double* g, bool add, double* lanes) {
  for (int row = 0; row < rows; ++row)
    for (int lane = 0; lane < kSumLanes; lane += kLanes) {
      V sum = add ? load(lanes + row * kSumLanes + lane) : hn::Zero(D());
      for (int j = lane; j < kBlock; j += kSumLanes) sum = hn::Add(sum, load(g + row * kBlock + j));
      store(sum, lanes + row * kSumLanes + lane);
    }
}

void fold_lanes(int count, const double* lanes, double* out) {
  auto entry = [&](int i) MECHFIT_INLINED {
    V sum = load(lanes + i * kSumLanes);
    for (int lane = kLanes; lane < kSumLanes; lane += kLanes)
      sum = hn::Add(sum, load(lanes + i * kSumLanes + lane));
    return sum;
  };
  int i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    V x[kLanes];
    HWY_UNROLL(8)
    for (int j = 0; j < kLanes; ++j) x[j] = entry(i + j);
    hn::StoreU(hn::Add(hn::LoadU(D(), out + i), sums_of_lanes(x)), D(), out + i);
  }
  for (; i < count; ++i) out[i] += hn::GetLane(hn::SumOfLanes(D(), entry(i)));
}

void add(int count, const double* x, double* out) {
  int i = 0;
  for (; i + kLanes <= count; i += kLanes)
    hn::StoreU(hn::Add(hn::LoadU(D(), out + i), hn::LoadU(D(), x + i)), D(), out + i);
  for (; i < count; ++i) out[i] += x[i];
}

Kernels kernels() {
  return {hwy::TargetName(HWY_TARGET),
          affine,
          activate,
          slope_product,
          adjoint,
          outer,
          outer_lanes,
          sum_lanes,
          fold_lanes,
          add,
          multiply,
          multiply_transposed};
}

}  // namespace

Kernels make_kernels() { return kernels(); }
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
