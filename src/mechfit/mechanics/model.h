#pragma once

#include <span>
#include <variant>

#include "mechfit/mechanics/families/analytic/analytic.h"
#include "mechfit/mechanics/families/smm/smm.h"
#include "mechfit/mechanics/families/trig/trig.h"
#include "mechfit/mechanics/lagrangian.h"

namespace mechfit {

// Any model family behind one type, so that algorithms are compiled once. A Model is a Lagrangian
// itself; the choice of the family costs one branch per operation on a block.
class Model {
 public:
  using Family = std::variant<AnalyticSystem, Smm, Trig>;
  using Workspace = std::variant<AnalyticSystem::Workspace, Smm::Workspace, Trig::Workspace>;

  Model(AnalyticSystem family);
  Model(Smm family);
  Model(Trig family);
  Model(const Model&);
  Model(Model&&) noexcept;
  Model& operator=(const Model&);
  Model& operator=(Model&&) noexcept;
  ~Model();

  const Family& family() const { return family_; }
  template <class L>
  const L* as() const {
    return std::get_if<L>(&family_);
  }

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

 private:
  Family family_;
};

static_assert(Lagrangian<Model>);

// The same model with networks that compute so; other families have none.
Model with_precision(const Model& model, Precision precision);

}  // namespace mechfit
