#include <algorithm>
#include <cmath>

#include "mechfit/net/kernels.h"

// The oracle of the vectorised kernels: loops that can be read.
namespace mechfit {
namespace {

double slope(Activation act, double k) { return act == Activation::tanh ? 1.0 - k * k : k; }
double curvature(Activation act, double k) { return act == Activation::tanh ? -2.0 * k : 1.0 - k; }

// Where row r, column c of a matrix with so many rows, or sample r, feature c of a layer, stands.
int at(int rows, int r, int c) { return (c / kStrip * rows + r) * kStrip + c % kStrip; }

// f(column, where it stands, sum) of x W
template <class Function>
void product(Features x, int inner, const double* w, int width, const Function& f) {
  for (int sample = 0; sample < kBlock; ++sample)
    for (int col = 0; col < width; ++col) {
      double sum = 0.0;
      for (int k = 0; k < inner; ++k) sum += x.at(sample, k) * w[at(inner, k, col)];
      f(col, at(kBlock, sample, col), sum);
    }
}

void activate(Activation act, int count, double* a, double* k) {
  for (int i = 0; i < count; ++i) {
    if (act == Activation::tanh) a[i] = std::tanh(a[i]);
    if (act == Activation::softplus) {
      const double z = a[i], small = std::exp(-std::abs(z));
      k[i] = (z >= 0 ? 1.0 : small) / (1.0 + small);
      a[i] = std::fmax(z, 0.0) + std::log1p(small);
    }
  }
}

void layer(Activation act, Features x, int inner, const double* w, const double* b, int width,
           double* a, double* k) {
  product(x, inner, w, width, [&](int col, int i, double z) {
    a[i] = z + b[col];
    activate(act, 1, a + i, k + i);
  });
}

void slope_product(Activation act, Features x, int inner, const double* w, int width,
                   const double* k, const double* other, double* e, bool add, double* out) {
  product(x, inner, w, width, [&](int, int i, double g) {
    out[i] = slope(act, k[i]) * g;
    if (other) e[i] = (add ? e[i] : 0.0) + curvature(act, k[i]) * g * other[i];
  });
}

void adjoint(Activation act, Features x, int inner, const double* w, int width, const double* k,
             bool e_valid, double* e, double* totals) {
  product(x, x.data ? inner : 0, w, width, [&](int col, int i, double g) {
    e[i] = slope(act, k[i]) * g + (e_valid ? e[i] : 0.0);
    if (totals) totals[col] += e[i];
  });
}

void dots(Features x, int inner, const double* w, const double* b, int count, double* y) {
  for (int i = 0; i < count; ++i)
    for (int sample = 0; sample < kBlock; ++sample) {
      double sum = b ? b[i] : 0.0;
      for (int k = 0; k < inner; ++k) sum += x.at(sample, k) * w[at(count, i, k)];
      y[i * kBlock + sample] = sum;
    }
}

void outer(int rows, int cols, const OuterStream* streams, int count, bool add, double* gradient) {
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col) {
      double sum = add ? gradient[at(rows, row, col)] : 0.0;
      for (int s = 0; s < count; ++s)
        for (int sample = 0; sample < kBlock; ++sample)
          sum += streams[s].left.at(sample, row) * streams[s].right.at(sample, col);
      gradient[at(rows, row, col)] = sum;
    }
}

void add_panel(const double* panel, int rows, double* totals) {
  for (int i = 0; i < rows; ++i)
    for (int sample = 0; sample < kBlock; ++sample) totals[i] += panel[i * kBlock + sample];
}

void copy(int count, const double* x, double* out) { std::copy_n(x, count, out); }

void add(int count, const double* x, double* out) {
  for (int i = 0; i < count; ++i) out[i] += x[i];
}

void to_strips(int rows, int cols, const double* m, double* strips) {
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col) strips[at(rows, row, col)] = m[row * cols + col];
}

void transpose_to_strips(int rows, int cols, const double* m, double* strips) {
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col) strips[at(cols, col, row)] = m[row * cols + col];
}

void from_strips(int rows, int cols, const double* strips, bool add, double* m) {
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col) {
      double& to = m[row * cols + col];
      to = (add ? to : 0.0) + strips[at(rows, row, col)];
    }
}

void multiply(int rows, int cols, int inner, const double* a, bool a_transposed, const double* b,
              bool add, double* out) {
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col) {
      double sum = add ? out[row * cols + col] : 0.0;
      for (int k = 0; k < inner; ++k)
        sum += (a_transposed ? a[k * rows + row] : a[row * inner + k]) * b[k * cols + col];
      out[row * cols + col] = sum;
    }
}

void multiply_transposed(int rows, int cols, int inner, const double* a, const double* b, bool add,
                         double* out) {
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col) {
      double sum = add ? out[row * cols + col] : 0.0;
      for (int k = 0; k < inner; ++k) sum += a[row * inner + k] * b[col * inner + k];
      out[row * cols + col] = sum;
    }
}

}  // namespace

const Kernels& scalar_kernels() {
  static const Kernels kernels = {"scalar",      layer,     activate,
                                  slope_product, adjoint,   dots,
                                  outer,         add_panel, copy,
                                  add,           to_strips, transpose_to_strips,
                                  from_strips,   multiply,  multiply_transposed};
  return kernels;
}

}  // namespace mechfit
