#pragma once

#include <span>

#include "mechfit/net/kernels.h"

// The passes of a network at one point, with rows instead of samples in lanes. Vectors of hidden
// layers are padded to a multiple of kBlock, so that Kernels::activate serves them too.
namespace mechfit {

struct PointLayer {
  const double *w, *transposed, *b;  // [rows][cols], [cols][rows], [rows]
  int rows, cols;
  Activation activation;
  double *a, *k, *delta, *adot;  // [rows], with a and k as in Kernels; none for the output layer
};

// Hidden layers, then the output layer.
using PointLayers = std::span<const PointLayer>;

// The hidden layers of several networks of one input, side by side: while one waits for its
// results the next one computes.
void point_forward(std::span<const PointLayers> nets, const double* x);
void point_output(PointLayers net, const double* x,
                  double* y);  // x for a net without hidden layers
void point_reverse(PointLayers net, const double* gy, double* x_reverse);
void point_tangent(PointLayers net, const double* xdot, double* ydot);

}  // namespace mechfit
