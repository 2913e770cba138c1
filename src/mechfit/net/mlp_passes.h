#pragma once

#include <type_traits>
#include <vector>

#include "mechfit/base/batch.h"
#include "mechfit/net/kernels.h"

namespace mechfit {

// The passes of mlp.h through the layers of a merged network, inside of which numbers have 64 or 32
// bits. Panels [rows][kBlock], samples in lanes, are double, parameters and gradients too.
template <class Real>
class MlpPasses {
 public:
  static constexpr int kStreams = 2;
  using Numbers = std::vector<Real, AlignedAllocator<Real>>;

  struct Layer {
    int in, out;
    Activation activation;
    bool transposed;            // its weight gradient is gathered as [in][out]
    Numbers forward, backward;  // weights [in][out] and [out][in], in strips
    Numbers bias;               // [out], whole strips
  };

  struct Workspace {
    struct Layer {
      Numbers a, k, zbar;  // [out] in strips, like
      Numbers delta[kStreams], adot[kStreams];
      Numbers gradient, bias_gradient;  // accumulators
    };
    std::vector<Layer> layers;  // the output layer has only accumulators
    // Panels in numbers of this kind: the caller's own, or copies
    const Real *x = nullptr, *xdot[kStreams] = {}, *gy[kStreams] = {};
    Numbers x_copy, xdot_copy[kStreams], gy_copy[kStreams], ybar_copy, y_copy;
    bool curvature = false;  // zbar already holds curvature terms
    bool gathered = false;   // accumulators count; else they begin with the next adjoint
    AlignedVector panels;    // of gradient_lanes
  };

  // Of the passes' own numbers, and of what has to do with parameters
  using OwnKernels = std::conditional_t<std::is_same_v<Real, double>, Kernels, SingleKernels>;
  MlpPasses(const OwnKernels& kernels, const Kernels& matrices)
      : kernels_(&kernels), matrices_(&matrices) {}
  void add_layer(int in, int out, Activation activation, bool last);
  const std::vector<Layer>& layers() const { return layers_; }
  void set_weights(int layer, const double* w, const double* b);  // [out][in], [out]
  Workspace make_workspace() const;

  // Results go to the last argument; where that may be null it is not computed.
  void forward(const double* x, Workspace& w) const;
  void output(Workspace& w, double* y) const;
  void reverse(int stream, const double* gy, bool curvature, Workspace& w, double* x_reverse) const;
  void tangent(int stream, const double* xdot, bool curvature, Workspace& w,
               double* ydot) const;  // or null
  void adjoint(const double* ybar, const bool (&use)[kStreams], bool theta, Workspace& w,
               double* x_adjoint) const;  // or null
  void gradient_lanes(const double* ybar, const bool (&use)[kStreams], Workspace& w,
                      double* lanes) const;
  void add_gradient(const Workspace& w, double* merged, bool add) const;

 private:
  using Values = Features<Real>;

  static Numbers make_strips(int rows, int cols);
  void narrow_strips(int rows, int cols, Numbers& out) const;
  const Real* own(const double* panel, int rows, Numbers& copy) const;
  const Real* slope(int layer, const Workspace& w) const;
  // What enters a layer, and the adjoint of what leaves it before the activation; the same of a
  // stream: its tangent and delta.
  Values value(int layer, const Workspace& w) const;
  Values adjoint_of(int layer, const Real* ybar, const Workspace& w) const;
  Values tangent_of(int layer, int stream, const Workspace& w) const;
  Values delta_of(int layer, int stream, const Workspace& w) const;
  void dots(Values x, int inner, const Real* weights, const Real* b, int count, Workspace& w,
            double* y) const;
  // Pairs (delta, value) whose outer products are the gradient to the weights of a layer; how many.
  int weight_streams(int layer, const Real* ybar, const bool (&use)[kStreams], const Workspace& w,
                     OuterStream<Real> (&streams)[kStreams + 1]) const;
  void gather(int layer, const Real* ybar, const bool (&use)[kStreams], Workspace& w) const;

  const OwnKernels* kernels_;
  const Kernels* matrices_;
  std::vector<Layer> layers_;
  AlignedVector strips_;  // of set_weights, before they are narrowed
};

}  // namespace mechfit
