// Included once per instruction set and kind of number, by kernels.cc and kernels_single.cc.
#if defined(MECHFIT_NET_KERNELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef MECHFIT_NET_KERNELS_INL_H_
#undef MECHFIT_NET_KERNELS_INL_H_
#else
#define MECHFIT_NET_KERNELS_INL_H_
#endif

#include <algorithm>

#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"
#include "mechfit/net/kernels.h"
#include "mechfit/net/product-inl.h"
#include "mechfit/net/tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mechfit::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kTanhGroup = 4;  // registers whose tanh is computed side by side

// y = tanh(x) of kCount registers
template <int kCount>
HWY_INLINE void tanh_group(const Real* x, Real* y) {
  V v[kCount];
  HWY_UNROLL(8)
  for (int j = 0; j < kCount; ++j) v[j] = hn::LoadU(D(), x + j * kLanes);
  tanh_in_place(v);
  HWY_UNROLL(8)
  for (int j = 0; j < kCount; ++j) hn::StoreU(v[j], D(), y + j * kLanes);
}

void vector_tanh(const Real* x, int count, Real* y) {
  constexpr int kGroup = kTanhGroup * kLanes;
  int i = 0;
  for (; i + kGroup <= count; i += kGroup) tanh_group<kTanhGroup>(x + i, y + i);
  for (; i + kLanes <= count; i += kLanes) tanh_group<1>(x + i, y + i);
  if (i == count) return;
  alignas(64) Real buffer[kLanes] = {};
  for (int j = i; j < count; ++j) buffer[j - i] = x[j];
  tanh_group<1>(buffer, buffer);
  for (int j = i; j < count; ++j) y[j] = buffer[j - i];
}

