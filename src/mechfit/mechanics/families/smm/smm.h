#pragma once

#include <span>
#include <vector>

#include "mechfit/base/batch.h"
#include "mechfit/mechanics/joint_forces.h"
#include "mechfit/mechanics/lagrangian.h"
#include "mechfit/mechanics/model.h"
#include "mechfit/mechanics/scales.h"
#include "mechfit/net/mlp.h"

namespace mechfit {

struct Start;
struct StartData;

struct SmmConfig {
  std::vector<JointType> joints;  // [n]
  int inputs = 0;                 // m
  std::vector<int> hidden = {32, 32, 32};
  std::vector<Activation> activations = {Activation::tanh, Activation::tanh, Activation::identity};
  bool force_network = false;  // F += network of (q, v)
  FrictionTerms friction;      // on every v_i, see joint_forces.h
  InputMap input_map = InputMap::fixed;
  std::vector<double> input_matrix;  // B0 [n][m]
  Scales scales;                     // empty: units
  Initialisation initialisation = Initialisation::row_normalised;

  friend bool operator==(const SmmConfig&, const SmmConfig&) = default;
};

// Structured mechanical model: M = D L L' D with L from a network (1 added to its diagonal), V from
// a network, F as configured. theta: mass network, potential network, force network, JointForces.
class Smm {
 public:
  explicit Smm(SmmConfig config, Precision precision = Precision::float64);

  // Networks as the configuration says, friction small, B = B0.
  void initialise(Random& random);

  const SmmConfig& config() const { return config_; }
  Smm with_precision(Precision precision) const;
  int joints() const { return n_; }
  int inputs() const { return m_; }
  int parameter_count() const { return static_cast<int>(theta_.size()); }
  std::span<const double> parameters() const { return theta_; }
  void set_parameters(std::span<const double> theta);

  const JointForces& joint_forces() const { return joint_forces_; }
  std::vector<double> viscous() const;  // coefficients [n], empty without friction
  std::vector<double> coulomb() const;  // coefficients [n], empty without friction
  const std::vector<double>& input_matrix() const { return joint_forces_.input_matrix(); }

  struct Workspace {
    Mlp::Workspace mass, potential, force;
    AlignedVector phi, slope, bend;  // features; phi goes on with v / v_scale for the force network
    AlignedVector direction[Mlp::kStreams];  // of the features
    AlignedVector w, pi, l_gradient, l_bar, lv_bar, scratch;
    AlignedVector minus_energy;  // [1]
    AlignedVector q, v, f_bar;   // last point
    JointForces::Workspace joint_forces;
    AlignedVector merged_lanes;  // gradient of each lane [merged_size]
  };
  Workspace make_workspace() const;

  void forces(const Points& x, double* p, double* f, Workspace& w) const;
  void pullback(const Covectors& covectors, const Adjoints& adjoints, Workspace& w) const;
  void mass_rate(double* rate, Workspace& w) const;
  void mass(const double* q, double* m, Workspace& w) const;
  void factor(double* g, Workspace& w) const;
  void mass_pullback(const double* weights, const Adjoints& adjoints, Workspace& w) const;
  void potential(double* v, Workspace& w) const;

  int merged_size() const;
  void clear_gradient(Workspace& w) const;
  void add_gradient(const Workspace& w, std::span<double> merged, bool add = true) const;
  void expand_gradient(std::span<const double> merged, std::span<double> theta) const;

  // The door's second half, see model.h and families.h.
  static constexpr const char* kFamily = "smm";
  static constexpr ParameterKind kKind = ParameterKind::weights;
  static bool known_as(const std::string& option);
  static bool automatic(const StartData& data);
  static std::vector<Start> starts(const StartData& data);
  static Smm read(const Safetensors& file, const Channels& channels, const std::string& name);
  void write(Safetensors& file) const;
  std::vector<JointType> joint_types() const { return config_.joints; }
  std::vector<ParameterInfo> parameters_info() const;
  bool scale_is_free() const;
  const Scales* scales() const { return &config_.scales; }
  Description describe() const;
  SymbolicModel symbolic() const;
  std::optional<Smm> with_fixed_inputs() const;

 private:
  friend class SmmPoint;
  int features() const { return features_; }
  void load_features(const double* q, Workspace& w) const;
  void along(const double* dq, int stream, Workspace& w) const;
  void to_joints(const AlignedVector& x_bar, const Workspace& w, double* out) const;
  void bend_to_joints(const AlignedVector& x_bar, const double* direction, const Workspace& w,
                      double* out) const;
  void add_force_network(double* f, Workspace& w) const;
  void force_network_pullback(const double* b, const Adjoints& adjoints, Workspace& w) const;
  void joint_forces_pullback(const double* b, const Adjoints& adjoints, Workspace& w) const;
  void clear_lanes(Workspace& w) const;
  void expand_lanes(Workspace& w, double* theta_lanes) const;  // from merged_lanes
  std::size_t network_parameters() const;  // in theta, before those of the joint forces

  SmmConfig config_;
  int n_ = 0, m_ = 0, features_ = 0;
  Mlp mass_net_, potential_net_, force_net_;
  JointForces joint_forces_;
  AlignedVector theta_;
  std::vector<double> d_, force_scale_, inverse_v_;
};

}  // namespace mechfit
