// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mechfit/net/kernels.cc"
// Scalable vectors cannot be kept in arrays of accumulators, and SSSE3 machines without SSE4 are not worth a target.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "hwy/contrib/math/math-inl.h"
#include "mechfit/net/product-inl.h"
#include "mechfit/net/row_major-inl.h"
#include "mechfit/net/strips-inl.h"
#include "mechfit/net/tanh-inl.h"
#include "mechfit/net/tiles-inl.h"
// clang-format on

#include "mechfit/net/kernels.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace mechfit::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kTanhGroup = 4;  // registers whose tanh is computed side by side

// y = tanh(x) of kCount registers
template <int kCount>
HWY_INLINE void tanh_group(const double* x, double* y) {
  V v[kCount];
  HWY_UNROLL(8)
  for (int j = 0; j < kCount; ++j) v[j] = hn::LoadU(D(), x + j * kLanes);
  tanh_in_place(v);
  HWY_UNROLL(8)
  for (int j = 0; j < kCount; ++j) hn::StoreU(v[j], D(), y + j * kLanes);
}

void vector_tanh(const double* x, int count, double* y) {
  constexpr int kGroup = kTanhGroup * kLanes;
  int i = 0;
  for (; i + kGroup <= count; i += kGroup) tanh_group<kTanhGroup>(x + i, y + i);
  for (; i + kLanes <= count; i += kLanes) tanh_group<1>(x + i, y + i);
  if (i == count) return;
  alignas(64) double buffer[kLanes] = {};
  for (int j = i; j < count; ++j) buffer[j - i] = x[j];
  tanh_group<1>(buffer, buffer);
  for (int j = i; j < count; ++j) y[j] = buffer[j - i];
}

void activate(Activation act, int count, double* HWY_RESTRICT a, double* HWY_RESTRICT k) {
  if (act == Activation::tanh) {
    vector_tanh(a, count, a);
  } else if (act == Activation::softplus) {
    const V one = set(1.0);
    for (int i = 0; i < count; i += kLanes) {
      const V z = load(a + i);
      const V small = hn::Exp(D(), hn::Neg(hn::Abs(z)));
      const V nonnegative = hn::IfThenElse(hn::Ge(z, hn::Zero(D())), one, small);
      const V value = hn::Add(hn::Max(z, hn::Zero(D())), hn::Log1p(D(), small));
      store(hn::Div(nonnegative, hn::Add(one, small)), k + i);
      store(hn::IfThenElse(hn::IsNaN(z), z, value), a + i);
    }
  }
}

void layer(Activation act, Features x, int inner, const double* w, const double* b, int width,
           double* a, double* k) {
  if (act == Activation::tanh && kLanes == 8) {
    product(x, inner, w, b, width, [=]<int kVectors>(int i, V(&z)[kVectors]) MECHFIT_INLINED {
      tanh_in_place(z);
      HWY_UNROLL(8)
      for (int j = 0; j < kVectors; ++j) store(z[j], a + i + j * kLanes);
    });
  } else {  // 16 registers do not hold what tanh needs beside the sums
    product(x, inner, w, b, width, for_each([=](int i, V z) MECHFIT_INLINED {
              store(z, a + i);
              return z;
            }));
    activate(act, in_strips(kBlock, width), a, k);
  }
}

template <Activation kAct>
HWY_INLINE V times_slope(V k, V g) {
  return kAct == Activation::tanh ? hn::NegMulAdd(hn::Mul(g, k), k, g) : hn::Mul(g, k);
}

// (act''/act') g other + e; many machines add beside multiplying, so a sum stands for 2 other
template <Activation kAct>
HWY_INLINE V add_bend(V k, V g, V other, V e) {
  if constexpr (kAct == Activation::tanh)
    return hn::NegMulAdd(hn::Mul(g, k), hn::Add(other, other), e);
  return hn::MulAdd(hn::NegMulAdd(g, k, g), other, e);
}

// out = act' g
template <Activation kAct>
HWY_INLINE V store_slope(V from, V g, double* out) {
  const V product = times_slope<kAct>(from, g);
  store(product, out);
  return product;
}

