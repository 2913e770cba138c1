#pragma once

#include <span>
#include <string>
#include <vector>

#include "mechfit/base/batch.h"
#include "mechfit/base/names.h"
#include "mechfit/log/log.h"
#include "mechfit/mechanics/description.h"
#include "mechfit/mechanics/friction.h"
#include "mechfit/mechanics/scales.h"
#include "mechfit/mechanics/symbolic/symbolic_model.h"

namespace mechfit {

// How inputs reach the joints: F += B u.
enum class InputMap {
  fixed,    // B = B0
  scaled,   // B = gamma B0, gamma learned
  learned,  // every entry of B learned, started at B0
  gains     // B = B0 diag(1, g2 ... gm): what each input is worth in units of the first
};
template <>
inline constexpr auto kNames<InputMap> = names<InputMap>({{InputMap::fixed, "fixed"},
                                                          {InputMap::scaled, "scaled"},
                                                          {InputMap::learned, "learned"},
                                                          {InputMap::gains, "gains"}});

// Where surfaces slide: the speed w = v_i, or w = v_i - v_j, which is what the bearing between two
// links feels when angles are absolute.
struct Slip {
  int i, j;                         // of v_i - v_j; j = -1: of v_i
  double v;                         // scale of w
  FrictionTerms terms = true;       // between two joints: viscous and coulomb only
  double origin = 0.0, rate = 1.0;  // position x = rate (q_i - origin)
};

// Of joint i by its own: angles of periodic joints are their position, plain joints have it in the
// units of the data.
Slip own_slip(int i, const FrictionTerms& terms, JointType type, const Scales& scales);

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

// Forces that act at the joints, in physical units:
//
//   F = B u - sum over slips of s (sum over the slip's functions of c g(w, x)),   w = s'v
//
// with s_i = 1, s_j = -1 and the functions of friction.h: viscous w, Coulomb's step ... The
// parameters are a section of the family's theta: viscous [slips], Coulomb [slips] and so on, each
// for the slips that have it, then gamma, gains or B [n][m] as the input map says.
//
// More friction is a function in friction.cc; then all families have it.
class JointForces {
 public:
  JointForces(JointForcesConfig config, const Scales& scales);

  int parameter_count() const;
  int friction_count() const { return static_cast<int>(terms_.size()); }  // before those of inputs
  std::vector<std::string> parameter_names() const;  // joints and inputs are counted from 1
  bool nonnegative(int parameter) const;             // the parameter's range; any number otherwise
  // Of a Gaussian prior around zero, in the parameter's units; 0: flat.
  double prior_precision(int parameter) const;
  // Whether the inputs say what the scale of M is.
  bool fixes_scale() const;
  void initialise(std::span<double> theta) const;
  void set_parameters(std::span<const double> theta);

  // What holds for the parameters set last, in physical units.
  const std::vector<Slip>& slips() const { return config_.slips; }
  double viscous(int slip) const { return coefficient(slip, FrictionFunction::Kind::viscous); }
  double coulomb(int slip) const { return coefficient(slip, FrictionFunction::Kind::coulomb); }
  // Zero where the slip has no such function.
  double coefficient(int slip, FrictionFunction::Kind kind) const;
  const std::vector<double>& input_matrix() const { return b_; }  // B [n][m]

  // The same for a reader, less what is zero. The parameters begin at `offset` of the family's
  // theta.
  std::vector<Description::Value> values(int offset) const;

  // F at one point: f += F. u is empty for no input.
  void add(std::span<const double> q, std::span<const double> v, std::span<const double> u,
           std::span<double> f) const;

  void trace(SymbolicModel& out) const;  // out.force += F

  // The last block and the gradients gathered for it.
  struct Workspace {
    AlignedVector slip, slip_tanh;          // w, tanh(w / width)                        [slips]
    AlignedVector value, along_w, along_x;  // of functions beyond w and t       [extras]
    AlignedVector u;                        //                                           [m]
    AlignedVector sums;   // of gradients since clear_gradient         [accumulators]
    AlignedVector lanes;  // the same of one gradient_lanes            [accumulators]
  };
  Workspace make_workspace() const;

  // The same for a block of points: f += F. u may be null when there are no inputs.
  void add(const double* q, const double* v, const double* u, double* f, Workspace& w) const;

  // Of s = b'F at the block of the last `add`, lane by lane; b [n][kBlock].
  //   pullback        q += ds/dq [n], v += ds/dv [n], u += ds/du [m]; null ones are not computed
  //   gather          the gradient to the parameters, summed over lanes, goes to the workspace
  //   gradient_lanes  the same in every lane [parameter_count][kBlock], overwritten
  void pullback(const double* b, double* q, double* v, double* u, const Workspace& w) const;
  void gather(const double* b, Workspace& w) const;
  void gradient_lanes(const double* b, double* lanes, Workspace& w) const;

  // theta += what `gather` has gathered since clear_gradient (add = false: theta = that).
  void clear_gradient(Workspace& w) const;
  void add_gradient(const Workspace& w, std::span<double> theta, bool add = true) const;

 private:
  // One function of one slip, c g(w, x). Terms stand slip by slip, parameters function by function.
  struct Term {
    int slip;
    FrictionFunction function;
    int parameter;
    int extra;                      // row of the workspace's values; -1: g is w or t
    double c = 0.0;                 // coefficient
    double slope = 0.0;             // of t's term: c / width, the slope of Coulomb's step at rest
    double d = 0.0, d_speed = 1.0;  // dc/dtheta = d / d_speed
  };

  std::vector<Description::Value> friction_values(int offset) const;
  int slip_count() const { return static_cast<int>(config_.slips.size()); }
  // Rows in which gradients are gathered: those of friction, then one for each entry of B.
  int accumulators() const;
  void make_terms();
  void read_linear(double theta, Term& term) const;
  void read_softplus(double theta, Term& term) const;
  // The terms of a slip, and what they are of: w where it is plain, t, or a row of `value`.
  std::span<const Term> terms_of(int slip) const;
  const double* value_of(const Term& term, const Workspace& w) const;
  void load_extras(const double* q, Workspace& w) const;
  static void along(const Slip& slip, const double* x, double* out);
  static void subtract(const Slip& slip, const double* x, double* out);
  void accumulate(const double* b, const Workspace& w, double* rows) const;
  double with_unit(int i, int j, double gathered) const;
  int shared_parameter(int j) const;

  JointForcesConfig config_;
  int n_ = 0, m_ = 0;
  double energy_ = 1.0, time_ = 1.0;
  std::vector<double> force_scale_, u_scale_;  // [n], [m]
  std::vector<double> sharpness_;              // 1 / width of Coulomb's smooth step [slips]
  std::vector<Term> terms_;
  std::vector<int> first_term_;  // of each slip [slips + 1]
  int extras_ = 0;
  std::vector<double> b_;  // B [n][m]
};

}  // namespace mechfit
