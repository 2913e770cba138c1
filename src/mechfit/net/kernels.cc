// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mechfit/net/kernels.cc"
// Scalable vectors cannot be kept in arrays of accumulators, and SSSE3 machines without SSE4 are not worth a target.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "hwy/contrib/math/math-inl.h"
// clang-format on

#include "mechfit/net/kernels.h"

#include <cstddef>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace mechfit::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, 8>;
using V = hn::Vec<D>;
inline constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));

// A tile of kTileRows rows x kTileVectors registers is accumulated at a time: 8 x 2 fills the 32
// registers of AVX-512, 4 x 2 the 16 of AVX2 and below.
inline constexpr int kTileRows = kLanes == 8 ? 8 : 4;
inline constexpr int kTileVectors = 2;
inline constexpr int kTileColumns = kTileVectors * kLanes;

HWY_INLINE V load(const double* p) { return hn::Load(D(), p); }
HWY_INLINE void store(V v, double* p) { hn::Store(v, D(), p); }
HWY_INLINE V set(double x) { return hn::Set(D(), x); }

// tanh(x) = t / (t + 2), t = exp(2x) - 1.
//   2x = (k / T) ln 2 + 2r,  T = kLanes table entries of 2^(j/T),  |2r| <= ln 2 / (2T)
//   t  = H (expm1(2r) + lo) + (H - 1),  H = 2^(k/T) rounded, lo its relative rounding error
template <int T>
struct Exp2Table;
template <>
struct Exp2Table<8> {
  static constexpr int kShift = 49, kDegree = 8;
  alignas(64) static constexpr double hi[8] = {0x1p+0,
                                               0x1.172b83c7d517bp+0,
                                               0x1.306fe0a31b715p+0,
                                               0x1.4bfdad5362a27p+0,
                                               0x1.6a09e667f3bcdp+0,
                                               0x1.8ace5422aa0dbp+0,
                                               0x1.ae89f995ad3adp+0,
                                               0x1.d5818dcfba487p+0};
  alignas(64) static constexpr double lo[8] = {0.0,
                                               -0x1.19041b9d78a76p-55 / 0x1.172b83c7d517bp+0,
                                               0x1.6f46ad23182e4p-55 / 0x1.306fe0a31b715p+0,
                                               0x1.d4397afec42e2p-56 / 0x1.4bfdad5362a27p+0,
                                               -0x1.bdd3413b26456p-54 / 0x1.6a09e667f3bcdp+0,
                                               0x1.6e9f156864b27p-54 / 0x1.8ace5422aa0dbp+0,
                                               0x1.7a1cd345dcc81p-54 / 0x1.ae89f995ad3adp+0,
                                               0x1.2ed02d75b3707p-55 / 0x1.d5818dcfba487p+0};
};
template <>
struct Exp2Table<4> {
  static constexpr int kShift = 50, kDegree = 10;
  alignas(64) static constexpr double hi[4] = {0x1p+0, 0x1.306fe0a31b715p+0, 0x1.6a09e667f3bcdp+0,
                                               0x1.ae89f995ad3adp+0};
  alignas(64) static constexpr double lo[4] = {0.0, 0x1.6f46ad23182e4p-55 / 0x1.306fe0a31b715p+0,
                                               -0x1.bdd3413b26456p-54 / 0x1.6a09e667f3bcdp+0,
                                               0x1.7a1cd345dcc81p-54 / 0x1.ae89f995ad3adp+0};
};
template <>
struct Exp2Table<2> {
  static constexpr int kShift = 51, kDegree = 12;
  alignas(64) static constexpr double hi[2] = {0x1p+0, 0x1.6a09e667f3bcdp+0};
  alignas(64) static constexpr double lo[2] = {0.0, -0x1.bdd3413b26456p-54 / 0x1.6a09e667f3bcdp+0};
};
template <>
struct Exp2Table<1> {
  static constexpr int kShift = 52, kDegree = 15;
  alignas(64) static constexpr double hi[1] = {1.0};
  alignas(64) static constexpr double lo[1] = {0.0};
};

// Coefficient of r^i in expm1(2r): 2^i / i!
constexpr double expm1_coefficient(int i) {
  double c = 1.0;
  for (int j = 1; j <= i; ++j) c *= 2.0 / j;
  return c;
}

