#pragma once

#include <span>
#include <vector>

#include "mechfit/mechanics/model.h"
#include "mechfit/net/mlp.h"

namespace mechfit {

struct Start;
struct StartData;

struct ResidualConfig {
  std::vector<int> hidden = {16, 16};  // widths, tanh
  std::vector<double> speed, width;    // of v and of the step in it [n]
  std::vector<double> place, reach;    // of plain joints' q [n]
  std::vector<double> force;           // size of the network's outputs [n]
};

// A model of known structure and what it leaves unexplained, forces from a network:
//
//   M, V of the base,   F_i = F_i of the base + force_i network(x)_i
//
// x: cos q and sin q of periodic joints, (q - place) / reach of plain ones; v / speed; and the step
// tanh(v / width), for what is left of friction. theta: the base's, then the network's.
class Residual {
 public:
  struct Workspace {
    Model::Workspace base;
    Mlp::Workspace network;
    AlignedVector x, slope, bend, y_bar;
  };

  // The network's outputs are zero until it is trained: it begins as the base.
  Residual(Model base, ResidualConfig config, Random& random);

  const Model& base() const { return base_; }
  int base_count() const { return base_.parameter_count(); }

  // The door, see lagrangian.h.
  int joints() const { return n_; }
  int inputs() const { return base_.inputs(); }
  int parameter_count() const { return static_cast<int>(theta_.size()); }
  std::span<const double> parameters() const { return theta_; }
  void set_parameters(std::span<const double> theta);
  Workspace make_workspace() const;
  void forces(const Points& x, double* p, double* f, Workspace& w) const;
  void pullback(const Covectors& covectors, const Adjoints& adjoints, Workspace& w) const;
  void mass_rate(double* rate, Workspace& w) const { base_.mass_rate(rate, w.base); }
  void mass(const double* q, double* m, Workspace& w) const { base_.mass(q, m, w.base); }
  void factor(double* g, Workspace& w) const { base_.factor(g, w.base); }
  void mass_pullback(const double* weights, const Adjoints& adjoints, Workspace& w) const;
  void potential(double* v, Workspace& w) const { base_.potential(v, w.base); }
  int merged_size() const { return base_.merged_size() + network_.merged_size(); }
  void clear_gradient(Workspace& w) const;
  void add_gradient(Workspace& w, std::span<double> merged, bool add = true) const;
  void expand_gradient(std::span<const double> merged, std::span<double> theta) const;

  // The door's second half, see model.h and families.h. It is made from a fit of its base, so no
  // option asks for it.
  static constexpr const char* kFamily = "residual";
  static constexpr ParameterKind kKind = ParameterKind::weights;
  static bool known_as(const std::string&) { return false; }
  static bool automatic(const StartData&) { return false; }
  static std::vector<Start> starts(const StartData& data);
  static Residual read(const Safetensors& file, const Channels& channels, const std::string& name);
  void write(Safetensors& file) const;
  std::vector<JointType> joint_types() const { return types_; }
  std::vector<ParameterInfo> parameters_info() const;
  bool scale_is_free() const { return base_.scale_is_free(); }
  const Scales* scales() const { return base_.scales(); }
  Description describe() const;
  SymbolicModel symbolic() const;

 private:
  void clear_lanes(const Adjoints& adjoints) const;

  Model base_;
  ResidualConfig config_;
  int n_, features_;  // of q
  std::vector<JointType> types_;
  Mlp network_;
  AlignedVector theta_;
};

static_assert(DescribedLagrangian<Residual>);

}  // namespace mechfit
