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

// A network at x, and where xdot is given also its derivative along xdot.
struct PointPass {
  PointLayers layers;
  const double *x, *xdot;
};

// The hidden layers of several networks, side by side: while one waits for its results the next one
// computes.
void point_forward(std::span<const PointPass> nets);
void point_output(const PointPass& net, double* y, double* ydot);  // after point_forward
void point_reverse(PointLayers net, const double* gy, double* x_reverse);

}  // namespace mechfit
