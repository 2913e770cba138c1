#pragma once

// How Model holds a family: included by model.h alone.
#include "mechfit/base/error.h"
#include "mechfit/mechanics/model.h"

namespace mechfit {

struct Model::AnyWorkspace {
  virtual ~AnyWorkspace() = default;
  virtual std::unique_ptr<AnyWorkspace> clone() const = 0;
  const std::type_info* type = nullptr;  // of what it holds
};

template <class L>
struct Model::HeldWorkspace final : AnyWorkspace {
  explicit HeldWorkspace(typename L::Workspace w) : workspace(std::move(w)) {
    type = &typeid(typename L::Workspace);
  }
  std::unique_ptr<AnyWorkspace> clone() const override {
    return std::make_unique<HeldWorkspace>(workspace);
  }
  typename L::Workspace workspace;
};

// Scratch memory of one family's model.
class Model::Workspace {
 public:
  Workspace() = default;
  Workspace(const Workspace& other) : held_(other.held_ ? other.held_->clone() : nullptr) {}
  Workspace(Workspace&&) noexcept = default;
  Workspace& operator=(const Workspace& other) {
    held_ = other.held_ ? other.held_->clone() : nullptr;
    return *this;
  }
  Workspace& operator=(Workspace&&) noexcept = default;
  ~Workspace() = default;

  // As family L has it.
  template <class L>
  typename L::Workspace& of() {
    MECHFIT_CHECK(held_ && *held_->type == typeid(typename L::Workspace),
                  std::string("the workspace belongs to another family"));
    return static_cast<HeldWorkspace<L>&>(*held_).workspace;
  }

 private:
  friend class Model;
  explicit Workspace(std::unique_ptr<AnyWorkspace> held) : held_(std::move(held)) {}
  std::unique_ptr<AnyWorkspace> held_;
};

struct Model::AnyFamily {
  virtual ~AnyFamily() = default;
  virtual std::unique_ptr<AnyFamily> clone() const = 0;
  virtual int joints() const = 0;
  virtual int inputs() const = 0;
  virtual int parameter_count() const = 0;
  virtual std::span<const double> parameters() const = 0;
  virtual void set_parameters(std::span<const double> theta) = 0;
  virtual std::unique_ptr<AnyWorkspace> make_workspace() const = 0;
  virtual void forces(const Points& x, double* p, double* f, Workspace& w) const = 0;
  virtual void pullback(const Covectors& c, const Adjoints& a, Workspace& w) const = 0;
  virtual void mass_rate(double* mdot_v, Workspace& w) const = 0;
  virtual void mass(const double* q, double* m, Workspace& w) const = 0;
  virtual void factor(double* g, Workspace& w) const = 0;
  virtual void mass_pullback(const double* weights, const Adjoints& a, Workspace& w) const = 0;
  virtual void potential(double* potential, Workspace& w) const = 0;
  virtual int merged_size() const = 0;
  virtual void clear_gradient(Workspace& w) const = 0;
  virtual void add_gradient(Workspace& w, std::span<double> merged, bool add) const = 0;
  virtual void expand_gradient(std::span<const double> merged, std::span<double> theta) const = 0;

  virtual const char* family_name() const = 0;
  virtual ParameterKind kind() const = 0;
  virtual std::vector<JointType> joint_types() const = 0;
  virtual std::vector<ParameterInfo> parameters_info() const = 0;
  virtual bool scale_is_free() const = 0;
  virtual const Scales* scales() const = 0;
  virtual Description describe() const = 0;
  virtual void write(Safetensors& file) const = 0;
  virtual std::optional<std::vector<double>> parameters_of(const AnyFamily& poorer) const = 0;
  virtual Model with_precision(Precision precision) const = 0;
  virtual std::optional<Model> with_fixed_inputs() const = 0;
  virtual std::optional<Sketch> sketch() const = 0;
  virtual std::vector<double> sketch_points(std::span<const double> q) const = 0;
  virtual std::optional<SymbolicModel> symbolic() const = 0;
};

template <class L>
struct Model::Holder final : AnyFamily {
  explicit Holder(L f) : family(std::move(f)) {}
  std::unique_ptr<AnyFamily> clone() const override { return std::make_unique<Holder>(family); }