void activate(Activation act, int count, Real* HWY_RESTRICT a, Real* HWY_RESTRICT k) {
  if (act == Activation::tanh) {
    vector_tanh(a, count, a);
  } else if (act == Activation::softplus) {
    const V one = set(1);
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

void layer(Activation act, Features<Real> x, int inner, const Real* w, const Real* b, int width,
           Real* a, Real* k) {
  if (act == Activation::tanh && kWide) {
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
    for_strips(width, [&](int strip, int vectors) HWY_ATTR {
      const int used = vectors * kLanes, first = strip * kBlock * kStrip;
      if (used == kStrip) return activate(act, kBlock * kStrip, a + first, k ? k + first : k);
      for (int i = first; i < first + kBlock * kStrip; i += kStrip)
        activate(act, used, a + i, k ? k + i : k);
    });
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
HWY_INLINE V store_slope(V from, V g, Real* out) {
  const V product = times_slope<kAct>(from, g);
  store(product, out);
  return product;
}

template <Activation kAct>
void slope_product_of(Features<Real> x, int inner, const Real* w, int width, const Real* k,
                      const Real* other, Real* e, bool add, Real* out) {
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

void slope_product(Activation act, Features<Real> x, int inner, const Real* w, int width,
                   const Real* k, const Real* other, Real* e, bool add, Real* out) {
  if (act == Activation::tanh)
    slope_product_of<Activation::tanh>(x, inner, w, width, k, other, e, add, out);
  else
    slope_product_of<Activation::softplus>(x, inner, w, width, k, other, e, add, out);
}

// totals [width, in whole strips] += sum over the samples of x in strips
void add_samples(const Real* x, int width, Real* totals) {
  for_strips(width, [&](int strip, int vectors) HWY_ATTR {
    for (int j = 0; j < vectors; ++j) {
      const Real* from = x + strip * kBlock * kStrip + j * kLanes;
      V even = load(from), odd = load(from + kStrip);
      for (int s = 2; s < kBlock; s += 2) {
        even = hn::Add(even, load(from + s * kStrip));
        odd = hn::Add(odd, load(from + (s + 1) * kStrip));
      }
      Real* to = totals + strip * kStrip + j * kLanes;
      store(hn::Add(load(to), hn::Add(even, odd)), to);
    }
  });
}

template <Activation kAct>
void adjoint_of(Features<Real> x, int inner, const Real* w, int width, const Real* k, bool e_valid,
                Real* e, Real* totals) {
  if (!x.data) {
    if (!e_valid) std::fill_n(e, in_strips(kBlock, width), Real{0});
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

void adjoint(Activation act, Features<Real> x, int inner, const Real* w, int width, const Real* k,
             bool e_valid, Real* e, Real* totals) {
  if (act == Activation::tanh)
    adjoint_of<Activation::tanh>(x, inner, w, width, k, e_valid, e, totals);
  else
    adjoint_of<Activation::softplus>(x, inner, w, width, k, e_valid, e, totals);
}

// Samples whose dots are summed side by side: of float half a register, or three rows would need 48
// sums.
constexpr int kDotSamples = sizeof(Real) == 4 && kLanes >= 8 ? kLanes / 2 : kLanes;

// y [kCount][kBlock] = W x + b of kDotSamples samples and kCount rows of W; sums over features in
// lanes, and one more over these.
template <int kCount>
HWY_INLINE void dots_tile(const Real* HWY_RESTRICT x, int inner, const Real* HWY_RESTRICT w,
                          int count, const Real* b, Real* HWY_RESTRICT y) {
  V sum[kCount][kLanes];
  HWY_UNROLL(8)
  for (int i = 0; i < kCount; ++i) HWY_UNROLL(8)
  for (int s = 0; s < kDotSamples; ++s) sum[i][s] = hn::Zero(D());
  for_strips(inner, [&](int strip, int vectors) MECHFIT_INLINED {
    const Real *values = x + strip * kBlock * kStrip, *weights = w + strip * count * kStrip;
    for (int j = 0; j < vectors; ++j, values += kLanes, weights += kLanes) {
      V row[kCount];
      HWY_UNROLL(8)
      for (int i = 0; i < kCount; ++i) row[i] = load(weights + i * kStrip);
      HWY_UNROLL(8)
      for (int s = 0; s < kDotSamples; ++s) {
        const V value = load(values + s * kStrip);
        HWY_UNROLL(8)
        for (int i = 0; i < kCount; ++i) sum[i][s] = hn::MulAdd(row[i], value, sum[i][s]);
      }
    }
  });
  HWY_UNROLL(8)
  for (int i = 0; i < kCount; ++i) {
    V total = sums_of_lanes<kDotSamples>(sum[i]);
    if (b) total = hn::Add(total, set(b[i]));
    store_first<kDotSamples>(total, y + i * kBlock);
  }
}

void dots(Features<Real> x, int inner, const Real* w, const Real* b, int count, Real* y) {
  if (x.panel) return scalar_block_kernels<Real>().dots(x, inner, w, b, count, y);
  in_tiles<3>(count, [&]<int kCount>(int row) HWY_ATTR {
    for (int s = 0; s < kBlock; s += kDotSamples)
      dots_tile<kCount>(x.data + s * kStrip, inner, w + row * kStrip, count, b ? b + row : nullptr,
                        y + row * kBlock + s);
  });
}

// kRows rows x kVectors registers of a weight gradient, over all streams and samples.
template <int kRows, int kVectors, bool kPanel>
HWY_INLINE void outer_tile(const OuterStream<Real>* streams, int count, int row, int column,
                           bool add, Real* HWY_RESTRICT gradient) {
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
void outer_of(int rows, int cols, const OuterStream<Real>* streams, int count, bool add,
              Real* gradient) {
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

void outer(int rows, int cols, const OuterStream<Real>* streams, int count, bool add,
           Real* gradient) {
  if (streams[0].right.panel)
    scalar_block_kernels<Real>().outer(rows, cols, streams, count, add, gradient);
  else if (streams[0].left.panel)
    outer_of<true>(rows, cols, streams, count, add, gradient);
  else
    outer_of<false>(rows, cols, streams, count, add, gradient);
}

void add_panel(const Real* panel, int rows, Real* totals) {
  for (int i = 0; i < rows; ++i, panel += kBlock) {
    V sum = load(panel);
    for (int s = kLanes; s < kBlock; s += kLanes) sum = hn::Add(sum, load(panel + s));
    totals[i] += hn::GetLane(hn::SumOfLanes(D(), sum));
  }
}

// The kernels above as a table.
BlockKernels<Real> block_kernels() {
  return {
      hwy::TargetName(HWY_TARGET), layer, activate, slope_product, adjoint, dots, outer, add_panel};
}

}  // namespace
}  // namespace mechfit::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
