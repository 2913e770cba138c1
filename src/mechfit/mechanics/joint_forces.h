#pragma once

#include <span>
#include <string>
#include <vector>

#include "mechfit/base/batch.h"
#include "mechfit/base/names.h"
#include "mechfit/mechanics/description.h"
#include "mechfit/mechanics/scales.h"

namespace mechfit {

// How inputs reach the joints: F += B u.
enum class InputMap {
  fixed,   // B = B0
  scaled,  // B = gamma B0, gamma learned
  learned  // every entry of B learned, started at B0
};
template <>
inline constexpr auto kNames<InputMap> = names<InputMap>({{InputMap::fixed, "fixed"},
                                                          {InputMap::scaled, "scaled"},
                                                          {InputMap::learned, "learned"}});

// Where surfaces slide: the speed w = v_i, or w = v_i - v_j, which is what the bearing between two
// links feels when angles are absolute.
struct Slip {
  int i, j;  // of v_i - v_j; j = -1: of v_i
  double v;  // scale of w
};

// How theta gives the coefficients of friction, and when the gradient to B takes its units. The
// formulas of the two differ in the order of their operations too, on which the last bits depend.
enum class ForceParameters {
  // coefficient = theta unit, theta >= 0, zero at the start. Every lane's gradient has its unit:
  // for Gauss-Newton, which uses the lanes.
  linear,
  // coefficient = unit softplus(theta), any theta, small at the start. The gradient to B takes its
  // unit after the lanes are summed: for gradient descent, which uses the sum.
  softplus
};

struct JointForcesConfig {
  ForceParameters parameters = ForceParameters::linear;
  std::vector<Slip> slips;  // empty: no friction
  InputMap input_map = InputMap::fixed;
  std::vector<double> input_matrix;  // B0 [n][m]
};

// Forces that act at the joints and do not depend on q, in physical units:
//
//   F = B u - sum over slips of s (viscous w + coulomb tanh(w / (0.05 w_scale))),   w = s'v
//
// with s_i = 1, s_j = -1. The parameters are a section of the family's theta: viscous [slips],
// Coulomb [slips], then gamma or B [n][m] as the input map says.
//
// This is the place for more forces at the joints. Each has its parameters in set_parameters, its
// value in both `add`, its derivatives in pullback and accumulate; then all families have it.
class JointForces {
 public:
  JointForces(JointForcesConfig config, const Scales& scales);

  int parameter_count() const;
  int friction_count() const { return 2 * slip_count(); }  // parameters before those of the inputs
  std::vector<std::string> parameter_names() const;        // joints and inputs are counted from 1
  bool nonnegative(int parameter) const;  // the parameter's range; any number otherwise
  void initialise(std::span<double> theta) const;
  void set_parameters(std::span<const double> theta);

  // What holds for the parameters set last, in physical units.
  const std::vector<Slip>& slips() const { return config_.slips; }
  double viscous(int slip) const { return friction_[static_cast<std::size_t>(slip)].viscous; }
  double coulomb(int slip) const { return friction_[static_cast<std::size_t>(slip)].coulomb; }
  const std::vector<double>& input_matrix() const { return b_; }  // B [n][m]

  // The same for a reader, less what is zero. The parameters begin at `offset` of the family's
  // theta.
  std::vector<Description::Value> values(int offset) const;

  // F at one point: f += F. u is empty for no input.
  void add(std::span<const double> v, std::span<const double> u, std::span<double> f) const;

  // The last block and the gradients gathered for it.
  struct Workspace {
    AlignedVector slip, slip_tanh;  // w, tanh(w / width)                        [slips]
    AlignedVector u;                //                                           [m]
    AlignedVector sums;             // of gradients since clear_gradient         [accumulators]
    AlignedVector lanes;            // the same of one gradient_lanes            [accumulators]
  };
  Workspace make_workspace() const;

  // The same for a block of points: f += F. u may be null when there are no inputs.
  void add(const double* v, const double* u, double* f, Workspace& w) const;

  // Of s = b'F at the block of the last `add`, lane by lane; b [n][kBlock].
  //   pullback        v += ds/dv [n], u += ds/du [m]; null ones are not computed
  //   gather          the gradient to the parameters, summed over lanes, goes to the workspace
  //   gradient_lanes  the same in every lane [parameter_count][kBlock], overwritten
  void pullback(const double* b, double* v, double* u, const Workspace& w) const;
  void gather(const double* b, Workspace& w) const;
  void gradient_lanes(const double* b, double* lanes, Workspace& w) const;

  // theta += what `gather` has gathered since clear_gradient (add = false: theta = that).
  void clear_gradient(Workspace& w) const;
  void add_gradient(const Workspace& w, std::span<double> theta, bool add = true) const;

 private:
  // Friction of one slip: viscous w + coulomb tanh(sharpness w).
  struct Friction {
    double viscous, coulomb;
    double sharpness;           // 1 / width of Coulomb's smooth step
    double steepness;           // coulomb sharpness: slope of that step at rest
    double d_viscous, d_speed;  // d(viscous)/dtheta = d_viscous / d_speed
    double d_coulomb;           // d(coulomb)/dtheta
  };

  int slip_count() const { return static_cast<int>(config_.slips.size()); }
  // Rows in which gradients are gathered: those of friction, then one for each entry of B.
  int accumulators() const;
  Friction read_linear(const Slip& slip, double viscous, double coulomb) const;
  Friction read_softplus(const Slip& slip, double viscous, double coulomb) const;
  static void along(const Slip& slip, const double* x, double* out);
  static void subtract(const Slip& slip, const double* x, double* out);
  void accumulate(const double* b, const Workspace& w, double* rows) const;
  double with_unit(int i, int j, double gathered) const;

  JointForcesConfig config_;
  int n_ = 0, m_ = 0;
  double energy_ = 1.0, time_ = 1.0;
  std::vector<double> force_scale_, u_scale_;  // [n], [m]
  std::vector<Friction> friction_;             // [slips]
  std::vector<double> b_;                      // B [n][m]
};

}  // namespace mechfit