  int joints() const override { return family.joints(); }
  int inputs() const override { return family.inputs(); }
  int parameter_count() const override { return family.parameter_count(); }
  std::span<const double> parameters() const override { return family.parameters(); }
  void set_parameters(std::span<const double> theta) override { family.set_parameters(theta); }
  std::unique_ptr<AnyWorkspace> make_workspace() const override {
    return std::make_unique<HeldWorkspace<L>>(family.make_workspace());
  }
  void forces(const Points& x, double* p, double* f, Workspace& w) const override {
    family.forces(x, p, f, w.of<L>());
  }
  void pullback(const Covectors& c, const Adjoints& a, Workspace& w) const override {
    family.pullback(c, a, w.of<L>());
  }
  void mass_rate(double* mdot_v, Workspace& w) const override {
    family.mass_rate(mdot_v, w.of<L>());
  }
  void mass(const double* q, double* m, Workspace& w) const override {
    family.mass(q, m, w.of<L>());
  }
  void factor(double* g, Workspace& w) const override { family.factor(g, w.of<L>()); }
  void mass_pullback(const double* weights, const Adjoints& a, Workspace& w) const override {
    family.mass_pullback(weights, a, w.of<L>());
  }
  void potential(double* potential, Workspace& w) const override {
    family.potential(potential, w.of<L>());
  }
  int merged_size() const override { return family.merged_size(); }
  void clear_gradient(Workspace& w) const override { family.clear_gradient(w.of<L>()); }
  void add_gradient(Workspace& w, std::span<double> merged, bool add) const override {
    family.add_gradient(w.of<L>(), merged, add);
  }
  void expand_gradient(std::span<const double> merged, std::span<double> theta) const override {
    family.expand_gradient(merged, theta);
  }

  const char* family_name() const override { return L::kFamily; }
  ParameterKind kind() const override { return L::kKind; }
  std::vector<JointType> joint_types() const override { return family.joint_types(); }
  std::vector<ParameterInfo> parameters_info() const override { return family.parameters_info(); }
  bool scale_is_free() const override { return family.scale_is_free(); }
  const Scales* scales() const override { return family.scales(); }
  Description describe() const override { return family.describe(); }
  void write(Safetensors& file) const override { family.write(file); }

  std::optional<std::vector<double>> parameters_of(const AnyFamily& poorer) const override {
    if constexpr (requires { family.parameters_of(family); })
      if (const auto* other = dynamic_cast<const Holder*>(&poorer))
        return family.parameters_of(other->family);
    return {};
  }
  Model with_precision(Precision precision) const override {
    if constexpr (requires { family.with_precision(precision); })
      return family.with_precision(precision);
    else
      return family;
  }
  std::optional<Model> with_fixed_inputs() const override {
    if constexpr (requires { family.with_fixed_inputs(); }) {
      if (auto fixed = family.with_fixed_inputs()) return Model(*std::move(fixed));
      return {};
    } else {
      return family;
    }
  }
  std::optional<Sketch> sketch() const override {
    if constexpr (requires { family.sketch(); }) return family.sketch();
    return {};
  }
  std::vector<double> sketch_points(std::span<const double> q) const override {
    if constexpr (requires { family.sketch_points(q); }) return family.sketch_points(q);
    return {};
  }
  std::optional<SymbolicModel> symbolic() const override {
    if constexpr (requires { family.symbolic(); }) return family.symbolic();
    return {};
  }

  L family;
};

template <class L>
requires(!std::same_as<L, Model> && DescribedLagrangian<L>) Model::Model(L family)
    : self_(std::make_unique<Holder<L>>(std::move(family))) {}

template <class L>
const L* Model::as() const {
  const auto* holder = dynamic_cast<const Holder<L>*>(self_.get());
  return holder ? &holder->family : nullptr;
}

static_assert(Lagrangian<Model>);

}  // namespace mechfit
