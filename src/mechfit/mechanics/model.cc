#include "mechfit/mechanics/model.h"

namespace mechfit {

Model::Model(const Model& other) : self_(other.self_->clone()) {}
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(const Model& other) {
  self_ = other.self_->clone();
  return *this;
}
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

int Model::joints() const { return self_->joints(); }
int Model::inputs() const { return self_->inputs(); }
int Model::parameter_count() const { return self_->parameter_count(); }
std::span<const double> Model::parameters() const { return self_->parameters(); }
void Model::set_parameters(std::span<const double> theta) { self_->set_parameters(theta); }
Model::Workspace Model::make_workspace() const { return Workspace(self_->make_workspace()); }
void Model::forces(const Points& x, double* p, double* f, Workspace& w) const {
  self_->forces(x, p, f, w);
}
void Model::pullback(const Covectors& covectors, const Adjoints& adjoints, Workspace& w) const {
  self_->pullback(covectors, adjoints, w);
}
void Model::mass_rate(double* mdot_v, Workspace& w) const { self_->mass_rate(mdot_v, w); }
void Model::mass(const double* q, double* m, Workspace& w) const { self_->mass(q, m, w); }
void Model::factor(double* g, Workspace& w) const { self_->factor(g, w); }
void Model::mass_pullback(const double* weights, const Adjoints& adjoints, Workspace& w) const {
  self_->mass_pullback(weights, adjoints, w);
}
void Model::potential(double* potential, Workspace& w) const { self_->potential(potential, w); }
int Model::merged_size() const { return self_->merged_size(); }
void Model::clear_gradient(Workspace& w) const { self_->clear_gradient(w); }
void Model::add_gradient(Workspace& w, std::span<double> merged, bool add) const {
  self_->add_gradient(w, merged, add);
}
void Model::expand_gradient(std::span<const double> merged, std::span<double> theta) const {
  self_->expand_gradient(merged, theta);
}

const char* Model::family() const { return self_->family_name(); }
ParameterKind Model::kind() const { return self_->kind(); }
std::vector<JointType> Model::joint_types() const { return self_->joint_types(); }
std::vector<ParameterInfo> Model::parameters_info() const { return self_->parameters_info(); }
bool Model::scale_is_free() const { return self_->scale_is_free(); }
const Scales* Model::scales() const { return self_->scales(); }
Description Model::describe() const { return self_->describe(); }
void Model::write(Safetensors& file) const { self_->write(file); }
std::optional<std::vector<double>> Model::parameters_of(const Model& poorer) const {
  return self_->parameters_of(*poorer.self_);
}
Model Model::with_precision(Precision precision) const { return self_->with_precision(precision); }
std::optional<Model> Model::with_fixed_inputs() const { return self_->with_fixed_inputs(); }
std::optional<Sketch> Model::sketch() const { return self_->sketch(); }
std::vector<double> Model::sketch_points(std::span<const double> q) const {
  return self_->sketch_points(q);
}
std::optional<SymbolicModel> Model::symbolic() const { return self_->symbolic(); }

}  // namespace mechfit
