#include "mechfit/mechanics/symbolic/symbolic_model.h"

#include <string>

namespace mechfit {

SymbolicModel::SymbolicModel(int n, int m)
    : formulas(std::make_shared<Formulas>()), mass(n * (n + 1) / 2), force(n) {
  const auto numbered = [&](const char* name, int count) {
    std::vector<Formula> out;
    for (int i = 0; i < count; ++i)
      out.push_back(formulas->variable(name + ("[" + std::to_string(i) + "]")));
    return out;
  };
  q = numbered("q", n);
  v = numbered("v", n);
  u = numbered("u", m);
}

}  // namespace mechfit
