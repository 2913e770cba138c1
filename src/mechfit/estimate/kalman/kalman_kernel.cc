#include "mechfit/estimate/kalman/kalman_kernel.h"

#include <cmath>

// The states below are structs of vectors, which scalable vectors (SVE, RVV) cannot be part of.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mechfit/estimate/kalman/kalman_kernel.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace mechfit::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, kSeriesLanes>;
using V = hn::Vec<D>;
using Mask = hn::Mask<D>;
constexpr D d_{};

HWY_INLINE V set(double value) { return hn::Set(d_, value); }
HWY_INLINE V load(const double* p) { return hn::Load(d_, p); }

struct Vector3 {
  V a0, a1, a2;
};

// U diag(d) U', U unit upper triangular.
struct Factor {
  V u01, u02, u12;
  V d0, d1, d2;
};

struct Symmetric {
  V a00, a01, a02, a11, a12, a22;
};

HWY_INLINE Factor process_noise(const LaneParameters& p, V intensity, V h) {
  if (!p.white_jerk) {
    return {set(0),
            set(0),
            set(0),
            set(p.fixed_noise[0]),
            set(p.fixed_noise[1]),
            set(p.fixed_noise[2])};
  }
  const V h2 = h * h;
  const V lh = intensity * h;
  const V lh3 = lh * h2;
  const V half_h = set(0.5) * h;
  return {half_h, set(1.0 / 6) * h2, half_h, set(1.0 / 720) * lh3 * h2, set(1.0 / 12) * lh3, lh};
}

// A(h) x
HWY_INLINE Vector3 propagate(V h, const Vector3& x) {
  const V half_h = set(0.5) * h;
  return {x.a0 + h * (x.a1 + half_h * x.a2), x.a1 + h * x.a2, x.a2};
}

// P predicted, and the mixing that leads to it: Pp = U diag(d) U' with U^-1 [A U_f | U_Q] = [C |
// E], C and E unit upper triangular, so that C diag(d_f) C' + E diag(d_Q) E' = diag(d).
struct Prediction {
  Factor p, q;  // q: of the process noise
  V c01, c02, c12;
  V e01, e02, e12;
};

// The factor of A P A' + Q: weighted Gram-Schmidt on the rows of W = [A U_f | U_Q], weights
// (d_f, d_Q), from the last row up. Both halves of W are unit upper triangular; differences between
// them (s below) are formed before the weights come in, so huge ratios of d_f to d_Q do no harm.
HWY_INLINE Prediction predict(const LaneParameters& p, V intensity, V h, const Factor& f) {
  Prediction out;
  out.q = process_noise(p, intensity, h);
  const Factor& q = out.q;
  const V w01 = f.u01 + h;
  const V w02 = f.u02 + h * (f.u12 + set(0.5) * h);
  const V w12 = f.u12 + h;
  const V s01 = w01 - q.u01;
  const V s02 = w02 - q.u02;
  const V s12 = w12 - q.u12;

  out.p.d2 = f.d2 + q.d2;
  const V inverse2 = set(1) / out.p.d2;
  const V part_f = f.d2 * inverse2;
  const V part_q = q.d2 * inverse2;
  const V joint2 = f.d2 * part_q;  // 1 / (1/d_f + 1/d_Q)
  out.p.u12 = w12 * part_f + q.u12 * part_q;
  out.p.u02 = w02 * part_f + q.u02 * part_q;
  out.c12 = s12 * part_q;
  out.e12 = hn::Neg(s12 * part_f);

  const V s12_joint2 = s12 * joint2;
  out.p.d1 = (f.d1 + q.d1) + s12 * s12_joint2;
  const V inverse1 = set(1) / out.p.d1;
  out.p.u01 = (w01 * f.d1 + q.u01 * q.d1 + s02 * s12_joint2) * inverse1;
  out.c01 = (s01 * q.d1 + (w01 * s12 - s02) * s12_joint2) * inverse1;
  out.e01 = ((q.u01 * s12 - s02) * s12_joint2 - s01 * f.d1) * inverse1;

  const V rest = s02 - out.p.u01 * s12;
  out.c02 = rest * part_q;
  out.e02 = hn::Neg(rest * part_f);
  out.p.d0 =
      (f.d0 + q.d0) + (out.c01 * out.c01 * f.d1 + out.e01 * out.e01 * q.d1) + rest * rest * joint2;
  return out;
}

struct Update {
  Factor factor;
  Vector3 gain;
  V s;  // variance of the innovation
};

