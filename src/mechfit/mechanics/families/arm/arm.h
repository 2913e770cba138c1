#pragma once

#include <span>
#include <string>
#include <vector>

#include "mechfit/mechanics/families/analytic/analytic.h"
#include "mechfit/mechanics/families/arm/kinematics.h"
#include "mechfit/mechanics/families/arm/link_inertia.h"
#include "mechfit/mechanics/joint_forces.h"
#include "mechfit/mechanics/model.h"

namespace mechfit {

struct Start;
struct StartData;

struct ArmConfig {
  ArmKinematics kinematics;
  std::vector<JointType> joints;  // [n]
  int inputs = 0;                 // m
  FrictionTerms friction;
  InputMap input_map = InputMap::fixed;
  std::vector<double> input_matrix;  // B0 [n][m]
  Scales scales;                     // of friction and inputs; empty: units
};

// A tree of rigid bodies whose geometry is known. Parameters: ten numbers of each link
// (link_inertia.h: every choice is a body that can exist) and its rotor's inertia >= 0
// (arm_equations.h), then those of JointForces.
class Arm {
 public:
  struct Workspace {
    AnalyticSystem::Workspace body;
    JointForces::Workspace joint_forces;
  };

  // Links of 2 kg; `links` gives others.
  explicit Arm(ArmConfig config, const std::vector<LinkInertia>& links = {});

  const ArmConfig& config() const { return config_; }
  LinkInertia link(int i) const;  // with the present parameters
  double rotor(int i) const { return theta_[kLinkNumbers * n_ + i]; }
  const JointForces& joint_forces() const { return joint_forces_; }
  int body_count() const { return body_.parameter_count(); }  // parameters before those of forces

  // The door, see lagrangian.h.
  int joints() const { return n_; }
  int inputs() const { return config_.inputs; }
  int parameter_count() const { return static_cast<int>(theta_.size()); }
  std::span<const double> parameters() const { return theta_; }
  void set_parameters(std::span<const double> theta);
  Workspace make_workspace() const;
  void forces(const Points& x, double* p, double* f, Workspace& w) const;
  void pullback(const Covectors& covectors, const Adjoints& adjoints, Workspace& w) const;
  void mass_rate(double* rate, Workspace& w) const { body_.mass_rate(rate, w.body); }
  void mass(const double* q, double* m, Workspace& w) const { body_.mass(q, m, w.body); }
  void factor(double* g, Workspace& w) const { body_.factor(g, w.body); }
  void mass_pullback(const double* weights, const Adjoints& adjoints, Workspace& w) const;
  void potential(double* v, Workspace& w) const { body_.potential(v, w.body); }
  int merged_size() const { return parameter_count(); }
  void clear_gradient(Workspace& w) const;
  void add_gradient(Workspace& w, std::span<double> merged, bool add = true) const;
  void expand_gradient(std::span<const double> merged, std::span<double> theta) const;

  // The door's second half, see model.h and families.h.
  static constexpr const char* kFamily = "arm";
  static constexpr ParameterKind kKind = ParameterKind::constants;
  static bool known_as(const std::string& option);
  static bool automatic(const StartData& data);
  static std::vector<Start> starts(const StartData& data);
  static Arm read(const Safetensors& file, const Channels& channels, const std::string& name);
  void write(Safetensors& file) const;
  std::vector<JointType> joint_types() const { return config_.joints; }
  std::vector<ParameterInfo> parameters_info() const;
  bool scale_is_free() const;
  const Scales* scales() const { return nullptr; }  // of M and V, which are physical
  Description describe() const;
  SymbolicModel symbolic() const;

 private:
  void clear_forces(const Adjoints& adjoints) const;

  ArmConfig config_;
  int n_ = 0;
  AnalyticSystem body_;  // M and V
  JointForces joint_forces_;
  std::vector<double> theta_;
};

static_assert(DescribedLagrangian<Arm>);

// How many combinations of the links' 10 n numbers act on the motion, rotors aside. The links must
// not be thin: at a U without an inverse fewer directions count.
int base_parameter_count(const Arm& arm);

}  // namespace mechfit