template <Activation kAct>
void slope_product_of(Features x, int inner, const double* w, int width, const double* k,
                      const double* other, double* e, bool add, double* out) {
  if (!other) {
    product(x, inner, w, nullptr, width, for_each([=](int i, V g) MECHFIT_INLINED {
              return store_slope<kAct>(load(k + i), g, out + i);
            }));
  } else if (add) {
    product(x, inner, w, nullptr, width, for_each([=](int i, V g) MECHFIT_INLINED {
              const V from = load(k + i);
              store(add_bend<kAct>(from, g, load(other + i), load(e + i)), e + i);
              return store_slope<kAct>(from, g, out + i);
            }));
  } else {
    product(x, inner, w, nullptr, width, for_each([=](int i, V g) MECHFIT_INLINED {
              const V from = load(k + i);
              store(add_bend<kAct>(from, g, load(other + i), hn::Zero(D())), e + i);
              return store_slope<kAct>(from, g, out + i);
            }));
  }
}

void slope_product(Activation act, Features x, int inner, const double* w, int width,
                   const double* k, const double* other, double* e, bool add, double* out) {
  if (act == Activation::tanh)
    slope_product_of<Activation::tanh>(x, inner, w, width, k, other, e, add, out);
  else
    slope_product_of<Activation::softplus>(x, inner, w, width, k, other, e, add, out);
}

// totals [width, in whole strips] += sum over the samples of x in strips
void add_samples(const double* x, int width, double* totals) {
  for_strips(width, [&](int strip, int vectors) HWY_ATTR {
    for (int j = 0; j < vectors; ++j) {
      const double* from = x + strip * kBlock * kStrip + j * kLanes;
      V even = load(from), odd = load(from + kStrip);
      for (int s = 2; s < kBlock; s += 2) {
        even = hn::Add(even, load(from + s * kStrip));
        odd = hn::Add(odd, load(from + (s + 1) * kStrip));
      }
      double* to = totals + strip * kStrip + j * kLanes;
      store(hn::Add(load(to), hn::Add(even, odd)), to);
    }
  });
}

template <Activation kAct>
void adjoint_of(Features x, int inner, const double* w, int width, const double* k, bool e_valid,
                double* e, double* totals) {
  if (!x.data) {
    if (!e_valid) std::fill_n(e, in_strips(kBlock, width), 0.0);
    if (e_valid && totals) add_samples(e, width, totals);
  } else if (e_valid) {
    product(x, inner, w, nullptr, width, for_each([=](int i, V g) MECHFIT_INLINED {
              const V zbar = hn::Add(times_slope<kAct>(load(k + i), g), load(e + i));
              store(zbar, e + i);
              return zbar;
            }),
            totals);
  } else {
    product(x, inner, w, nullptr, width, for_each([=](int i, V g) MECHFIT_INLINED {
              return store_slope<kAct>(load(k + i), g, e + i);
            }),
            totals);
  }
}

void adjoint(Activation act, Features x, int inner, const double* w, int width, const double* k,
             bool e_valid, double* e, double* totals) {
  if (act == Activation::tanh)
    adjoint_of<Activation::tanh>(x, inner, w, width, k, e_valid, e, totals);
  else
    adjoint_of<Activation::softplus>(x, inner, w, width, k, e_valid, e, totals);
}

// y [kCount][kBlock] = W x + b of kLanes samples and kCount rows of W; sums over features in lanes,
// and one more over these.
template <int kCount>
HWY_INLINE void dots_tile(const double* HWY_RESTRICT x, int inner, const double* HWY_RESTRICT w,
                          int count, const double* b, double* HWY_RESTRICT y) {
  V sum[kCount][kLanes];
  HWY_UNROLL(8)
  for (int i = 0; i < kCount; ++i) HWY_UNROLL(8)
  for (int s = 0; s < kLanes; ++s) sum[i][s] = hn::Zero(D());
  for_strips(inner, [&](int strip, int vectors) MECHFIT_INLINED {
    const double *values = x + strip * kBlock * kStrip, *weights = w + strip * count * kStrip;
    for (int j = 0; j < vectors; ++j, values += kLanes, weights += kLanes) {
      V row[kCount];
      HWY_UNROLL(8)
      for (int i = 0; i < kCount; ++i) row[i] = load(weights + i * kStrip);
      HWY_UNROLL(8)
      for (int s = 0; s < kLanes; ++s) {
        const V value = load(values + s * kStrip);
        HWY_UNROLL(8)
        for (int i = 0; i < kCount; ++i) sum[i][s] = hn::MulAdd(row[i], value, sum[i][s]);
      }
    }
  });
  HWY_UNROLL(8)
  for (int i = 0; i < kCount; ++i) {
    const V total = sums_of_lanes(sum[i]);
    store(b ? hn::Add(total, set(b[i])) : total, y + i * kBlock);
  }
}