// Bierman's update by an observation of the first component with variance r.
HWY_INLINE Update observe(V r, const Factor& f) {
  const V v1 = f.d1 * f.u01;
  const V v2 = f.d2 * f.u02;
  const V s0 = r + f.d0;
  const V s1 = s0 + v1 * f.u01;
  const V s2 = s1 + v2 * f.u02;
  const V inverse0 = set(1) / s0;
  const V inverse1 = set(1) / s1;
  const V inverse2 = set(1) / s2;
  Update out;
  out.factor.d0 = f.d0 * r * inverse0;
  out.factor.d1 = f.d1 * s0 * inverse1;
  out.factor.d2 = f.d2 * s1 * inverse2;
  // u01 - d0 u01 / s0 without the difference; gains so far b = (d0 + u01 v1, v1).
  out.factor.u01 = f.u01 * r * inverse0;
  const V b0 = f.d0 + f.u01 * v1;
  out.factor.u02 = f.u02 * r * inverse1;
  out.factor.u12 = f.u12 - v1 * f.u02 * inverse1;
  out.gain = {(b0 + f.u02 * v2) * inverse2, (v1 + f.u12 * v2) * inverse2, v2 * inverse2};
  out.s = s2;
  return out;
}

HWY_INLINE V choose(Mask mask, V yes, V no) { return hn::IfThenElse(mask, yes, no); }

void filter_lanes(const LaneParameters& p, const SampleBlock& block, int lane, FilterState* state,
                  double* filtered) {
  auto row = [&](int r) { return state->state[r] + lane; };
  Vector3 x{load(row(0)), load(row(1)), load(row(2))};
  Factor f{load(row(3)), load(row(4)), load(row(5)), load(row(6)), load(row(7)), load(row(8))};
  const V r = load(p.r + lane);
  const V intensity = load(p.intensity + lane);
  const V uncounted = set(p.uncounted);
  const V one = set(1);
  V squares = load(state->squares + lane);
  V observed = load(state->observed + lane);
  V product = one;  // of the S since the last logarithm

  alignas(kAlignment) double factors[kSeriesLanes];
  const auto take_logarithms = [&] {
    hn::Store(product, d_, factors);
    for (int i = 0; i < static_cast<int>(hn::MaxLanes(d_)); ++i) {
      state->log_det[lane + i] += std::log(factors[i]);
    }
    product = one;
  };

  for (int k = 0; k < block.count; ++k) {
    if (block.begin + k > 0) {
      const V h = load(block.h + k * kSeriesLanes + lane);
      x = propagate(h, x);
      f = predict(p, intensity, h, f).p;
    }
    const V y = load(block.y + k * kSeriesLanes + lane);
    const Mask seen = y == y;
    const Update update = observe(r, f);
    const V e = hn::IfThenElseZero(seen, y - x.a0);
    x = {x.a0 + update.gain.a0 * e, x.a1 + update.gain.a1 * e, x.a2 + update.gain.a2 * e};
    f.u01 = choose(seen, update.factor.u01, f.u01);
    f.u02 = choose(seen, update.factor.u02, f.u02);
    f.u12 = choose(seen, update.factor.u12, f.u12);
    f.d0 = choose(seen, update.factor.d0, f.d0);
    f.d1 = choose(seen, update.factor.d1, f.d1);
    f.d2 = choose(seen, update.factor.d2, f.d2);

    const Mask counts = hn::And(seen, observed >= uncounted);
    squares = squares + hn::IfThenElseZero(counts, e * e / update.s);
    product = product * choose(counts, update.s, one);
    observed = observed + hn::IfThenElseZero(seen, one);
    if (k % 4 == 3) take_logarithms();

    if (filtered) {
      double* out = filtered + k * kFilterRows * kSeriesLanes + lane;
      const V rows[kFilterRows] = {x.a0, x.a1, x.a2, f.u01, f.u02, f.u12, f.d0, f.d1, f.d2};
      for (int i = 0; i < kFilterRows; ++i) hn::Store(rows[i], d_, out + i * kSeriesLanes);
    }
  }
  take_logarithms();
  const V rows[kFilterRows] = {x.a0, x.a1, x.a2, f.u01, f.u02, f.u12, f.d0, f.d1, f.d2};
  for (int i = 0; i < kFilterRows; ++i) hn::Store(rows[i], d_, row(i));
  hn::Store(squares, d_, state->squares + lane);
  hn::Store(observed, d_, state->observed + lane);
}

struct Smoothed {
  Vector3 x;
  Symmetric p;
};

// U x
HWY_INLINE Vector3 times(const Factor& f, const Vector3& x) {
  return {x.a0 + f.u01 * x.a1 + f.u02 * x.a2, x.a1 + f.u12 * x.a2, x.a2};
}

// U^-1 x
HWY_INLINE Vector3 solve(const Factor& f, const Vector3& x) {
  const V x1 = x.a1 - f.u12 * x.a2;
  return {x.a0 - f.u01 * x1 - f.u02 * x.a2, x1, x.a2};
}

