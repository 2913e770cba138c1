// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mechfit/mechanics/families/smm/smm_lanes.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "hwy/contrib/math/math-inl.h"
// clang-format on

#include "mechfit/mechanics/families/smm/smm_lanes.h"

#include <cmath>

// Mostly plain loops over the lanes: the compiler vectorises them for each target.
HWY_BEFORE_NAMESPACE();
namespace mechfit::smm_lanes::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// sum += x y
HWY_INLINE void fma(const double* HWY_RESTRICT x, const double* HWY_RESTRICT y,
                    double* HWY_RESTRICT sum) {
  for (int s = 0; s < kBlock; ++s) sum[s] += x[s] * y[s];
}
HWY_INLINE void zero(double* HWY_RESTRICT x) {
  for (int s = 0; s < kBlock; ++s) x[s] = 0.0;
}
HWY_INLINE void scale(double factor, const double* x, double* y) {
  for (int s = 0; s < kBlock; ++s) y[s] = factor * x[s];
}
HWY_INLINE const double* at(int n, const double* l, int i, int j) {
  return l + entry(n, i, j) * kBlock;
}

HWY_INLINE int features_of(JointType type) { return type == JointType::periodic ? 2 : 1; }

// out = sum over k from begin on of L_(entry of k) x_k, added to what is there where `add`; sums
// stay in registers.
template <class EntryOf>
HWY_INLINE void row_sum(const double* l, const double* x, int begin, int end, bool add,
                        const EntryOf& entry_of, double* out) {
  const hn::CappedTag<double, 8> d;
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(d)), kVectors = HWY_MIN(kBlock / kLanes, 4);
  for (int s = 0; s < kBlock; s += kVectors * kLanes) {
    hn::Vec<decltype(d)> sum[kVectors];
    HWY_UNROLL(4)
    for (int v = 0; v < kVectors; ++v)
      sum[v] = add ? hn::LoadU(d, out + s + v * kLanes) : hn::Zero(d);
    for (int k = begin; k < end; ++k) {
      const double *left = l + entry_of(k) * kBlock + s, *right = x + k * kBlock + s;
      HWY_UNROLL(4)
      for (int v = 0; v < kVectors; ++v)
        sum[v] =
            hn::MulAdd(hn::LoadU(d, left + v * kLanes), hn::LoadU(d, right + v * kLanes), sum[v]);
    }
    HWY_UNROLL(4)
    for (int v = 0; v < kVectors; ++v) hn::StoreU(sum[v], d, out + s + v * kLanes);
  }
}

// out (+)= L' x
HWY_INLINE void transposed(int n, const double* l, const double* x, double* out, bool add = false) {
  for (int j = 0; j < n; ++j)
    row_sum(
        l, x, j, n, add, [=](int i) { return entry(n, i, j); }, out + j * kBlock);
}
// out (+)= L x
HWY_INLINE void product(int n, const double* l, const double* x, double* out, bool add) {
  for (int i = 0; i < n; ++i)
    row_sum(
        l, x, 0, i + 1, add, [=](int j) { return entry(n, i, j); }, out + i * kBlock);
}
// out (lower) += x y'
HWY_INLINE void add_outer(int n, const double* x, const double* y, double* out) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) fma(x + i * kBlock, y + j * kBlock, out + entry(n, i, j) * kBlock);
}

}  // namespace

void features(int n, const JointType* types, const double* offset, const double* scales,
              const double* q, double* phi, double* slope, double* bend) {
  const hn::CappedTag<double, 8> d;
  for (int i = 0; i < n; ++i, q += kBlock) {
    if (types[i] == JointType::plain) {
      const double shift = offset[i], inverse = 1.0 / scales[i];
      for (int s = 0; s < kBlock; ++s) {
        phi[s] = (q[s] - shift) * inverse;
        slope[s] = inverse;
        bend[s] = 0.0;
      }
      phi += kBlock, slope += kBlock, bend += kBlock;
      continue;
    }
    double largest = 0.0;  // Highway's sine and cosine are good to 39000
    for (int s = 0; s < kBlock; ++s) largest = std::fmax(largest, std::fabs(q[s]));
    double* c = phi;
    double* sn = phi + kBlock;
    if (largest < 3e4) {
      for (int s = 0; s < kBlock; s += static_cast<int>(hn::Lanes(d))) {
        const auto x = hn::LoadU(d, q + s);
        hn::StoreU(hn::Cos(d, x), d, c + s);
        hn::StoreU(hn::Sin(d, x), d, sn + s);
      }
    } else {
      for (int s = 0; s < kBlock; ++s) c[s] = std::cos(q[s]), sn[s] = std::sin(q[s]);
    }
    for (int s = 0; s < kBlock; ++s) {
      slope[s] = -sn[s];
      slope[kBlock + s] = c[s];
      bend[s] = -c[s];
      bend[kBlock + s] = -sn[s];
    }
    phi += 2 * kBlock, slope += 2 * kBlock, bend += 2 * kBlock;
  }
}

