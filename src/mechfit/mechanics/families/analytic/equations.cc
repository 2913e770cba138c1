#include "mechfit/mechanics/families/analytic/equations.h"

#include <utility>

#include "mechfit/base/error.h"

namespace mechfit {

EquationWriter::EquationWriter(std::string name, std::vector<JointDefinition> joints,
                               std::vector<InputDefinition> inputs)
    : builder_(static_cast<int>(2 * joints.size() + inputs.size())) {
  MECHFIT_CHECK(!joints.empty());
  mass_.resize(joints.size() * (joints.size() + 1) / 2);
  force_.resize(joints.size());
  equations_.name = std::move(name);
  equations_.joints = std::move(joints);
  equations_.inputs = std::move(inputs);
}

Expr EquationWriter::constant(std::string name, double value, std::string unit, Range range) {
  equations_.constants.push_back({std::move(name), value, std::move(unit), range});
  return builder_.parameter();
}

Expr& EquationWriter::M(int i, int j) {
  MECHFIT_CHECK(0 <= j && j <= i && i < n());
  return mass_[i * (i + 1) / 2 + j];
}

void EquationWriter::viscous_damping(const std::vector<std::string>& names,
                                     const std::vector<std::string>& units) {
  MECHFIT_CHECK(static_cast<int>(names.size()) == n() && static_cast<int>(units.size()) == n());
  for (int i = 0; i < n(); ++i) F(i) -= constant(names[i], 0, units[i], Range::nonnegative) * v(i);
}

Equations EquationWriter::finish() {
  for (const Expr& entry : mass_) builder_.output(entry);
  builder_.output(V);
  for (const Expr& entry : force_) builder_.output(entry);
  equations_.tape = builder_.finish();
  return std::move(equations_);
}

}  // namespace mechfit
