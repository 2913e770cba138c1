#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mechfit/mechanics/symbolic/formulas.h"

// Pieces of C99 text.
namespace mechfit {

// Numbers and functions of one precision.
struct CStyle {
  bool single = false;  // float instead of double

  std::string number(double x) const;                   // as short as it can be, exact in double
  std::string function(const std::string& name) const;  // sin or sinf
  std::string type() const { return single ? "float" : "double"; }
};

// Statements that make `target = formula;` for all targets, what several of them need first, in
// temporaries t0, t1 ...; lines of at most 100 columns.
using Assignments = std::vector<std::pair<std::string, Formula>>;
std::string write_assignments(const Formulas& formulas, const Assignments& assignments,
                              const CStyle& style);

// Whether some formula of the list needs the variable.
bool uses(const Formulas& formulas, const Assignments& assignments, const std::string& variable);

// static const type name[count] = {...};
std::string write_array(const std::string& name, const std::vector<double>& values,
                        const CStyle& style);

}  // namespace mechfit