// T S T' for T given by its action on a column.
template <class Transform>
HWY_INLINE Symmetric congruence(const Symmetric& s, const Transform& transform) {
  const Vector3 c0 = transform(Vector3{s.a00, s.a01, s.a02});
  const Vector3 c1 = transform(Vector3{s.a01, s.a11, s.a12});
  const Vector3 c2 = transform(Vector3{s.a02, s.a12, s.a22});
  const Vector3 r0 = transform(Vector3{c0.a0, c1.a0, c2.a0});
  const Vector3 r1 = transform(Vector3{c0.a1, c1.a1, c2.a1});
  const Vector3 r2 = transform(Vector3{c0.a2, c1.a2, c2.a2});
  return {r0.a0, r0.a1, r0.a2, r1.a1, r1.a2, r2.a2};
}

HWY_INLINE V dot(const Vector3& a, const Vector3& b) {
  return a.a0 * b.a0 + (a.a1 * b.a1 + a.a2 * b.a2);
}

// T diag(d) T', T by its rows.
HWY_INLINE Symmetric weighted(const Vector3& t0, const Vector3& t1, const Vector3& t2,
                              const Factor& f) {
  const Vector3 w0{t0.a0 * f.d0, t0.a1 * f.d1, t0.a2 * f.d2};
  const Vector3 w1{t1.a0 * f.d0, t1.a1 * f.d1, t1.a2 * f.d2};
  const Vector3 w2{t2.a0 * f.d0, t2.a1 * f.d1, t2.a2 * f.d2};
  return {dot(t0, w0), dot(t0, w1), dot(t0, w2), dot(t1, w1), dot(t1, w2), dot(t2, w2)};
}

HWY_INLINE Symmetric covariance(const Factor& f) {
  const V a12 = f.u12 * f.d2;
  const V a02 = f.u02 * f.d2;
  const V v01 = f.u01 * f.d1;
  return {f.d0 + f.u01 * v01 + f.u02 * a02, v01 + f.u02 * a12, a02, f.d1 + f.u12 * a12, a12, f.d2};
}

// From (x', P') smoothed at the next sample to this one, filtered (x, U_f d_f U_f') here. The
// smoother's gain is P A' Pp^-1 = U_f G U^-1 with G = diag(d_f) C' diag(d)^-1 lower triangular, so
//   xs = x + U_f G U^-1 (x' - A x)
//   Ps = U_f [ (I - G C) d_f (I - G C)' + (G E) d_Q (G E)' + G (U^-1 P' U^-T) G' ] U_f'
// a sum of congruences: flat priors and long gaps do not turn it negative.
HWY_INLINE Smoothed step_back(const LaneParameters& p, V intensity, V h, const Vector3& x,
                              const Factor& f, const Smoothed& next) {
  const Prediction m = predict(p, intensity, h, f);
  const V one = set(1);
  const V inverse0 = one / m.p.d0;
  const V inverse1 = one / m.p.d1;
  const V g00 = f.d0 * inverse0;
  const V g10 = f.d1 * m.c01 * inverse0;
  const V g20 = f.d2 * m.c02 * inverse0;
  const V g11 = f.d1 * inverse1;
  const V g21 = f.d2 * m.c12 * inverse1;
  const V g22 = f.d2 / m.p.d2;
  const auto gain = [&](const Vector3& a) {
    return Vector3{g00 * a.a0, g10 * a.a0 + g11 * a.a1, g20 * a.a0 + (g21 * a.a1 + g22 * a.a2)};
  };

  const Vector3 xp = propagate(h, x);
  const Vector3 e{next.x.a0 - xp.a0, next.x.a1 - xp.a1, next.x.a2 - xp.a2};
  const Vector3 correction = times(f, gain(solve(m.p, e)));
  Smoothed out;
  out.x = {x.a0 + correction.a0, x.a1 + correction.a1, x.a2 + correction.a2};

  const Symmetric from_f = weighted(
      {one - g00, hn::Neg(g00 * m.c01), hn::Neg(g00 * m.c02)},
      {hn::Neg(g10), one - (g10 * m.c01 + g11), hn::Neg(g10 * m.c02 + g11 * m.c12)},
      {hn::Neg(g20), hn::Neg(g20 * m.c01 + g21), one - (g20 * m.c02 + g21 * m.c12 + g22)}, f);
  const Symmetric from_q =
      weighted({g00, g00 * m.e01, g00 * m.e02}, {g10, g10 * m.e01 + g11, g10 * m.e02 + g11 * m.e12},
               {g20, g20 * m.e01 + g21, g20 * m.e02 + g21 * m.e12 + g22}, m.q);
  const Symmetric from_next =
      congruence(congruence(next.p, [&](const Vector3& a) { return solve(m.p, a); }), gain);
  const Symmetric sum{
      from_f.a00 + from_q.a00 + from_next.a00, from_f.a01 + from_q.a01 + from_next.a01,
      from_f.a02 + from_q.a02 + from_next.a02, from_f.a11 + from_q.a11 + from_next.a11,
      from_f.a12 + from_q.a12 + from_next.a12, from_f.a22 + from_q.a22 + from_next.a22};
  out.p = congruence(sum, [&](const Vector3& a) { return times(f, a); });
  return out;
}