// Even and odd parts side by side, so that two chains run at once.
template <int kDegree>
HWY_INLINE V expm1_tail(V r, V r2) {  // sum over i >= 2 of c_i r^(i-2)
  constexpr int kTop = kDegree - 2, kEven = kTop - kTop % 2, kOdd = kTop - 1 + kTop % 2;
  V even = set(expm1_coefficient(kEven + 2)), odd = set(expm1_coefficient(kOdd + 2));
  [&]<int... i>(std::integer_sequence<int, i...>) {
    ((even = hn::MulAdd(even, r2, set(expm1_coefficient(kEven - 2 * i)))), ...);
  }
  (std::make_integer_sequence<int, kEven / 2>());
  [&]<int... i>(std::integer_sequence<int, i...>) {
    ((odd = hn::MulAdd(odd, r2, set(expm1_coefficient(kOdd - 2 * i)))), ...);
  }
  (std::make_integer_sequence<int, kOdd / 2>());
  return hn::MulAdd(odd, r, even);
}

// t and t + 2 of the formula above, of |x|
HWY_INLINE void tanh_parts(V x, V& t, V& t2) {
  using Table = Exp2Table<kLanes>;
  const hn::RebindToSigned<D> di;
  x = hn::Min(hn::Abs(x), set(20.0));
  const V magic = set(0x1.8p52);
  const V shifted = hn::MulAdd(x, set(2.0 * kLanes / 0.693147180559945309417), magic);
  const V k = hn::Sub(shifted, magic);
  const V r = hn::NegMulAdd(k, set(0.693147180559945309417 / (2.0 * kLanes)), x);
  const auto bits = hn::BitCast(di, shifted);
  V hi = set(1.0), lo = hn::Zero(D());
  auto exponent = hn::ShiftLeft<Table::kShift>(bits);
  if constexpr (kLanes > 1) {
    const auto j = hn::And(bits, hn::Set(di, kLanes - 1));
    const auto index = hn::IndicesFromVec(D(), j);
    hi = hn::TableLookupLanes(hn::Load(D(), Table::hi), index);
    lo = hn::TableLookupLanes(hn::Load(D(), Table::lo), index);
    exponent = hn::Sub(exponent, hn::ShiftLeft<Table::kShift>(j));
  }
  hi = hn::BitCast(D(), hn::Add(hn::BitCast(di, hi), exponent));
  const V r2 = hn::Mul(r, r);
  const V p = hn::MulAdd(expm1_tail<Table::kDegree>(r, r2), r2, hn::MulAdd(r, set(2.0), lo));
  t = hn::MulAdd(hi, p, hn::Sub(hi, set(1.0)));
  t2 = hn::Add(t, set(2.0));
}

// t / d from an approximate inverse of d, rounded once more by its remainder; the sign keeps -0.
HWY_INLINE V refined_quotient(V t, V d, V inverse, V x) {
  const V quotient = hn::Mul(t, inverse);
  const V refined = hn::MulAdd(hn::NegMulAdd(quotient, d, t), inverse, quotient);
  return hn::IfThenElse(hn::IsNaN(x), x, hn::CopySign(refined, x));
}

// Two at a time share one division.
HWY_INLINE void tanh_pair(V& x0, V& x1) {
  V t0, d0, t1, d1;
  tanh_parts(x0, t0, d0);
  tanh_parts(x1, t1, d1);
  const V inverse = hn::Div(set(1.0), hn::Mul(d0, d1));
  x0 = refined_quotient(t0, d0, hn::Mul(d1, inverse), x0);
  x1 = refined_quotient(t1, d1, hn::Mul(d0, inverse), x1);
}

void vector_tanh(const double* x, int count, double* y) {
  alignas(64) double buffer[2 * kLanes];
  for (int i = 0; i < count; i += 2 * kLanes) {
    const int part = count - i < 2 * kLanes ? count - i : 2 * kLanes;
    for (int j = 0; j < 2 * kLanes; ++j) buffer[j] = j < part ? x[i + j] : 0.0;
    V x0 = load(buffer), x1 = load(buffer + kLanes);
    tanh_pair(x0, x1);
    store(x0, buffer);
    store(x1, buffer + kLanes);
    for (int j = 0; j < part; ++j) y[i + j] = buffer[j];
  }
}

