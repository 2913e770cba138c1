#pragma once

#include "mechfit/base/batch.h"
#include "mechfit/base/names.h"

// The dense algebra of a network on one block of samples.
//
// Outside a network samples are in lanes: panels [features][kBlock]. Inside, features are, so that
// neither products nor weight gradients need a transpose: the numbers of a hidden layer stand in
// strips of kStrip features, [strips][kBlock][kStrip], and a matrix in strips of columns,
// [strips][rows][kStrip]. Columns that a strip has too many are zero in matrices; in layers they
// hold numbers that meet nothing but those zeros, finite where the sample is.
//
//   W      weights that a product multiplies from the right, [inner][width] in strips
//   a, z   value after and before the activation:  a = act(z)
//   k      what the slope is computed from: a itself for tanh, the logistic function of z for
//          softplus
//            tanh       act' = 1 - k^2,  act''/act' = -2 k
//            softplus   act' = k,        act''/act' = 1 - k
namespace mechfit {

enum class Activation { tanh, softplus, identity };
template <>
inline constexpr auto kNames<Activation> = names<Activation>({{Activation::tanh, "tanh"},
                                                              {Activation::softplus, "softplus"},
                                                              {Activation::identity, "identity"}});

inline constexpr int kStrip = 32;

inline constexpr int strips(int features) { return (features + kStrip - 1) / kStrip; }
inline constexpr int in_strips(int rows, int cols) { return strips(cols) * rows * kStrip; }

// Features of a block's samples, in a panel or in strips.
template <class Real>
struct Features {
  const Real* data = nullptr;
  bool panel = false;

  Real at(int sample, int feature) const {
    return panel ? data[feature * kBlock + sample]
                 : data[(feature / kStrip * kBlock + sample) * kStrip + feature % kStrip];
  }
};

// One stream of a weight gradient: sum over samples of left right'.
template <class Real>
struct OuterStream {
  Features<Real> left, right;
};

// What networks compute of a block, in numbers of 64 or 32 bits. Of each kind two tables exist, one
// vectorised and chosen at run time for the machine, and one plain scalar that is its oracle.
template <class Real>
struct BlockKernels {
  const char* name;

  // a = act(x W + b); k is written for softplus only
  void (*layer)(Activation act, Features<Real> x, int inner, const Real* w, const Real* b,
                int width, Real* a, Real* k);

  // The same of `count` numbers z, in place
  void (*activate)(Activation act, int count, Real* a, Real* k);

  // g = x W,  out = act' g;  with other: e (+)= (act''/act') g other.
  //   reverse   x = delta of the next layer, out = delta = dS/dz, other = tangent of a
  //   tangent   x = tangent of the layer's input, g = tangent of z, out = tangent of a,
  //             other = delta
  void (*slope_product)(Activation act, Features<Real> x, int inner, const Real* w, int width,
                        const Real* k, const Real* other, Real* e, bool add, Real* out);

  // zbar = act' (x W) + e, in place of e; no x: zbar = e; e_valid false: no e. Its sum over the
  // samples is added to totals [width, in whole strips] unless that is null.
  void (*adjoint)(Activation act, Features<Real> x, int inner, const Real* w, int width,
                  const Real* k, bool e_valid, Real* e, Real* totals);

  // y = x W' + b, a panel, with W [count][inner] in strips of inner (b may be null)
  void (*dots)(Features<Real> x, int inner, const Real* w, const Real* b, int count, Real* y);

  // gradient [rows][cols] in strips = sum over streams and samples of left right', added to what is
  // there where `add`. Either all streams have left in panels or none has.
  void (*outer)(int rows, int cols, const OuterStream<Real>* streams, int count, bool add,
                Real* gradient);

  // totals [rows] += sum over the samples of a panel
  void (*add_panel)(const Real* panel, int rows, Real* totals);
};

// Of networks in double, with what parameters and their gradients need.
struct Kernels {
  BlockKernels<double> block;

  // out[i] = x[i], by registers: std::copy leaves large arrays to an instruction of the processor's
  // own, with which a step of wide networks takes 1 % longer.
  void (*copy)(int count, const double* x, double* out);
  // out[i] += x[i]
  void (*add)(int count, const double* x, double* out);

  // A matrix [rows][cols] between row-major and strips. to_strips and its transpose, [cols][rows]
  // in strips, leave the rest of the last strip alone; from_strips adds to what is there where
  // `add`.
  void (*to_strips)(int rows, int cols, const double* m, double* strips);
  void (*transpose_to_strips)(int rows, int cols, const double* m, double* strips);
  void (*from_strips)(int rows, int cols, const double* strips, bool add, double* m);

  // Row-major matrices, for merging layers: out [rows][cols] = A B, added to what is there where
  // `add`, with B [inner][cols]; A is [rows][inner], or stored transposed as [inner][rows].
  void (*multiply)(int rows, int cols, int inner, const double* a, bool a_transposed,
                   const double* b, bool add, double* out);
  // out [rows][cols] = A B' with A [rows][inner], B [cols][inner], or added likewise
  void (*multiply_transposed)(int rows, int cols, int inner, const double* a, const double* b,
                              bool add, double* out);
};

// Of networks in float, with the way there and back.
struct SingleKernels {
  BlockKernels<float> block;

  // out[i] = x[i], rounded
  void (*narrow)(int count, const double* x, float* out);
  // out[i] = x[i], added to what is there where `add`
  void (*widen)(int count, const float* x, bool add, double* out);
};

const Kernels& simd_kernels();
const Kernels& scalar_kernels();
const SingleKernels& simd_single_kernels();
const SingleKernels& scalar_single_kernels();
template <class Real>
const BlockKernels<Real>& scalar_block_kernels();

// y[i] = tanh(x[i]), vectorised, within 4 ulp over the whole range; NaN stays NaN.
void vector_tanh(const double* x, int count, double* y);

}  // namespace mechfit
