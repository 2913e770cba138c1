#pragma once

#include "mechfit/net/kernels.h"

// The dense algebra of a network at one point, with rows instead of samples in lanes. Vectors of
// hidden layers are padded to a multiple of kBlock, so that Kernels::activate serves them too.
namespace mechfit {

// y = W x + b (b may be null), given W [rows][cols] and its transpose [cols][rows]
void point_affine(const double* w, const double* transposed, const double* b, int rows, int cols,
                  const double* x, double* y);

// out = act' (W x), with k as in Kernels
void point_slope_product(Activation act, const double* w, const double* transposed, int rows,
                         int cols, const double* x, const double* k, double* out);

}  // namespace mechfit
