#pragma once

#include <span>
#include <vector>

#include "mechfit/mechanics/families/trig/trig_basis.h"
#include "mechfit/mechanics/joint_forces.h"
#include "mechfit/mechanics/lagrangian.h"
#include "mechfit/mechanics/model.h"
#include "mechfit/mechanics/scales.h"

namespace mechfit {

struct Start;
struct StartData;

// A model linear in its parameters: with the functions phi of TrigBasis and scales,
//
//   M_ij = energy / (v_i v_j) sum_k theta_ijk phi_k(q),   V = energy sum_k theta_k phi_k(q)
//
// Exact for open chains of revolute joints under gravity (degree 1 in the plane, 2 in space) and
// for joints that slide. M is not positive definite by construction.
//
// Friction (joint_forces.h) acts where surfaces may slide: on each v_i, and on v_i - v_j for each
// pair of joints of one type. Its coefficients are >= 0.
struct TrigConfig {
  std::vector<JointType> joints;  // [n]
  int inputs = 0;                 // m
  int degree = 1;                 // of the harmonics; powers of plain joints go to 2 degree
  int mass_joints = 0;            // a term of M depends on at most that many joints, 0: see below
  int potential_joints = 0;       // the same for V, at least mass_joints
  FrictionTerms friction;
  InputMap input_map = InputMap::fixed;
  std::vector<double> input_matrix;  // B0 [n][m]
  Scales scales;                     // empty: units

  friend bool operator==(const TrigConfig&, const TrigConfig&) = default;
};

// Up to three joints every product is there. With four and more a term of M depends on at most two
// joints, one of V on at most four: exact in absolute angles, where M_ij needs cos(q_i - q_j).
TrigConfig with_default_terms(TrigConfig config);

// Coefficients of M and V, without making the model: their number can be astronomic. `config` has
// its terms.
double trig_coefficients(const TrigConfig& config);

class Trig {
 public:
  explicit Trig(TrigConfig config);  // M = energy / v^2, no potential, no friction, B = B0

  const TrigConfig& config() const { return config_; }
  const TrigBasis& basis() const { return basis_; }
  int joints() const { return n_; }
  int inputs() const { return m_; }
  int parameter_count() const { return static_cast<int>(theta_.size()); }
  std::span<const double> parameters() const { return theta_; }
  void set_parameters(std::span<const double> theta);
  // The parameters with which this is the same model as one of a lower degree.
  std::vector<double> parameters_of(const Trig& poorer) const;

  // Sections of theta, in this order: M [n (n+1) / 2][mass_functions], lower triangle row by row;
  // V [basis size - 1], without the constant; JointForces: friction, then inputs.
  int mass_functions() const { return mass_functions_; }
  int potential_offset() const { return entries() * mass_functions_; }
  int friction_offset() const { return potential_offset() + basis_.size() - 1; }
  int input_offset() const { return friction_offset() + joint_forces_.friction_count(); }

  const JointForces& joint_forces() const { return joint_forces_; }
  const std::vector<Slip>& slips() const { return joint_forces_.slips(); }
  double viscous(int slip) const { return joint_forces_.viscous(slip); }
  double coulomb(int slip) const { return joint_forces_.coulomb(slip); }
  const std::vector<double>& input_matrix() const { return joint_forces_.input_matrix(); }

  struct Workspace {
    TrigBasis::Workspace basis;
    AlignedVector q, v;              // the last point
    AlignedVector w;                 // D v                                 [n][kBlock]
    AlignedVector mass, mass_slope;  // in the model's units                [entries], [entries][n]
    AlignedVector slope;             // of V                                [n][kBlock]
    AlignedVector hessian;           // d2L/dq2, in the model's units       [n*n][kBlock]
    AlignedVector weights;           // of functions                        [size][kBlock]
    AlignedVector curvature;         // of M along v                        [n*n][kBlock]
    AlignedVector a_terms, c_terms;  // covectors to the entries of M       [entries][kBlock]
    AlignedVector scratch;           // [n][kBlock]
    AlignedVector lanes;             // gradient to M and V of each lane    [friction_offset]
    AlignedVector sums;              // accumulated                         [friction_offset]
    JointForces::Workspace joint_forces;
    bool has_hessian = false;
  };
  Workspace make_workspace() const;

  void forces(const Points& x, double* p, double* f, Workspace& w) const;
  void pullback(const Covectors& covectors, const Adjoints& adjoints, Workspace& w) const;
  void mass_rate(double* rate, Workspace& w) const;
  void mass(const double* q, double* m, Workspace& w) const;
  void factor(double* g, Workspace& w) const;
  void mass_pullback(const double* weights, const Adjoints& adjoints, Workspace& w) const;
  void potential(double* v, Workspace& w) const;
  int merged_size() const { return parameter_count(); }
  void clear_gradient(Workspace& w) const;
  void add_gradient(Workspace& w, std::span<double> merged, bool add = true) const;
  void expand_gradient(std::span<const double> merged, std::span<double> theta) const;

  // The door's second half, see model.h and families.h.
  static constexpr const char* kFamily = "trig";
  static constexpr ParameterKind kKind = ParameterKind::coefficients;
  static bool known_as(const std::string& option);
  static bool automatic(const StartData& data);
  static std::vector<Start> starts(const StartData& data);
  static Trig read(const Safetensors& file, const Channels& channels, const std::string& name);
  void write(Safetensors& file) const;
  std::vector<JointType> joint_types() const { return config_.joints; }
  std::vector<ParameterInfo> parameters_info() const;
  bool scale_is_free() const;
  const Scales* scales() const { return &config_.scales; }
  Description describe() const;
  SymbolicModel symbolic() const;

 private:
  int entries() const { return n_ * (n_ + 1) / 2; }
  static int entry(int i, int j) { return i >= j ? i * (i + 1) / 2 + j : entry(j, i); }
  void load_mass(const double* q, Workspace& w) const;
  void load_hessian(Workspace& w) const;
  void add_pairs(const double* left, const double* right, double* terms) const;
  void multiply(const double* matrix, const double* x, double* y) const;
  void configuration_adjoint(const Covectors& covectors, double* q, Workspace& w) const;
  void velocity_adjoint(const Covectors& covectors, double* v, Workspace& w) const;
  void joint_forces_adjoint(const double* b, const Adjoints& adjoints, Workspace& w) const;
  void parameter_adjoint(const Covectors& covectors, const Adjoints& adjoints, Workspace& w) const;
  void lagrangian_adjoint(const Covectors& covectors, double* lanes, const Workspace& w) const;

  TrigConfig config_;
  int n_ = 0, m_ = 0, mass_functions_ = 0;
  TrigBasis basis_;
  JointForces joint_forces_;
  std::vector<double> theta_, d_;
};

static_assert(DescribedLagrangian<Trig>);

}  // namespace mechfit
