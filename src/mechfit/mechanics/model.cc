#include "mechfit/mechanics/model.h"

#include <type_traits>
#include <utility>

namespace mechfit {
namespace {

// f(family, its workspace). A workspace of another family throws std::bad_variant_access.
template <class F>
void with(const Model::Family& family, Model::Workspace& w, const F& f) {
  std::visit(
      [&](const auto& model) {
        f(model, std::get<typename std::decay_t<decltype(model)>::Workspace>(w));
      },
      family);
}

}  // namespace

Model::Model(AnalyticSystem family) : family_(std::move(family)) {}
Model::Model(Smm family) : family_(std::move(family)) {}
Model::Model(Trig family) : family_(std::move(family)) {}
Model::Model(const Model&) = default;
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(const Model&) = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

int Model::joints() const {
  return std::visit([](const auto& model) { return model.joints(); }, family_);
}

int Model::inputs() const {
  return std::visit([](const auto& model) { return model.inputs(); }, family_);
}

int Model::parameter_count() const {
  return std::visit([](const auto& model) { return model.parameter_count(); }, family_);
}

std::span<const double> Model::parameters() const {
  return std::visit([](const auto& model) { return std::span<const double>(model.parameters()); },
                    family_);
}

void Model::set_parameters(std::span<const double> theta) {
  std::visit([&](auto& model) { model.set_parameters(theta); }, family_);
}

Model::Workspace Model::make_workspace() const {
  return std::visit([](const auto& model) { return Workspace(model.make_workspace()); }, family_);
}

void Model::forces(const Points& x, double* p, double* f, Workspace& w) const {
  with(family_, w, [&](const auto& model, auto& work) { model.forces(x, p, f, work); });
}

void Model::pullback(const Covectors& covectors, const Adjoints& adjoints, Workspace& w) const {
  with(family_, w,
       [&](const auto& model, auto& work) { model.pullback(covectors, adjoints, work); });
}

void Model::mass_rate(double* mdot_v, Workspace& w) const {
  with(family_, w, [&](const auto& model, auto& work) { model.mass_rate(mdot_v, work); });
}

void Model::mass(const double* q, double* m, Workspace& w) const {
  with(family_, w, [&](const auto& model, auto& work) { model.mass(q, m, work); });
}

void Model::factor(double* g, Workspace& w) const {
  with(family_, w, [&](const auto& model, auto& work) { model.factor(g, work); });
}

void Model::mass_pullback(const double* weights, const Adjoints& adjoints, Workspace& w) const {
  with(family_, w,
       [&](const auto& model, auto& work) { model.mass_pullback(weights, adjoints, work); });
}

void Model::potential(double* potential, Workspace& w) const {
  with(family_, w, [&](const auto& model, auto& work) { model.potential(potential, work); });
}

int Model::merged_size() const {
  return std::visit([](const auto& model) { return model.merged_size(); }, family_);
}

void Model::clear_gradient(Workspace& w) const {
  with(family_, w, [&](const auto& model, auto& work) { model.clear_gradient(work); });
}

void Model::add_gradient(Workspace& w, std::span<double> merged, bool add) const {
  with(family_, w, [&](const auto& model, auto& work) { model.add_gradient(work, merged, add); });
}

void Model::expand_gradient(std::span<const double> merged, std::span<double> theta) const {
  std::visit([&](const auto& model) { model.expand_gradient(merged, theta); }, family_);
}

Model with_precision(const Model& model, Precision precision) {
  const Smm* smm = model.as<Smm>();
  return smm ? Model(smm->with_precision(precision)) : model;
}

}  // namespace mechfit