void dots(Features x, int inner, const double* w, const double* b, int count, double* y) {
  if (x.panel) return scalar_kernels().dots(x, inner, w, b, count, y);
  in_tiles<3>(count, [&]<int kCount>(int row) HWY_ATTR {
    for (int s = 0; s < kBlock; s += kLanes)
      dots_tile<kCount>(x.data + s * kStrip, inner, w + row * kStrip, count, b ? b + row : nullptr,
                        y + row * kBlock + s);
  });
}

// kRows rows x kVectors registers of a weight gradient, over all streams and samples.
template <int kRows, int kVectors, bool kPanel>
HWY_INLINE void outer_tile(const OuterStream* streams, int count, int row, int column, bool add,
                           double* HWY_RESTRICT gradient) {
  constexpr int kRow = kPanel ? kBlock : 1, kSample = kPanel ? 1 : kStrip;
  V sum[kRows][kVectors];
  HWY_UNROLL(8)
  for (int r = 0; r < kRows; ++r) HWY_UNROLL(8)
  for (int j = 0; j < kVectors; ++j)
    sum[r][j] = add ? load(gradient + r * kStrip + j * kLanes) : hn::Zero(D());
  for (int i = 0; i < count; ++i)
    add_products<kBlock>(streams[i].left.data + row, kRow, kSample, streams[i].right.data + column,
                         kLanes, kStrip, sum);
  HWY_UNROLL(8)
  for (int r = 0; r < kRows; ++r) HWY_UNROLL(8)
  for (int j = 0; j < kVectors; ++j) store(sum[r][j], gradient + r * kStrip + j * kLanes);
}

template <bool kPanel>
void outer_of(int rows, int cols, const OuterStream* streams, int count, bool add,
              double* gradient) {
  for_strips(cols, [&](int strip, int vectors) HWY_ATTR {
    auto group = [&]<int kVectors>(int j) HWY_ATTR {
      const int right = strip * kBlock * kStrip + j * kLanes;
      for (int first = 0; first < rows; first += kStrip)  // no tile goes from one strip to the next
        in_tiles<kOuterRows>(std::min(rows - first, kStrip), [&]<int kRows>(int row) HWY_ATTR {
          const int left = first * kBlock + row * (kPanel ? kBlock : 1);
          outer_tile<kRows, kVectors, kPanel>(
              streams, count, left, right, add,
              gradient + (strip * rows + first + row) * kStrip + j * kLanes);
        });
    };
    if constexpr (kPanel && kTileVectors < 4)
      if (rows <= 2)  // need more columns, or additions wait for each other
        return in_groups<4>(vectors, group);
    in_groups(vectors, group);
  });
}

void outer(int rows, int cols, const OuterStream* streams, int count, bool add, double* gradient) {
  if (streams[0].right.panel)
    scalar_kernels().outer(rows, cols, streams, count, add, gradient);
  else if (streams[0].left.panel)
    outer_of<true>(rows, cols, streams, count, add, gradient);
  else
    outer_of<false>(rows, cols, streams, count, add, gradient);
}

void add_panel(const double* panel, int rows, double* totals) {
  for (int i = 0; i < rows; ++i, panel += kBlock) {
    V sum = load(panel);
    for (int s = kLanes; s < kBlock; s += kLanes) sum = hn::Add(sum, load(panel + s));
    totals[i] += hn::GetLane(hn::SumOfLanes(D(), sum));
  }
}

Kernels kernels() {
  return {hwy::TargetName(HWY_TARGET),
          layer,
          activate,
          slope_product,
          adjoint,
          dots,
          outer,
          add_panel,
          copy,
          add,
          to_strips,
          transpose_to_strips,
          from_strips,
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
