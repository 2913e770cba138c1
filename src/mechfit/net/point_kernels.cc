// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mechfit/net/point_kernels.cc"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "mechfit/net/tanh-inl.h"
// clang-format on

#include "mechfit/net/point_kernels.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace mechfit::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE V load(const double* p) { return hn::LoadU(D(), p); }
HWY_INLINE void store(V v, double* p) { hn::StoreU(v, D(), p); }

// y = W x (+ b) for kRows <= kLanes rows, and with kTangent ydot = W xdot: the columns are in
// lanes.
template <int kRows, bool kTangent>
HWY_INLINE void dots(const double* HWY_RESTRICT w, const double* b, int all_rows, int cols,
                     const double* HWY_RESTRICT x, const double* HWY_RESTRICT xdot,
                     double* HWY_RESTRICT y, double* HWY_RESTRICT ydot) {
  constexpr bool kTogether = kTangent && 2 * kRows <= kLanes;  // both in one register
  V sum[kLanes], rest[kLanes];
  V* sum_dot = kTogether ? sum + kRows : rest;
  HWY_UNROLL(8)
  for (int i = 0; i < kLanes; ++i) sum[i] = rest[i] = hn::Zero(D());
  for (int strip = 0; strip < cols; strip += kStrip, w += all_rows * kStrip)
    for (int k = 0; k < std::min(kStrip, cols - strip); k += kLanes) {
      const V value = load(x + strip + k), rate = kTangent ? load(xdot + strip + k) : value;
      HWY_UNROLL(8)
      for (int i = 0; i < kRows; ++i) {
        const V weights = load(w + i * kStrip + k);
        sum[i] = hn::MulAdd(weights, value, sum[i]);
        if (kTangent) sum_dot[i] = hn::MulAdd(weights, rate, sum_dot[i]);
      }
    }
  constexpr int kSums = kTogether ? 2 * kRows : kRows;
  const V total = sums_of_lanes<kSums>(sum);
  if constexpr (kRows == kLanes) {
    store(b ? hn::Add(total, load(b)) : total, y);
    if (kTangent) store(sums_of_lanes<kRows>(rest), ydot);
  } else {
    double buffer[2 * kLanes];
    store(total, buffer);
    if (kTangent && !kTogether) store(sums_of_lanes<kRows>(rest), buffer + kLanes);
    for (int i = 0; i < kRows; ++i) {
      y[i] = buffer[i] + (b ? b[i] : 0.0);
      if (kTangent) ydot[i] = buffer[(kTogether ? kRows : kLanes) + i];
    }
  }
}

// The same for the last `rows` rows of all.
template <bool kTangent>
HWY_INLINE void last_dots(const double* w, const double* b, int all_rows, int rows, int cols,
                          const double* x, const double* xdot, double* y, double* ydot) {
  auto some = [&]<int kRows>() MECHFIT_INLINED {
    dots<kRows, kTangent>(w, b, all_rows, cols, x, xdot, y, ydot);
    rows -= kRows, w += kRows * kStrip, y += kRows;
    if (b) b += kRows;
    if (kTangent) ydot += kRows;
  };
  while (rows >= kLanes) some.template operator()<kLanes>();
  if constexpr (kLanes > 4)
    if (rows >= 4) some.template operator()<4>();
  if constexpr (kLanes > 2) {
    if (rows == 3) some.template operator()<3>();
    if (rows == 2) some.template operator()<2>();
  }
  if (rows == 1) some.template operator()<1>();
}

// done(row, W x + b, W xdot), given kVectors registers each, of the rows from `row` on, all of one
// strip.
// kChains partial sums each hide the latency of a multiply-add.
template <int kVectors, int kChains, bool kTangent, class Done>
HWY_INLINE void rows_in_lanes(const PointStep& step, int row, int cols, const Done& done) {
  V sum[kChains][kVectors], rate[kChains][kVectors];
  HWY_UNROLL(4)
  for (int c = 0; c < kChains; ++c) HWY_UNROLL(8)
  for (int j = 0; j < kVectors; ++j) {
    sum[c][j] = step.b && c == 0 ? load(step.b + row + j * kLanes) : hn::Zero(D());
    rate[c][j] = hn::Zero(D());
  }
  const double* w = step.transposed + row / kStrip * cols * kStrip + row % kStrip;
  auto add_column = [&](int k, int c) MECHFIT_INLINED {
    const V x = set(step.x[k]), xdot = kTangent ? set(step.xdot[k]) : x;
    HWY_UNROLL(8)
    for (int j = 0; j < kVectors; ++j) {
      const V weights = load(w + j * kLanes);
      sum[c][j] = hn::MulAdd(x, weights, sum[c][j]);
      if (kTangent) rate[c][j] = hn::MulAdd(xdot, weights, rate[c][j]);
    }
    w += kStrip;
  };
  int k = 0;
  for (; k + kChains <= cols; k += kChains) {
    HWY_UNROLL(4)
    for (int c = 0; c < kChains; ++c) add_column(k + c, c);
  }
  for (; k < cols; ++k) add_column(k, 0);
  HWY_UNROLL(4)
  for (int c = 1; c < kChains; ++c) HWY_UNROLL(8)
  for (int j = 0; j < kVectors; ++j) {
    sum[0][j] = hn::Add(sum[0][j], sum[c][j]);
    rate[0][j] = hn::Add(rate[0][j], rate[c][j]);
  }
  done(row, sum[0], rate[0]);
}

