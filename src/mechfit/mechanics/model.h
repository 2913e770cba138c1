#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "mechfit/mechanics/description.h"
#include "mechfit/mechanics/lagrangian.h"
#include "mechfit/mechanics/symbolic/symbolic_model.h"

namespace mechfit {

struct Safetensors;
struct Scales;
class Model;

// In what numbers networks compute. Parameters, their gradients and all mechanics are float64 in
// either case. float32 is for training: steps take little more than half the time, and what is
// learned agrees in five digits.
enum class Precision { float64, float32 };
template <>
inline constexpr auto kNames<Precision> = names<Precision>({{Precision::float64, "float64"},
                                                            {Precision::float32, "float32"}});

// A family that describes itself (description.h). What else a family may have:
//   std::optional<std::vector<double>> parameters_of(const L& poorer)   theta of the same mechanics
//   L with_precision(Precision), L with_fixed_inputs()                  see Model
//   std::optional<Sketch> sketch(), std::vector<double> sketch_points(q)
//   SymbolicModel symbolic()                                            for programs in C
template <class L>
concept DescribedLagrangian = Lagrangian<L> && std::copyable<L> &&
    requires(const L& m, Safetensors& file) {
  { L::kFamily } -> std::convertible_to<const char*>;  // its name in model files
  { L::kKind } -> std::convertible_to<ParameterKind>;
  { m.joint_types() } -> std::same_as<std::vector<JointType>>;          // [n]
  { m.parameters_info() } -> std::same_as<std::vector<ParameterInfo>>;  // [p], at this theta
  { m.scale_is_free() } -> std::same_as<bool>;    // motions do not tell the scale of M, V, F
  { m.scales() } -> std::same_as<const Scales*>;  // units taken from data; null: physical ones
  { m.describe() } -> std::same_as<Description>;
  m.write(file);  // the metadata `config` and the tensors of a model file
};

// Any model family behind one type, so that algorithms are compiled once. A Model is a Lagrangian
// itself; the choice of the family costs one call through a pointer per operation on a block.
class Model {
 public:
  class Workspace;

  template <class L>
  requires(!std::same_as<L, Model> && DescribedLagrangian<L>) Model(L family);
  Model(const Model& other);
  Model(Model&&) noexcept;
  Model& operator=(const Model& other);
  Model& operator=(Model&&) noexcept;
  ~Model();

  // The family itself; null when it is another one.
  template <class L>
  const L* as() const;

  // The door (lagrangian.h).
  int joints() const;
  int inputs() const;
  int parameter_count() const;
  std::span<const double> parameters() const;
  void set_parameters(std::span<const double> theta);
  Workspace make_workspace() const;
  void forces(const Points& x, double* p, double* f, Workspace& w) const;
  void pullback(const Covectors& covectors, const Adjoints& adjoints, Workspace& w) const;
  void mass_rate(double* mdot_v, Workspace& w) const;
  void mass(const double* q, double* m, Workspace& w) const;
  void factor(double* g, Workspace& w) const;
  void mass_pullback(const double* weights, const Adjoints& adjoints, Workspace& w) const;
  void potential(double* potential, Workspace& w) const;
  int merged_size() const;
  void clear_gradient(Workspace& w) const;
  void add_gradient(Workspace& w, std::span<double> merged, bool add = true) const;
  void expand_gradient(std::span<const double> merged, std::span<double> theta) const;

  // What the family says of itself (DescribedLagrangian).
  const char* family() const;
  ParameterKind kind() const;
  std::vector<JointType> joint_types() const;
  std::vector<ParameterInfo> parameters_info() const;
  bool scale_is_free() const;
  const Scales* scales() const;
  Description describe() const;
  void write(Safetensors& file) const;

  // The parameters with which this is the same model as `poorer`, where both are of one family and
  // it can be.
  std::optional<std::vector<double>> parameters_of(const Model& poorer) const;
  // The same model with networks that compute so; other families have none.
  Model with_precision(Precision precision) const;
  // The same mechanics with inputs that act through the matrix that the user gave: a gain that was
  // learned is divided out of M, V and F. Nothing where that gain is not positive.
  std::optional<Model> with_fixed_inputs() const;
  // How to draw it, for machines that move in a plane, and where its points are: x0, y0, x1, y1 ...
  std::optional<Sketch> sketch() const;
  std::vector<double> sketch_points(std::span<const double> q) const;
  // As formulas and networks, where the family can be written down so.
  std::optional<SymbolicModel> symbolic() const;

 private:
  struct AnyWorkspace;
  struct AnyFamily;
  template <class L>
  struct HeldWorkspace;
  template <class L>
  struct Holder;

  std::unique_ptr<AnyFamily> self_;
};

}  // namespace mechfit

#include "mechfit/mechanics/model-inl.h"