void activate(Activation act, int rows, double* HWY_RESTRICT a, double* HWY_RESTRICT k) {
  if (act == Activation::tanh) {
    for (int i = 0; i < rows * kBlock; i += 4 * kLanes) {
      V x0 = load(a + i), x1 = load(a + i + kLanes);
      tanh_pair(x0, x1);
      store(x0, a + i);
      store(x1, a + i + kLanes);
      if constexpr (4 * kLanes <= kBlock) {
        V x2 = load(a + i + 2 * kLanes), x3 = load(a + i + 3 * kLanes);
        tanh_pair(x2, x3);
        store(x2, a + i + 2 * kLanes);
        store(x3, a + i + 3 * kLanes);
      } else if (i + 2 * kLanes < rows * kBlock) {
        V x2 = load(a + i + 2 * kLanes), x3 = load(a + i + 3 * kLanes);
        tanh_pair(x2, x3);
        store(x2, a + i + 2 * kLanes);
        store(x3, a + i + 3 * kLanes);
      }
    }
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

// kTile rows of W x from one column of the panel on; done(row, column, accumulator).
template <int kTile, class Done>
HWY_INLINE void tile(const double* HWY_RESTRICT w, const double* b, int row, int cols,
                     const double* HWY_RESTRICT x, int column, const Done& done) {
  V acc[kTile][kTileVectors];
  HWY_UNROLL(8)
  for (int r = 0; r < kTile; ++r) {
    const V start = b ? set(b[row + r]) : hn::Zero(D());
    for (int j = 0; j < kTileVectors; ++j) acc[r][j] = start;
  }
  const double* HWY_RESTRICT weights = w + (row / kRows) * (cols * kRows) + row % kRows;
  const double* HWY_RESTRICT samples = x + column;
  for (int k = 0; k < cols; ++k) {
    const V x0 = load(samples), x1 = load(samples + kLanes);
    HWY_UNROLL(8)
    for (int r = 0; r < kTile; ++r) {
      const V scalar = set(weights[r]);
      acc[r][0] = hn::MulAdd(scalar, x0, acc[r][0]);
      acc[r][1] = hn::MulAdd(scalar, x1, acc[r][1]);
    }
    weights += kRows;
    samples += kBlock;
  }
  HWY_UNROLL(8)
  for (int r = 0; r < kTile; ++r) {
    done((row + r) * kBlock + column, acc[r][0]);
    done((row + r) * kBlock + column + kLanes, acc[r][1]);
  }
}

// done(index into the panel, W x + b) for all rows and samples
template <class Done>
HWY_INLINE void product(const double* w, const double* b, int rows, int cols, const double* x,
                        const Done& done) {
  for (int column = 0; column < kBlock; column += kTileColumns) {
    int row = 0;
    for (; row + kTileRows <= rows; row += kTileRows)
      tile<kTileRows>(w, b, row, cols, x, column, done);
    if constexpr (kTileRows > 4) {
      if (row + 4 <= rows) {
        tile<4>(w, b, row, cols, x, column, done);
        row += 4;
      }
    }
    switch (rows - row) {
      case 3:
        tile<3>(w, b, row, cols, x, column, done);
        break;
      case 2:
        tile<2>(w, b, row, cols, x, column, done);
        break;
      case 1:
        tile<1>(w, b, row, cols, x, column, done);
        break;
      default:
        break;
    }
  }
}

void affine(const double* w, const double* b, int rows, int cols, const double* x, double* y) {
  product(w, b, rows, cols, x, [y](int i, V z) HWY_ATTR { store(z, y + i); });
}

template <Activation kAct>
void slope_product_of(const double* w, int rows, int cols, const double* x, const double* k,
                      const double* other, double* e, bool add, double* out) {
  if (!other) {
    product(w, nullptr, rows, cols, x,
            [=](int i, V g) HWY_ATTR { store(times_slope<kAct>(load(k + i), g), out + i); });
  } else if (add) {
    product(w, nullptr, rows, cols, x, [=](int i, V g) HWY_ATTR {
      const V slope = load(k + i);
      store(hn::MulAdd(times_curvature<kAct>(slope, g), load(other + i), load(e + i)), e + i);
      store(times_slope<kAct>(slope, g), out + i);
    });
  } else {
    product(w, nullptr, rows, cols, x, [=](int i, V g) HWY_ATTR {
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
    product(w, nullptr, rows, cols, x, [=](int i, V g) HWY_ATTR {
      store(hn::Add(times_slope<kAct>(load(k + i), g), load(e + i)), e + i);
    });
  } else {
    product(w, nullptr, rows, cols, x,
            [=](int i, V g) HWY_ATTR { store(times_slope<kAct>(load(k + i), g), e + i); });
  }
}

void adjoint(Activation act, const double* w, int rows, int cols, const double* x, const double* k,
             bool e_valid, double* e) {
  if (act == Activation::tanh)
    adjoint_of<Activation::tanh>(w, rows, cols, x, k, e_valid, e);
  else
    adjoint_of<Activation::softplus>(w, rows, cols, x, k, e_valid, e);
}

// at [kBlock][stride] = a' for a [cols][kBlock]; columns past the end are zero.
void transpose(int cols, int stride, const double* HWY_RESTRICT a, double* HWY_RESTRICT at) {
  for (int col = 0; col < stride; col += kRows) {
    if (col + kRows <= cols) {
#if HWY_TARGET != HWY_SCALAR
      if constexpr (kLanes == 8) {
        for (int p = 0; p < kBlock; p += 8) {
          V x[8], y[8];
          HWY_UNROLL(8)
          for (int i = 0; i < 8; ++i) x[i] = load(a + (col + i) * kBlock + p);
          HWY_UNROLL(4)
          for (int i = 0; i < 8; i += 2) {  // pairs within 128-bit blocks
            y[i] = hn::InterleaveLower(D(), x[i], x[i + 1]);
            y[i + 1] = hn::InterleaveUpper(D(), x[i], x[i + 1]);
          }
          HWY_UNROLL(4)
          for (int i = 0; i < 8; i += 4) {  // quadruples within 256-bit halves
            for (int j = 0; j < 2; ++j) {
              x[i + j] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(y[i + j + 2]), y[i + j]);
              x[i + j + 2] = hn::OddEvenBlocks(y[i + j + 2], hn::SwapAdjacentBlocks(y[i + j]));
            }
          }
          HWY_UNROLL(4)
          for (int i = 0; i < 4; ++i) {  // halves
            y[i] = hn::ConcatLowerLower(D(), x[i + 4], x[i]);
            y[i + 4] = hn::ConcatUpperUpper(D(), x[i + 4], x[i]);
          }
          HWY_UNROLL(8)
          for (int i = 0; i < 8; ++i) store(y[i], at + (p + i) * stride + col);
        }
      } else
#endif
      {
        for (int i = 0; i < kRows; ++i)
          for (int p = 0; p < kBlock; ++p) at[p * stride + col + i] = a[(col + i) * kBlock + p];
      }
    } else {
      for (int p = 0; p < kBlock; ++p)
        for (int i = 0; i < kRows; ++i)
          at[p * stride + col + i] = col + i < cols ? a[(col + i) * kBlock + p] : 0.0;
    }
  }
}

// kTile rows x kVectors registers of the weight gradient, over all streams and samples.
template <int kTile, int kVectors>
HWY_INLINE void outer_tile(const double* const* HWY_RESTRICT g,
                           const double* const* HWY_RESTRICT at, int count, int row, int stride,
                           int column, double* HWY_RESTRICT gradient) {
  V acc[kTile][kVectors];
  HWY_UNROLL(8)
  for (int r = 0; r < kTile; ++r)
    for (int j = 0; j < kVectors; ++j)
      acc[r][j] = load(gradient + (row + r) * stride + column + j * kLanes);
  for (int s = 0; s < count; ++s) {
    const double* HWY_RESTRICT left = g[s] + row * kBlock;
    const double* HWY_RESTRICT right = at[s] + column;
    for (int p = 0; p < kBlock; ++p) {
      V x[kVectors];
      for (int j = 0; j < kVectors; ++j) x[j] = load(right + p * stride + j * kLanes);
      HWY_UNROLL(8)
      for (int r = 0; r < kTile; ++r) {
        const V scalar = set(left[r * kBlock + p]);
        for (int j = 0; j < kVectors; ++j) acc[r][j] = hn::MulAdd(scalar, x[j], acc[r][j]);
      }
    }
  }
  HWY_UNROLL(8)
  for (int r = 0; r < kTile; ++r)
    for (int j = 0; j < kVectors; ++j)
      store(acc[r][j], gradient + (row + r) * stride + column + j * kLanes);
}

template <int kVectors>
HWY_INLINE void outer_columns(const double* const* g, const double* const* at, int count, int rows,
                              int stride, int column, double* gradient) {
  int row = 0;
  for (; row + kTileRows <= rows; row += kTileRows)
    outer_tile<kTileRows, kVectors>(g, at, count, row, stride, column, gradient);
  for (; row + 2 <= rows; row += 2)
    outer_tile<2, kVectors>(g, at, count, row, stride, column, gradient);
  for (; row < rows; ++row) outer_tile<1, kVectors>(g, at, count, row, stride, column, gradient);
}

inline constexpr int kMaxStreams = 3;

void outer(int rows, int cols, const OuterStream* streams, int count, double* scratch,
           double* gradient) {
  const int stride = padded_rows(cols);
  const double* g[kMaxStreams];
  const double* at[kMaxStreams];
  for (int s = 0; s < count; ++s) {
    double* transposed = scratch + static_cast<std::ptrdiff_t>(s) * stride * kBlock;
    transpose(cols, stride, streams[s].a, transposed);
    g[s] = streams[s].g;
    at[s] = transposed;
  }
  int column = 0;
  for (; column + kTileColumns <= stride; column += kTileColumns)
    outer_columns<kTileVectors>(g, at, count, rows, stride, column, gradient);
  for (; column < stride; column += kLanes)
    outer_columns<1>(g, at, count, rows, stride, column, gradient);
}

void outer_lanes(int rows, int cols, const OuterStream* streams, int count, double* lanes) {
  for (int s = 0; s < count; ++s) {
    const double* HWY_RESTRICT g = streams[s].g;
    const double* HWY_RESTRICT a = streams[s].a;
    for (int part = 0; part < kRows; part += kLanes) {
      for (int row = 0; row < rows; ++row) {
        const V g0 = load(g + row * kBlock + part), g1 = load(g + row * kBlock + part + kRows);
        double* HWY_RESTRICT sums = lanes + static_cast<std::ptrdiff_t>(row) * cols * kRows + part;
        for (int col = 0; col < cols; ++col) {
          const double* column = a + col * kBlock + part;
          V sum = hn::MulAdd(g0, load(column), load(sums + col * kRows));
          sum = hn::MulAdd(g1, load(column + kRows), sum);
          store(sum, sums + col * kRows);
        }
      }
    }
  }
}

void sum_lanes(int rows, const double* g, double* lanes) {
  for (int row = 0; row < rows; ++row)
    for (int part = 0; part < kRows; part += kLanes) {
      const V sum = hn::Add(load(g + row * kBlock + part), load(g + row * kBlock + part + kRows));
      store(hn::Add(sum, load(lanes + row * kRows + part)), lanes + row * kRows + part);
    }
}

// Four rows of the result at a time, one pass over B.
void multiply(int rows, int cols, int inner, const double* HWY_RESTRICT a, bool a_transposed,
              const double* HWY_RESTRICT b, double* HWY_RESTRICT out) {
  const D d;
  const int row_stride = a_transposed ? 1 : inner, k_stride = a_transposed ? rows : 1;
  for (int row = 0; row < rows; row += 4) {
    const int count = rows - row < 4 ? rows - row : 4;
    int col = 0;
    for (; col + kLanes <= cols; col += kLanes) {
      V sum[4];
      for (int r = 0; r < 4; ++r)
        sum[r] = r < count ? hn::LoadU(d, out + (row + r) * cols + col) : hn::Zero(d);
      const double* left = a + row * row_stride;
      for (int k = 0; k < inner; ++k, left += k_stride) {
        const V x = hn::LoadU(d, b + k * cols + col);
        if (count == 4) {
          for (int r = 0; r < 4; ++r) sum[r] = hn::MulAdd(set(left[r * row_stride]), x, sum[r]);
        } else {
          for (int r = 0; r < count; ++r) sum[r] = hn::MulAdd(set(left[r * row_stride]), x, sum[r]);
        }
      }
      for (int r = 0; r < count; ++r) hn::StoreU(sum[r], d, out + (row + r) * cols + col);
    }
    for (; col < cols; ++col)
      for (int r = 0; r < count; ++r) {
        double sum = out[(row + r) * cols + col];
        for (int k = 0; k < inner; ++k)
          sum += a[(row + r) * row_stride + k * k_stride] * b[k * cols + col];
        out[(row + r) * cols + col] = sum;
      }
  }
}

void multiply_transposed(int rows, int cols, int inner, const double* HWY_RESTRICT a,
                         const double* HWY_RESTRICT b, double* HWY_RESTRICT out) {
  const D d;
  const int whole = inner - inner % kLanes;
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; col += 4) {
      const int count = cols - col < 4 ? cols - col : 4;
      V sum[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
      for (int k = 0; k < whole; k += kLanes) {
        const V x = hn::LoadU(d, a + row * inner + k);
        for (int c = 0; c < count; ++c)
          sum[c] = hn::MulAdd(x, hn::LoadU(d, b + (col + c) * inner + k), sum[c]);
      }
      for (int c = 0; c < count; ++c) {
        double total = hn::GetLane(hn::SumOfLanes(d, sum[c]));
        for (int k = whole; k < inner; ++k) total += a[row * inner + k] * b[(col + c) * inner + k];
        out[row * cols + col + c] += total;
      }
    }
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