void along(int n, const JointType* types, const double* slope, const double* dq,
           double* HWY_RESTRICT direction) {
  for (int i = 0; i < n; ++i, dq += kBlock)
    for (int k = features_of(types[i]); k > 0; --k, slope += kBlock, direction += kBlock)
      for (int s = 0; s < kBlock; ++s) direction[s] = slope[s] * dq[s];
}

void to_joints(int n, const JointType* types, const double* slope, const double* x_bar,
               double* out) {
  for (int i = 0; i < n; ++i, out += kBlock)
    for (int k = features_of(types[i]); k > 0; --k, slope += kBlock, x_bar += kBlock)
      fma(slope, x_bar, out);
}

void bend_to_joints(int n, const JointType* types, const double* bend, const double* x_bar,
                    const double* direction, double* HWY_RESTRICT out) {
  for (int i = 0; i < n; ++i, out += kBlock, direction += kBlock)
    for (int k = features_of(types[i]); k > 0; --k, bend += kBlock, x_bar += kBlock)
      for (int s = 0; s < kBlock; ++s) out[s] += bend[s] * x_bar[s] * direction[s];
}

void kinetic(int n, const double* l, const double* d, const double* v, double* w, double* pi,
             double* gl, double* p) {
  for (int i = 0; i < n; ++i) scale(d[i], v + i * kBlock, w + i * kBlock);
  transposed(n, l, w, pi);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      double* HWY_RESTRICT out = gl + entry(n, i, j) * kBlock;
      for (int s = 0; s < kBlock; ++s) out[s] = w[i * kBlock + s] * pi[j * kBlock + s];
    }
  }
  product(n, l, pi, p, false);
  for (int i = 0; i < n; ++i) scale(d[i], p + i * kBlock, p + i * kBlock);
}

void rate(int n, const double* l, const double* lv, const double* d, const double* w,
          const double* pi, double* out) {
  product(n, lv, pi, out, false);
  alignas(64) double lv_w[kBlock];
  for (int j = 0; j < n; ++j) {
    zero(lv_w);
    for (int i = j; i < n; ++i) fma(at(n, lv, i, j), w + i * kBlock, lv_w);
    for (int i = j; i < n; ++i) fma(at(n, l, i, j), lv_w, out + i * kBlock);
  }
  for (int i = 0; i < n; ++i) scale(d[i], out + i * kBlock, out + i * kBlock);
}

void pullback(int n, const double* l, const double* lv, const double* d, const double* w,
              const double* pi, const Terms& terms, double* scratch, double* l_bar, double* lv_bar,
              double* v_bar) {
  double* x = scratch;                   // D a, D c
  double* lx = scratch + n * kBlock;     // L' x
  double* y = scratch + 2 * n * kBlock;  // further vectors
  double* z = scratch + 3 * n * kBlock;
  double* w_bar = scratch + 4 * n * kBlock;
  // (D a)' L L' w + w' Lb L' w: with lx = L' D a + Lb' w the gradient to L is (D a) pi' + w lx'
  if (terms.a) {
    for (int i = 0; i < n; ++i) scale(d[i], terms.a + i * kBlock, x + i * kBlock);
    transposed(n, l, x, lx);
  } else {
    for (int i = 0; i < n; ++i) zero(x + i * kBlock), zero(lx + i * kBlock);
  }
  if (terms.b_l) transposed(n, terms.b_l, w, lx, true);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      const double *xi = x + i * kBlock, *wi = w + i * kBlock;
      const double *pj = pi + j * kBlock, *lj = lx + j * kBlock;
      double* HWY_RESTRICT out = l_bar + entry(n, i, j) * kBlock;
      for (int s = 0; s < kBlock; ++s) out[s] = xi[s] * pj[s] + wi[s] * lj[s];
    }
  if (v_bar) {
    product(n, l, lx, w_bar, false);
    if (terms.b_l) product(n, terms.b_l, pi, w_bar, true);
  }
  if (terms.c) {  // x' (Lv L' + L Lv') w + x' L L' D acc, x = D c
    for (int i = 0; i < n; ++i) scale(d[i], terms.c + i * kBlock, x + i * kBlock);
    transposed(n, l, x, lx);
    transposed(n, lv, x, y);
    transposed(n, lv, w, z);
    for (int i = 0; i < entries(n); ++i) zero(lv_bar + i * kBlock);
    add_outer(n, x, pi, lv_bar);
    add_outer(n, w, lx, lv_bar);
    add_outer(n, w, y, l_bar);
    add_outer(n, x, z, l_bar);
    if (v_bar) {
      product(n, l, y, w_bar, true);
      product(n, lv, lx, w_bar, true);
    }
    if (terms.acc) {
      for (int i = 0; i < n; ++i) scale(d[i], terms.acc + i * kBlock, y + i * kBlock);
      transposed(n, l, y, z);
      add_outer(n, x, z, l_bar);
      add_outer(n, y, lx, l_bar);
    }
  }
  for (int pair = 0; terms.left && pair < terms.pairs; ++pair) {  // x' L L' y
    const double* left = terms.left + pair * n * kBlock;
    const double* right = terms.right + pair * n * kBlock;
    for (int i = 0; i < n; ++i) scale(d[i], left + i * kBlock, x + i * kBlock);
    for (int i = 0; i < n; ++i) scale(d[i], right + i * kBlock, y + i * kBlock);
    transposed(n, l, x, lx);
    transposed(n, l, y, z);
    add_outer(n, x, z, l_bar);
    add_outer(n, y, lx, l_bar);
  }
  for (int i = 0; v_bar && i < n; ++i) scale(d[i], w_bar + i * kBlock, v_bar + i * kBlock);
}