void smooth_lanes(const LaneParameters& p, const SampleBlock& block, int lane,
                  const double* filtered, SmoothState* state, double* smoothed) {
  auto row = [&](int r) { return state->state[r] + lane; };
  Smoothed s{{load(row(0)), load(row(1)), load(row(2))},
             {load(row(3)), load(row(4)), load(row(5)), load(row(6)), load(row(7)), load(row(8))}};
  V h = load(state->step + lane);
  V residual = load(state->residual + lane);
  const V intensity = load(p.intensity + lane);
  const V last = load(p.last + lane);

  for (int k = block.count - 1; k >= 0; --k) {
    const double* in = filtered + k * kFilterRows * kSeriesLanes + lane;
    auto filtered_row = [&](int i) { return load(in + i * kSeriesLanes); };
    const Vector3 x{filtered_row(0), filtered_row(1), filtered_row(2)};
    const Factor f{filtered_row(3), filtered_row(4), filtered_row(5),
                   filtered_row(6), filtered_row(7), filtered_row(8)};
    const Smoothed back = step_back(p, intensity, h, x, f, s);
    const Symmetric end = covariance(f);
    const Mask inside = set(block.begin + k) < last;
    s.x = {choose(inside, back.x.a0, x.a0), choose(inside, back.x.a1, x.a1),
           choose(inside, back.x.a2, x.a2)};
    s.p = {choose(inside, back.p.a00, end.a00), choose(inside, back.p.a01, end.a01),
           choose(inside, back.p.a02, end.a02), choose(inside, back.p.a11, end.a11),
           choose(inside, back.p.a12, end.a12), choose(inside, back.p.a22, end.a22)};
    h = load(block.h + k * kSeriesLanes + lane);

    const V y = load(block.y + k * kSeriesLanes + lane);
    const V e = y - s.x.a0;
    residual = residual + hn::IfThenElseZero(y == y, e * e + s.p.a00);
    if (smoothed) {
      double* out = smoothed + k * kSmoothRows * kSeriesLanes + lane;
      const V rows[kSmoothRows] = {s.x.a0,  s.x.a1,  s.x.a2,  s.p.a00, s.p.a01,
                                   s.p.a02, s.p.a11, s.p.a12, s.p.a22};
      for (int i = 0; i < kSmoothRows; ++i) hn::Store(rows[i], d_, out + i * kSeriesLanes);
    }
  }
  const V rows[kSmoothRows] = {s.x.a0,  s.x.a1,  s.x.a2,  s.p.a00, s.p.a01,
                               s.p.a02, s.p.a11, s.p.a12, s.p.a22};
  for (int i = 0; i < kSmoothRows; ++i) hn::Store(rows[i], d_, row(i));
  hn::Store(h, d_, state->step + lane);
  hn::Store(residual, d_, state->residual + lane);
}

void filter_all(const LaneParameters& p, const SampleBlock& block, FilterState* state,
                double* filtered) {
  for (int lane = 0; lane < p.lanes; lane += static_cast<int>(hn::MaxLanes(d_))) {
    filter_lanes(p, block, lane, state, filtered);
  }
}

void smooth_all(const LaneParameters& p, const SampleBlock& block, const double* filtered,
                SmoothState* state, double* smoothed) {
  for (int lane = 0; lane < p.lanes; lane += static_cast<int>(hn::MaxLanes(d_))) {
    smooth_lanes(p, block, lane, filtered, state, smoothed);
  }
}

}  // namespace mechfit::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mechfit {

HWY_EXPORT(filter_all);
HWY_EXPORT(smooth_all);

void filter_block(const LaneParameters& parameters, const SampleBlock& block, FilterState* state,
                  double* filtered) {
  HWY_DYNAMIC_DISPATCH(filter_all)(parameters, block, state, filtered);
}

void smooth_block(const LaneParameters& parameters, const SampleBlock& block,
                  const double* filtered, SmoothState* state, double* smoothed) {
  HWY_DYNAMIC_DISPATCH(smooth_all)(parameters, block, filtered, state, smoothed);
}

}  // namespace mechfit
#endif
