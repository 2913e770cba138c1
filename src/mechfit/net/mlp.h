#pragma once

#include <span>
#include <variant>
#include <vector>

#include "mechfit/base/batch.h"
#include "mechfit/base/random.h"
#include "mechfit/net/kernels.h"
#include "mechfit/net/mlp_passes.h"

namespace mechfit {

// inputs -> hidden layers -> outputs; the output layer is linear.
struct MlpShape {
  int inputs = 0;
  std::vector<int> hidden;
  std::vector<Activation> activations;  // of the hidden layers
  int outputs = 0;

  friend bool operator==(const MlpShape&, const MlpShape&) = default;
};

int parameter_count(const MlpShape& shape);

// A multilayer perceptron on one block of samples. Parameters: W1 [h1][in], b1, W2, b2, ...,
// row-major.
//
// Streams are directional derivatives of the network. With x the input, xdot a direction, S a
// function of the output y and of its derivatives ydot along the streams' directions:
//
//   forward   a_l = act(W_l a_{l-1} + b_l), y
//   reverse   delta_l = act' (W_{l+1}' delta_{l+1}), delta_out = gy;
//             W_1' delta_1 is the gradient of gy'y to x
//   tangent   adot_l = act' (W_l adot_{l-1}), ydot
//   adjoint   gradient of S to x and theta, where dS/dy = ybar and dS/dydot = the gy of the
//             stream's reverse:
//               zbar_l = act' (W_{l+1}' zbar_{l+1}) + (act''/act') delta_l zdot_l, per stream
//               dS/dW_l = zbar_l a_{l-1}' + sum over streams of delta_l adot_{l-1}'
//             and dS/dxdot of a stream is what its reverse gave: nothing is computed twice.
//
// Hidden layers without activation are merged with the layer after them while evaluating.
class Mlp {
 public:
  static constexpr int kStreams = MlpPasses<double>::kStreams;

  class Workspace {
   public:
    const double* x = nullptr;          // [inputs], set by the caller before forward
    const double* xdot[kStreams] = {};  // [inputs], set by the caller before tangent
    AlignedVector y;                    // [outputs]
    AlignedVector ydot[kStreams];       // [outputs]
    AlignedVector x_reverse[kStreams];  // [inputs], result of reverse
    AlignedVector x_adjoint;            // [inputs], result of adjoint

   private:
    friend class Mlp;
    std::variant<MlpPasses<double>::Workspace, MlpPasses<float>::Workspace> inside;
  };

  // With `single` layers are computed in float by these kernels; panels, parameters and their
  // gradients stay double.
  explicit Mlp(MlpShape shape, const Kernels& kernels = simd_kernels(),
               const SingleKernels* single = nullptr);

  const MlpShape& shape() const { return shape_; }
  int parameter_count() const { return parameter_count_; }
  void set_parameters(std::span<const double> theta);

  Workspace make_workspace() const;
  void forward(Workspace& w) const;  // hidden layers only
  void output(Workspace& w) const;   // y, after forward
  // gy [outputs] must live until adjoint. Of a stream's reverse and tangent, the later call has
  // `curvature`: it also makes the stream's second-order terms, for which it needs the earlier one.
  // Precondition of curvature here: tangent of this stream was called since forward.
  void reverse(int stream, const double* gy, bool curvature, Workspace& w) const;
  // Precondition of curvature here: reverse of this stream was called since forward.
  void tangent(int stream, bool curvature, bool output, Workspace& w) const;
  // Forgets the curvature terms of the last adjoint.
  void begin_adjoint(Workspace& w) const;
  // ybar may be null. Streams that take part are named by use[].
  void adjoint(const double* ybar, const bool (&use)[kStreams], bool x, bool theta,
               Workspace& w) const;

  // What the last adjoint, with the same ybar and use, has in every lane as gradient of S to the
  // merged network's parameters [merged_size][kBlock].
  void gradient_lanes(const double* ybar, const bool (&use)[kStreams], Workspace& w,
                      double* lanes) const;

  // Gradients are gathered for the merged network and expanded to theta once, after all chunks are
  // folded.
  int merged_size() const { return merged_size_; }
  void clear_gradient(Workspace& w) const;
  void add_gradient(const Workspace& w, std::span<double> merged, bool add = true) const;
  // From merged to the parameters that are set now, given again as theta.
  void expand_gradient(std::span<const double> theta, std::span<const double> merged,
                       std::span<double> gradient) const;

 private:
  friend class MlpPoint;
  struct Layer {
    int in, out;
    int first, last;                         // layers of the shape that were merged into this one
    std::vector<double> merged_w, merged_b;  // [out][in], [out] where layers merge
    std::vector<std::vector<double>> prefix_w, prefix_b;  // of layers first .. i, first < i < last
  };
  int width(int i) const { return widths_[static_cast<std::size_t>(i)]; }
  int offset(int i) const { return offsets_[static_cast<std::size_t>(i)]; }
  const double* prefix_w(const double* theta, const Layer& layer, int i) const;
  const double* prefix_b(const double* theta, const Layer& layer, int i) const;
  void merge(const double* theta, Layer& layer);
  template <class Inside, class Function>
  void visit(Inside& inside, const Function& f) const;

  MlpShape shape_;
  const Kernels* kernels_;
  int parameter_count_ = 0, merged_size_ = 0;
  std::vector<int> widths_;   // in, hidden..., out of the shape
  std::vector<int> offsets_;  // of each layer's W in theta
  std::vector<Layer> layers_;
  std::variant<MlpPasses<double>, MlpPasses<float>> passes_;
  std::size_t expand_scratch_ = 0;  // numbers that expand_gradient needs
};

// How networks start.
enum class Initialisation {
  row_normalised,  // hidden rows N(0,1) scaled to unit norm, biases 0; output layer uniform
                   // +-1/sqrt(fan_in)
  xavier           // uniform +-sqrt(6 / (fan_in + fan_out)), biases 0
};
template <>
inline constexpr auto kNames<Initialisation> = names<Initialisation>(
    {{Initialisation::row_normalised, "row_normalised"}, {Initialisation::xavier, "xavier"}});
void initialise(const MlpShape& shape, Initialisation how, Random& random, std::span<double> theta);

}  // namespace mechfit
