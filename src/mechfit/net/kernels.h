#pragma once

#include "mechfit/base/batch.h"

// The dense algebra of a network on one block: panels [rows][kBlock], samples in lanes.
//
//   W      weights [rows][cols], row-major
//   a, z   value after and before the activation:  a = act(z)
//   k      what the slope is computed from: a itself for tanh, the logistic function of z for
//   softplus
//            tanh       act' = 1 - k^2,  act''/act' = -2 k
//            softplus   act' = k,        act''/act' = 1 - k
namespace mechfit {

enum class Activation { tanh, softplus, identity };

inline constexpr int kSumLanes = 8;  // lanes of a sum over samples; columns are padded to it

inline constexpr int padded(int cols) { return (cols + kSumLanes - 1) / kSumLanes * kSumLanes; }

// One stream of a weight gradient: sum over samples of g a'.
struct OuterStream {
  const double* g;  // [rows][kBlock]
  const double* a;  // [cols][kBlock]
};

// Two tables exist, one vectorised and chosen at run time for the machine, and one plain scalar
// that is its oracle.
struct Kernels {
  const char* name;

  // y = W x + b (b may be null)
  void (*affine)(const double* w, const double* b, int rows, int cols, const double* x, double* y);

  // a = act(z) in place; k is written for softplus only
  void (*activate)(Activation act, int rows, double* a, double* k);

  // g = W x,  out = act' g;  with other: e (+)= (act''/act') g other.
  //   reverse   W its transpose, x = delta of the next layer, out = delta = dS/dz, other = tangent
  //   of a tangent   x = tangent of the layer's input, g = tangent of z, out = tangent of a, other
  //   = delta
  void (*slope_product)(Activation act, const double* w, int rows, int cols, const double* x,
                        const double* k, const double* other, double* e, bool add, double* out);

  // zbar = act' (W x) + e, in place of e; x null: zbar = e; e_valid false: no e
  void (*adjoint)(Activation act, const double* w, int rows, int cols, const double* x,
                  const double* k, bool e_valid, double* e);

  // gradient [rows][padded(cols)] = sum over streams and samples of g a', added to what is there
  // where `add`; scratch [kBlock * padded(cols)] each stream
  void (*outer)(int rows, int cols, const OuterStream* streams, int count, double* scratch,
                bool add, double* gradient);

  // The same with the sum over samples left in lanes, for small matrices: lanes [rows *
  // cols][kSumLanes]
  void (*outer_lanes)(int rows, int cols, const OuterStream* streams, int count, bool add,
                      double* lanes);

  // lanes [rows][kSumLanes] = g summed over the samples of equal lane, added where `add`
  void (*sum_lanes)(int rows, const double* g, bool add, double* lanes);

  // out[i] += the sum of lanes[i][kSumLanes]
  void (*fold_lanes)(int count, const double* lanes, double* out);

  // out[i] += x[i]
  void (*add)(int count, const double* x, double* out);

  // Row-major matrices, for merging layers: out [rows][cols] += A B with B [inner][cols]; A is
  // [rows][inner], or stored transposed as [inner][rows].
  void (*multiply)(int rows, int cols, int inner, const double* a, bool a_transposed,
                   const double* b, double* out);
  // out [rows][cols] += A B' with A [rows][inner], B [cols][inner]
  void (*multiply_transposed)(int rows, int cols, int inner, const double* a, const double* b,
                              double* out);
};

const Kernels& simd_kernels();
const Kernels& scalar_kernels();

// y[i] = tanh(x[i]), vectorised, within 4 ulp over the whole range; NaN stays NaN.
void vector_tanh(const double* x, int count, double* y);

}  // namespace mechfit
