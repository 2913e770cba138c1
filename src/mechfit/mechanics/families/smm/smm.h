#pragma once

#include <span>
#include <vector>

#include "mechfit/base/batch.h"
#include "mechfit/mechanics/lagrangian.h"
#include "mechfit/mechanics/model.h"
#include "mechfit/net/mlp.h"

namespace mechfit {

struct Start;
struct StartData;

// Networks work in units of their own, taken from the data; outside everything is physical.
//   plain joint: feature (q - q_offset) / q;  force network: v / v
//   M_ij = energy / (v_i v_j) (L L')_ij,  V = energy V_net,  F_i = energy / (v_i time) F_net
struct Scales {
  std::vector<double> q_offset, q, v;  // [n]
  std::vector<double> u;               // [m]
  double energy = 1.0, time = 1.0;

  static Scales unit(int n, int m);
  friend bool operator==(const Scales&, const Scales&) = default;
};

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

struct SmmConfig {
  std::vector<JointType> joints;  // [n]
  int inputs = 0;                 // m
  std::vector<int> hidden = {32, 32, 32};
  std::vector<Activation> activations = {Activation::tanh, Activation::tanh, Activation::identity};
  bool force_network = false;  // F += network of (q, v)
  bool friction = false;       // F_i -= viscous_i v_i + coulomb_i tanh(v_i / (0.05 v_scale_i))
  InputMap input_map = InputMap::fixed;
  std::vector<double> input_matrix;  // B0 [n][m]
  Scales scales;                     // empty: units
  Initialisation initialisation = Initialisation::row_normalised;

  friend bool operator==(const SmmConfig&, const SmmConfig&) = default;
};

// Structured mechanical model: M = D L L' D with L from a network (1 added to its diagonal), V from
// a network, F as configured. theta: mass network, potential network, force network, friction
// (viscous [n], Coulomb [n]), B.
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

  std::vector<double> viscous() const;       // coefficients [n], empty without friction
  std::vector<double> coulomb() const;       // coefficients [n], empty without friction
  std::vector<double> input_matrix() const;  // B [n][m]

  struct Workspace {
    Mlp::Workspace mass, potential, force;
    AlignedVector phi, slope, bend;  // features; phi goes on with v / v_scale for the force network
    AlignedVector direction[Mlp::kStreams];  // of the features
    AlignedVector w, pi, l_gradient, l_bar, lv_bar, scratch;
    AlignedVector minus_energy;                   // [1]
    AlignedVector q, v, u, f_bar;                 // last point
    AlignedVector friction_lanes, friction_tanh;  // accumulators [2n], tanh(v / eps) [n]
    AlignedVector input_lanes;                    // accumulators [n m]
    AlignedVector merged_lanes;                   // gradient of each lane [merged_size]
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
  std::optional<Smm> with_fixed_inputs() const;

 private:
  friend class SmmPoint;
  // Speed below which Coulomb friction is smoothed, in units of the joint's velocity scale.
  static constexpr double kCoulombWidth = 0.05;

  int features() const { return features_; }
  double viscous(int joint) const;
  double coulomb(int joint) const;
  void load_features(const double* q, Workspace& w) const;
  void along(const double* dq, int stream, Workspace& w) const;
  void to_joints(const AlignedVector& x_bar, const Workspace& w, double* out) const;
  void bend_to_joints(const AlignedVector& x_bar, const double* direction, const Workspace& w,
                      double* out) const;
  void add_other_forces(double* f, Workspace& w) const;
  void other_forces_pullback(const double* b, const Adjoints& adjoints, bool theta,
                             Workspace& w) const;
  void clear_lanes(Workspace& w) const;
  // From the merged networks' gradients and the accumulators of friction and inputs to theta.
  void expand_lanes(Workspace& w, double* theta_lanes) const;
  std::size_t friction_offset() const;
  std::size_t input_offset() const;

  SmmConfig config_;
  int n_ = 0, m_ = 0, features_ = 0;
  Mlp mass_net_, potential_net_, force_net_;
  AlignedVector theta_;
  std::vector<double> d_, force_scale_, inverse_v_, b_;
};

}  // namespace mechfit