// The same for all rows that fill registers; where the others begin.
template <bool kTangent, class Done>
HWY_INLINE int whole_registers(const PointStep& step, int rows, int cols, const Done& done) {
  static_assert(kStrip % (4 * kLanes) == 0);
  int row = 0;
  for (; row + 4 * kLanes <= rows; row += 4 * kLanes)
    rows_in_lanes<4, kTangent ? 1 : 2, kTangent>(step, row, cols, done);
  for (; row + kLanes <= rows; row += kLanes) rows_in_lanes<1, 4, kTangent>(step, row, cols, done);
  return row;
}

// y = W x + b and ydot = W xdot for the rows from `row` on.
template <bool kTangent>
HWY_INLINE void remaining(const PointStep& step, int row, int rows, int cols) {
  const double *w = step.w + row * kStrip, *x = step.x, *xdot = step.xdot;
  if (cols % kLanes == 0) {
    last_dots<kTangent>(w, step.b ? step.b + row : nullptr, rows, rows - row, cols, x, xdot,
                        step.y + row, kTangent ? step.ydot + row : nullptr);
    return;
  }
  for (; row < rows; ++row, w += kStrip) {
    double sum = step.b ? step.b[row] : 0.0, rate = 0.0;
    for (int k = 0; k < cols; ++k) {
      const double weight = w[k / kStrip * rows * kStrip + k % kStrip];
      sum += weight * x[k];
      if (kTangent) rate += weight * xdot[k];
    }
    step.y[row] = sum;
    if (kTangent) step.ydot[row] = rate;
  }
}

template <Activation kAct>
HWY_INLINE V times_slope(V k, V g) {
  return kAct == Activation::tanh ? hn::NegMulAdd(hn::Mul(g, k), k, g) : hn::Mul(g, k);
}

// Both passes read the same copy of a hidden layer's matrix, which the second one then finds in the
// cache: a small one by rows in lanes forwards and row by row backwards, which takes sums across
// lanes but only once where value and derivative are wanted; a large one the other way round, so
// that the first pass reads memory in order.
HWY_INLINE bool is_small(int rows, int cols) { return rows * cols <= 1024; }

using Function = PointStep::Function;

// kRows and kCols are the step's, or 0 where they are not known beforehand.
template <Function kFunction, Activation kAct, bool kTangent, int kRows, int kCols>
void run(const PointStep& step) {
  constexpr bool kTanh = kFunction == Function::activate && kAct == Activation::tanh;
  constexpr bool kSoftplus = kFunction == Function::activate && kAct == Activation::softplus;
  const int rows = kRows > 0 ? kRows : step.rows, cols = kCols > 0 ? kCols : step.cols;
  auto finish = [&]<int kVectors>(int row, V(&z)[kVectors], V(&zdot)[kVectors]) MECHFIT_INLINED {
    if constexpr (kTanh) tanh_in_place(z);
    HWY_UNROLL(8)
    for (int j = 0; j < kVectors; ++j, row += kLanes) {
      if (kFunction == Function::slope) z[j] = times_slope<kAct>(load(step.k + row), z[j]);
      store(z[j], step.y + row);
      if (kTangent) store(kTanh ? times_slope<kAct>(z[j], zdot[j]) : zdot[j], step.ydot + row);
    }
  };
  const bool by_rows = cols % kLanes == 0 && (kFunction == Function::slope) == is_small(rows, cols);
  const int whole = by_rows ? 0 : whole_registers<kTangent>(step, rows, cols, finish);
  if (whole < rows) {
    remaining<kTangent>(step, whole, rows, cols);
    for (int row = whole; kFunction != Function::none && row < rows; row += kLanes) {
      V z[] = {load(step.y + row)}, zdot[] = {kTangent ? load(step.ydot + row) : hn::Zero(D())};
      finish(row, z, zdot);
    }
  }
  if (!kSoftplus) return;
  simd_kernels().block.activate(kAct, (rows + kBlock - 1) / kBlock * kBlock, step.y, step.k);
  for (int row = 0; kTangent && row < rows; row += kLanes)
    store(times_slope<kAct>(load(step.k + row), load(step.ydot + row)), step.ydot + row);
}

inline constexpr int kCommon = 32;  // width of hidden layers that have code of their own

template <Function kFunction, Activation kAct, bool kTangent>
PointStep::Run choose_by_size(const PointStep& step) {
  if (step.rows == kCommon && step.cols == kCommon)
    return run<kFunction, kAct, kTangent, kCommon, kCommon>;
  if (step.rows == kCommon) return run<kFunction, kAct, kTangent, kCommon, 0>;
  if (step.cols == kCommon) return run<kFunction, kAct, kTangent, 0, kCommon>;
  return run<kFunction, kAct, kTangent, 0, 0>;
}

template <Function kFunction, Activation kAct>
PointStep::Run choose(const PointStep& step) {
  return step.xdot ? choose_by_size<kFunction, kAct, true>(step)
                   : choose_by_size<kFunction, kAct, false>(step);
}

}  // namespace

PointStep::Run point_run(const PointStep& step) {
  const bool tanh = step.activation == Activation::tanh;
  if (step.function == Function::activate)
    return tanh ? choose<Function::activate, Activation::tanh>(step)
                : choose<Function::activate, Activation::softplus>(step);
  if (step.function == Function::slope)
    return tanh ? choose<Function::slope, Activation::tanh>(step)
                : choose<Function::slope, Activation::softplus>(step);
  return choose<Function::none, Activation::identity>(step);
}

}  // namespace mechfit::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mechfit {

HWY_EXPORT(point_run);

void PointPlan::add(PointStep step) {
  step.run = HWY_DYNAMIC_DISPATCH(point_run)(step);
  steps_.push_back(step);
}

}  // namespace mechfit
#endif
