#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mechfit/mechanics/contact.h"
#include "mechfit/mechanics/families/analytic/equations.h"
#include "mechfit/mechanics/lagrangian.h"
#include "mechfit/mechanics/model.h"

namespace mechfit {

struct Start;
struct StartData;

// A machine whose equations are known up to its physical constants, which are the parameters theta.
// All angles are measured from hanging; the equations are in systems.cc, replayed through a tape.
class AnalyticSystem {
 public:
  // Panels of one block. Made by make_workspace.
  struct Workspace {
    AlignedVector values, tangents, rate;        // [nodes][kBlock]; rate: tangents along v
    AlignedVector adjoints, tangent_adjoints;    // [nodes][kBlock]
    AlignedVector uniform_adjoints;              // [uniforms][kBlock], gathered by pullbacks
    AlignedVector uniform_sums;                  // [uniforms]
    AlignedVector theta;                         // [p], one lane's gradient
    AlignedVector mass, mass_tangent, mass_bar;  // [n*n][kBlock]
    AlignedVector product;                       // [n][kBlock]
    bool has_rate = false;
  };

  explicit AnalyticSystem(Equations equations);

  const std::string& name() const { return equations_->name; }
  const std::vector<JointDefinition>& joint_definitions() const { return equations_->joints; }
  const std::vector<InputDefinition>& input_definitions() const { return equations_->inputs; }
  const std::vector<ConstantDefinition>& constants() const { return equations_->constants; }
  std::vector<JointType> joint_types() const;
  std::vector<std::string> joint_names() const;
  std::vector<std::string> input_names() const;

  // Constants by name; InputError names the valid ones or the allowed range.
  double constant(const std::string& constant_name) const;
  void set_constant(const std::string& constant_name, double value);

  // The door, see lagrangian.h.
  int joints() const { return n_; }
  int inputs() const { return m_; }
  int parameter_count() const { return static_cast<int>(theta_.size()); }
  std::span<const double> parameters() const { return theta_; }
  // CheckError for a wrong size, InputError for a value outside its constant's range.
  void set_parameters(std::span<const double> theta);
  Workspace make_workspace() const;

  void forces(const Points& x, double* p, double* f, Workspace& w) const;
  void pullback(const Covectors& covectors, const Adjoints& adjoints, Workspace& w) const;
  void mass_rate(double* mass_rate, Workspace& w) const;
  void mass(const double* q, double* M, Workspace& w) const;
  void factor(double* G, Workspace& w) const;
  void mass_pullback(const double* W, const Adjoints& adjoints, Workspace& w) const;
  void potential(double* V, Workspace& w) const;
  int merged_size() const { return parameter_count(); }
  void clear_gradient(Workspace& w) const;
  void add_gradient(Workspace& w, std::span<double> merged, bool add = true) const;
  void expand_gradient(std::span<const double> merged, std::span<double> theta) const;

  // The door's second half, see model.h and families.h.
  static constexpr const char* kFamily = "analytic";
  static constexpr ParameterKind kKind = ParameterKind::constants;
  static bool known_as(const std::string& option);
  static bool automatic(const StartData& data);
  static std::vector<Start> starts(const StartData& data);
  static AnalyticSystem read(const Safetensors& file, const Channels& channels,
                             const std::string& name);
  void write(Safetensors& file) const;
  std::vector<ParameterInfo> parameters_info() const;
  bool scale_is_free() const;
  const Scales* scales() const { return nullptr; }
  Description describe() const;
  std::optional<Sketch> sketch() const;
  std::vector<double> sketch_points(std::span<const double> q) const;
  // The same points as functions of q, for floors and walls; empty where they are none of rods.
  std::vector<PlanarPoint> planar_points() const;
  SymbolicModel symbolic() const;
  void trace(SymbolicModel& out) const;  // M and V of out, and F added to its

 private:
  int mass_output(int i, int j) const { return i * (i + 1) / 2 + j; }  // i >= j
  int potential_output() const { return n_ * (n_ + 1) / 2; }
  int force_output(int i) const { return potential_output() + 1 + i; }
  void load_mass(Workspace& w) const;
  void load_mass_tangent(const AlignedVector& tangents, Workspace& w) const;
  void add_rate_pullback(const Covectors& covectors, const Adjoints& adjoints, Workspace& w) const;
  void store_adjoints(const Adjoints& adjoints, const Workspace& w) const;
  void store_lanes(double* theta, Workspace& w) const;

  std::shared_ptr<const Equations> equations_;
  int n_ = 0, m_ = 0;
  std::vector<double> theta_;
  std::vector<double> uniforms_;
};

static_assert(DescribedLagrangian<AnalyticSystem>);

struct SystemInfo {
  std::string name;
  std::string description;
  int joints;       // by default
  bool any_joints;  // make_system takes any number of joints
};

// The systems that make_system knows.
std::vector<SystemInfo> list_systems();

inline constexpr int kDefaultJoints = -1;

// A system with its default constants. InputError for an unknown name, or a number of joints that
// the system cannot have.
AnalyticSystem make_system(const std::string& name, int joints = kDefaultJoints);

}  // namespace mechfit
