#include "mechfit/estimate/kalman/likelihood_table.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"

namespace mechfit {
namespace {

// Resolution of log R and log10(lambda): finer than the rounding that follows
// (white_jerk_models.cc). 1e-3 changes the smoothed accelerations in the fourth digit, 1e-7 not at
// all.
constexpr double kTolerance = 1e-5;
// Grid of log R on which the search begins. 0.2 and 1 find the same maximum.
constexpr double kStep = 0.5;

// The cubic through the four nodes around x.
double interpolate(const LikelihoodTable& table, const std::vector<double>& values, double x) {
  const double position = (x - table.start) / table.step;
  const int first = std::clamp(static_cast<int>(std::floor(position)) - 1, 0, table.nodes() - 4);
  const double s = position - first;
  const double* v = values.data() + first;
  return v[0] * (s - 1) * (s - 2) * (s - 3) / -6 + v[1] * s * (s - 2) * (s - 3) / 2 +
         v[2] * s * (s - 1) * (s - 3) / -2 + v[3] * s * (s - 1) * (s - 2) / 6;
}

struct Point {
  double x = 0, value = 0;
};

// Golden section for the maximum of f in [lo, hi].
template <class F>
Point golden_section(const F& f, double lo, double hi, double tolerance) {
  constexpr double kRatio = std::numbers::phi - 1;
  Point a{hi - kRatio * (hi - lo), 0}, b{lo + kRatio * (hi - lo), 0};
  a.value = f(a.x);
  b.value = f(b.x);
  while (hi - lo > tolerance) {
    if (a.value >= b.value) {
      hi = b.x;
      b = a;
      a.x = hi - kRatio * (hi - lo);
      a.value = f(a.x);
    } else {
      lo = a.x;
      a = b;
      b.x = lo + kRatio * (hi - lo);
      b.value = f(b.x);
    }
  }
  return a.value >= b.value ? a : b;
}

double minus_half(double log_det, double counted, double log_r, double log_squares) {
  return -0.5 * (log_det + counted * log_r + std::exp(log_squares - log_r));
}

// The best node of a table for a given R.
Point best_node(const LikelihoodTable& table, double log_r) {
  Point best{0, -kInfinity};
  for (int i = 0; i < table.nodes(); ++i) {
    const double value = minus_half(table.log_det[i], table.counted, log_r, table.log_squares[i]);
    if (value > best.value) best = {table.node(i), value};
  }
  return best;
}

// The best lambda of a table for a given R.
Point best_between(const LikelihoodTable& table, double log_r) {
  const Point node = best_node(table, log_r);
  const double lo = std::max(node.x - table.step, table.start);
  const double hi = std::min(node.x + table.step, table.node(table.nodes() - 1));
  const auto value = [&](double x) {
    return minus_half(interpolate(table, table.log_det, x), table.counted, log_r,
                      interpolate(table, table.log_squares, x));
  };
  const Point inside = golden_section(value, lo, hi, kTolerance);
  return inside.value > node.value ? inside : node;
}

}  // namespace

LikelihoodMaximum maximize_likelihood(std::span<const LikelihoodTable> tables) {
  MECHFIT_CHECK(!tables.empty());
  // Given the ratios, R is a weighted mean of squares / counted, so it lies between the extremes.
  double lo = kInfinity, hi = -lo;
  for (const LikelihoodTable& table : tables) {
    MECHFIT_CHECK(table.nodes() >= 4 && table.counted > 0);
    for (double value : table.log_squares) {
      lo = std::min(lo, value - std::log(table.counted));
      hi = std::max(hi, value - std::log(table.counted));
    }
  }
  double best = lo, best_value = -kInfinity;
  for (int i = 0; lo + kStep * (i - 1) < hi; ++i) {
    double sum = 0;
    for (const LikelihoodTable& table : tables) sum += best_node(table, lo + kStep * i).value;
    if (sum > best_value) {
      best_value = sum;
      best = lo + kStep * i;
    }
  }
  const auto profile = [&](double log_r) {
    double sum = 0;
    for (const LikelihoodTable& table : tables) sum += best_between(table, log_r).value;
    return sum;
  };
  LikelihoodMaximum maximum;
  maximum.log_r = golden_section(profile, best - 2 * kStep, best + 2 * kStep, kTolerance).x;
  for (const LikelihoodTable& table : tables) {
    maximum.x.push_back(best_between(table, maximum.log_r).x);
  }
  return maximum;
}

}  // namespace mechfit
