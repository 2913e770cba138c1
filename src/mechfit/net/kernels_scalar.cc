#include <algorithm>
#include <cmath>

#include "mechfit/net/kernels.h"

// The oracle of the vectorised kernels: loops that can be read.
namespace mechfit {
namespace {

double slope(Activation act, double k) {
  switch (act) {
    case Activation::tanh:
      return 1.0 - k * k;
    case Activation::softplus:
      return k;
    case Activation::identity:
      break;
  }
  return 1.0;
}

double curvature(Activation act, double k) {
  switch (act) {
    case Activation::tanh:
      return -2.0 * k;
    case Activation::softplus:
      return 1.0 - k;
    case Activation::identity:
      break;
  }
  return 0.0;
}

double product(const double* w, int cols, int row, const double* x, int lane) {
  double sum = 0.0;
  for (int col = 0; col < cols; ++col) sum += w[row * cols + col] * x[col * kBlock + lane];
  return sum;
}

void affine(const double* w, const double* b, int rows, int cols, const double* x, double* y) {
  for (int row = 0; row < rows; ++row)
    for (int lane = 0; lane < kBlock; ++lane)
      y[row * kBlock + lane] = product(w, cols, row, x, lane) + (b ? b[row] : 0.0);
}

void activate(Activation act, int rows, double* a, double* k) {
  for (int i = 0; i < rows * kBlock; ++i) {
    if (act == Activation::tanh) a[i] = std::tanh(a[i]);
    if (act == Activation::softplus) {
      const double z = a[i], small = std::exp(-std::abs(z));
      k[i] = (z >= 0 ? 1.0 : small) / (1.0 + small);
      a[i] = std::fmax(z, 0.0) + std::log1p(small);
    }
  }
}

void slope_product(Activation act, const double* w, int rows, int cols, const double* x,
                   const double* k, const double* other, double* e, bool add, double* out) {
  for (int row = 0; row < rows; ++row)
    for (int lane = 0; lane < kBlock; ++lane) {
      const int i = row * kBlock + lane;
      const double g = product(w, cols, row, x, lane);
      out[i] = slope(act, k[i]) * g;
      if (other) e[i] = (add ? e[i] : 0.0) + curvature(act, k[i]) * g * other[i];
    }
}

void adjoint(Activation act, const double* w, int rows, int cols, const double* x, const double* k,
             bool e_valid, double* e) {
  for (int row = 0; row < rows; ++row)
    for (int lane = 0; lane < kBlock; ++lane) {
      const int i = row * kBlock + lane;
      const double g = x ? product(w, cols, row, x, lane) : 0.0;
      e[i] = slope(act, k[i]) * g + (e_valid ? e[i] : 0.0);
    }
}

void outer(int rows, int cols, const OuterStream* streams, int count, double*, bool add,
           double* gradient) {
  if (!add) std::fill_n(gradient, rows * padded(cols), 0.0);
  for (int s = 0; s < count; ++s)
    for (int row = 0; row < rows; ++row)
      for (int col = 0; col < cols; ++col)
        for (int lane = 0; lane < kBlock; ++lane)
          gradient[row * padded(cols) + col] +=
              streams[s].g[row * kBlock + lane] * streams[s].a[col * kBlock + lane];
}

void outer_lanes(int rows, int cols, const OuterStream* streams, int count, bool add,
                 double* lanes) {
  if (!add) std::fill_n(lanes, rows * cols * kSumLanes, 0.0);
  for (int s = 0; s < count; ++s)
    for (int row = 0; row < rows; ++row)
      for (int col = 0; col < cols; ++col)
        for (int lane = 0; lane < kBlock; ++lane)
          lanes[(row * cols + col) * kSumLanes + lane % kSumLanes] +=
              streams[s].g[row * kBlock + lane] * streams[s].a[col * kBlock + lane];
}

void sum_lanes(int rows, const double* g, bool add, double* lanes) {
  if (!add) std::fill_n(lanes, rows * kSumLanes, 0.0);
  for (int row = 0; row < rows; ++row)
    for (int lane = 0; lane < kBlock; ++lane)
      lanes[row * kSumLanes + lane % kSumLanes] += g[row * kBlock + lane];
}

void fold_lanes(int count, const double* lanes, double* out) {
  for (int i = 0; i < count; ++i) {
    double sum = 0.0;
    for (int lane = 0; lane < kSumLanes; ++lane) sum += lanes[i * kSumLanes + lane];
    out[i] += sum;
  }
}

void add(int count, const double* x, double* out) {
  for (int i = 0; i < count; ++i) out[i] += x[i];
}

void multiply(int rows, int cols, int inner, const double* a, bool a_transposed, const double* b,
              double* out) {
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col)
      for (int k = 0; k < inner; ++k)
        out[row * cols + col] +=
            (a_transposed ? a[k * rows + row] : a[row * inner + k]) * b[k * cols + col];
}

void multiply_transposed(int rows, int cols, int inner, const double* a, const double* b,
                         double* out) {
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col)
      for (int k = 0; k < inner; ++k)
        out[row * cols + col] += a[row * inner + k] * b[col * inner + k];
}

}  // namespace

const Kernels& scalar_kernels() {
  static const Kernels kernels = {"scalar",   affine, activate,    slope_product,
                                  adjoint,    outer,  outer_lanes, sum_lanes,
                                  fold_lanes, add,    multiply,    multiply_transposed};
  return kernels;
}

}  // namespace mechfit
