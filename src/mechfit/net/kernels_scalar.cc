#include <algorithm>
#include <cmath>

#include "mechfit/net/kernels.h"

// The oracle of the vectorised kernels: loops that can be read.
namespace mechfit {
namespace {

// Where row r, column c of a matrix with so many rows, or sample r, feature c of a layer, stands.
int at(int rows, int r, int c) { return (c / kStrip * rows + r) * kStrip + c % kStrip; }

template <class Real>
Real slope(Activation act, Real k) {
  return act == Activation::tanh ? 1 - k * k : k;
}
template <class Real>
Real curvature(Activation act, Real k) {
  return act == Activation::tanh ? -2 * k : 1 - k;
}

// f(column, where it stands, sum) of x W
template <class Real, class Function>
void product(Features<Real> x, int inner, const Real* w, int width, const Function& f) {
  for (int sample = 0; sample < kBlock; ++sample)
    for (int col = 0; col < width; ++col) {
      Real sum = 0;
      for (int k = 0; k < inner; ++k) sum += x.at(sample, k) * w[at(inner, k, col)];
      f(col, at(kBlock, sample, col), sum);
    }
}

template <class Real>
void activate(Activation act, int count, Real* a, Real* k) {
  for (int i = 0; i < count; ++i) {
    if (act == Activation::tanh) a[i] = std::tanh(a[i]);
    if (act == Activation::softplus) {
      const Real z = a[i], small = std::exp(-std::abs(z));
      k[i] = (z >= 0 ? 1 : small) / (1 + small);
      a[i] = std::max(z, Real{0}) + std::log1p(small);
    }
  }
}

template <class Real>
void layer(Activation act, Features<Real> x, int inner, const Real* w, const Real* b, int width,
           Real* a, Real* k) {
  product(x, inner, w, width, [&](int col, int i, Real z) {
    a[i] = z + b[col];
    activate(act, 1, a + i, k + i);
  });
}

template <class Real>
void slope_product(Activation act, Features<Real> x, int inner, const Real* w, int width,
                   const Real* k, const Real* other, Real* e, bool add, Real* out) {
  product(x, inner, w, width, [&](int, int i, Real g) {
    out[i] = slope(act, k[i]) * g;
    if (other) e[i] = (add ? e[i] : 0) + curvature(act, k[i]) * g * other[i];
  });
}

template <class Real>
void adjoint(Activation act, Features<Real> x, int inner, const Real* w, int width, const Real* k,
             bool e_valid, Real* e, Real* totals) {
  product(x, x.data ? inner : 0, w, width, [&](int col, int i, Real g) {
    e[i] = slope(act, k[i]) * g + (e_valid ? e[i] : 0);
    if (totals) totals[col] += e[i];
  });
}

template <class Real>
void dots(Features<Real> x, int inner, const Real* w, const Real* b, int count, Real* y) {
  for (int i = 0; i < count; ++i)
    for (int sample = 0; sample < kBlock; ++sample) {
      Real sum = b ? b[i] : 0;
      for (int k = 0; k < inner; ++k) sum += x.at(sample, k) * w[at(count, i, k)];
      y[i * kBlock + sample] = sum;
    }
}

template <class Real>
void outer(int rows, int cols, const OuterStream<Real>* streams, int count, bool add,
           Real* gradient) {
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col) {
      Real sum = add ? gradient[at(rows, row, col)] : 0;
      for (int s = 0; s < count; ++s)
        for (int sample = 0; sample < kBlock; ++sample)
          sum += streams[s].left.at(sample, row) * streams[s].right.at(sample, col);
      gradient[at(rows, row, col)] = sum;
    }
}

template <class Real>
void add_panel(const Real* panel, int rows, Real* totals) {
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

void narrow(int count, const double* x, float* out) {
  for (int i = 0; i < count; ++i) out[i] = static_cast<float>(x[i]);
}

void widen(int count, const float* x, bool add, double* out) {
  for (int i = 0; i < count; ++i) out[i] = (add ? out[i] : 0.0) + static_cast<double>(x[i]);
}

}  // namespace

template <class Real>
const BlockKernels<Real>& scalar_block_kernels() {
  static const BlockKernels<Real> kernels = {
      "scalar",      layer<Real>, activate<Real>, slope_product<Real>,
      adjoint<Real>, dots<Real>,  outer<Real>,    add_panel<Real>};
  return kernels;
}
template const BlockKernels<float>& scalar_block_kernels();
template const BlockKernels<double>& scalar_block_kernels();

const Kernels& scalar_kernels() {
  static const Kernels kernels = {scalar_block_kernels<double>(),
                                  copy,
                                  add,
                                  to_strips,
                                  transpose_to_strips,
                                  from_strips,
                                  multiply,
                                  multiply_transposed};
  return kernels;
}

const SingleKernels& scalar_single_kernels() {
  static const SingleKernels kernels = {scalar_block_kernels<float>(), narrow, widen};
  return kernels;
}

}  // namespace mechfit