void mass(int n, const double* l, const double* d, double* m) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      double* out = m + (i * n + j) * kBlock;
      zero(out);
      for (int k = 0; k <= j; ++k) fma(at(n, l, i, k), at(n, l, j, k), out);
      scale(d[i] * d[j], out, out);
    }
}

void factor(int n, const double* l, const double* d, double* g) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) scale(d[i], at(n, l, i, j), g + (i * n + j) * kBlock);
}

void mass_pullback(int n, const double* l, const double* d, const double* weights, double* l_bar) {
  alignas(64) double scaled[kBlock];
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      double* out = l_bar + entry(n, i, j) * kBlock;
      zero(out);
      for (int k = j; k < n; ++k) {
        const double* weight = weights + (i >= k ? i * n + k : k * n + i) * kBlock;
        scale(2.0 * d[i] * d[k], weight, scaled);
        fma(scaled, at(n, l, k, j), out);
      }
    }
}

}  // namespace mechfit::smm_lanes::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mechfit::smm_lanes {

HWY_EXPORT(features);
HWY_EXPORT(along);
HWY_EXPORT(to_joints);
HWY_EXPORT(bend_to_joints);
HWY_EXPORT(kinetic);
HWY_EXPORT(rate);
HWY_EXPORT(pullback);
HWY_EXPORT(mass);
HWY_EXPORT(factor);
HWY_EXPORT(mass_pullback);

void features(int n, const JointType* types, const double* offset, const double* scale,
              const double* q, double* phi, double* slope, double* bend) {
  HWY_DYNAMIC_DISPATCH(features)(n, types, offset, scale, q, phi, slope, bend);
}
void along(int n, const JointType* types, const double* slope, const double* dq,
           double* direction) {
  HWY_DYNAMIC_DISPATCH(along)(n, types, slope, dq, direction);
}
void to_joints(int n, const JointType* types, const double* slope, const double* x_bar,
               double* out) {
  HWY_DYNAMIC_DISPATCH(to_joints)(n, types, slope, x_bar, out);
}
void bend_to_joints(int n, const JointType* types, const double* bend, const double* x_bar,
                    const double* direction, double* out) {
  HWY_DYNAMIC_DISPATCH(bend_to_joints)(n, types, bend, x_bar, direction, out);
}
void kinetic(int n, const double* l, const double* d, const double* v, double* w, double* pi,
             double* gl, double* p) {
  HWY_DYNAMIC_DISPATCH(kinetic)(n, l, d, v, w, pi, gl, p);
}
void rate(int n, const double* l, const double* lv, const double* d, const double* w,
          const double* pi, double* out) {
  HWY_DYNAMIC_DISPATCH(rate)(n, l, lv, d, w, pi, out);
}
void pullback(int n, const double* l, const double* lv, const double* d, const double* w,
              const double* pi, const Terms& terms, double* scratch, double* l_bar, double* lv_bar,
              double* v_bar) {
  HWY_DYNAMIC_DISPATCH(pullback)(n, l, lv, d, w, pi, terms, scratch, l_bar, lv_bar, v_bar);
}
void mass(int n, const double* l, const double* d, double* m) {
  HWY_DYNAMIC_DISPATCH(mass)(n, l, d, m);
}
void factor(int n, const double* l, const double* d, double* g) {
  HWY_DYNAMIC_DISPATCH(factor)(n, l, d, g);
}
void mass_pullback(int n, const double* l, const double* d, const double* weights, double* l_bar) {
  HWY_DYNAMIC_DISPATCH(mass_pullback)(n, l, d, weights, l_bar);
}

}  // namespace mechfit::smm_lanes
#endif
