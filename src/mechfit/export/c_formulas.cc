#include <fmt/format.h>

#include "mechfit/export/c_parts.h"

namespace mechfit {
namespace {

std::string element(const char* array, int index) { return fmt::format("{}[{}]", array, index); }

// A C function of arrays; those that it does not need are named all the same.
std::string function(const std::string& comment, const std::string& head,
                     const std::vector<std::string>& arguments, const Assignments& assignments,
                     const Formulas& formulas, const CStyle& style) {
  std::string unused;
  for (const std::string& argument : arguments)
    if (!uses(formulas, assignments, argument + "[")) unused += "  (void)" + argument + ";\n";
  return "\n/* " + comment + " */\nstatic inline " + head + " {\n" + unused +
         write_assignments(formulas, assignments, style) + "}\n";
}

std::vector<Formula> variables(Formulas& formulas, const char* name, int count) {
  std::vector<Formula> out;
  for (int i = 0; i < count; ++i) out.push_back(formulas.variable(element(name, i)));
  return out;
}

std::vector<Formula> joined(std::vector<Formula> a, const std::vector<Formula>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Assignments assign(const char* array, const std::vector<Formula>& formulas) {
  Assignments out;
  for (std::size_t i = 0; i < formulas.size(); ++i)
    out.emplace_back(element(array, static_cast<int>(i)), formulas[i]);
  return out;
}

// Both triangles of M.
Assignments assign_mass(SymbolicModel& model) {
  const int n = static_cast<int>(model.q.size());
  std::vector<Formula> full;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) full.push_back(model.M(std::max(i, j), std::min(i, j)));
  return assign("M", full);
}

std::vector<Formula> mass_times(SymbolicModel& model, const std::vector<Formula>& x) {
  const int n = static_cast<int>(x.size());
  std::vector<Formula> out(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) out[i] += model.M(std::max(i, j), std::min(i, j)) * x[j];
  return out;
}

}  // namespace

std::string formula_terms(SymbolicModel& model, const CStyle& style) {
  Formulas& formulas = *model.formulas;
  const int n = static_cast<int>(model.q.size());
  std::string out =
      function("Mass matrix, both triangles", "void $_mass(const $_real* q, $_real* M)", {"q"},
               assign_mass(model), formulas, style);
  out += function("Potential energy", "$_real $_potential(const $_real* q)", {"q"},
                  {{"const $_real V", model.potential}}, formulas, style);
  out.insert(out.size() - 2, "  return V;\n");

  // L = 1/2 v' M v - V; along v: Mdot v
  const std::vector<Formula> p = mass_times(model, model.v);
  Formula twice = 0;
  for (int i = 0; i < n; ++i) twice += model.v[i] * p[i];
  const std::vector<Formula> slope = formulas.gradient(0.5 * twice - model.potential, model.q);
  const std::vector<Formula> rate = formulas.along(p, model.q, model.v);
  Assignments terms = assign_mass(model);
  for (const auto& [name, values] : {std::pair{"rate", rate}, std::pair{"slope", slope}})
    for (auto& each : assign(name, values)) terms.push_back(each);
  out += function("M, Mdot v and dL/dq",
                  "void $_terms(const $_real* q, const $_real* v, $_real* M, $_real* rate,\n"
                  "                            $_real* slope)",
                  {"q", "v"}, terms, formulas, style);

  const std::vector<Formula> a = variables(formulas, "a", n), dq = variables(formulas, "dq", n),
                             dv = variables(formulas, "dv", n);
  std::vector<Formula> g = mass_times(model, a);
  for (int i = 0; i < n; ++i) g[i] += rate[i] - slope[i];
  const std::vector<Formula> dg = formulas.along(g, joined(model.q, model.v), joined(dq, dv));
  out +=
      function("d(M a + Mdot v - dL/dq) along (dq, dv), a fixed",
               "void $_terms_along(const $_real* q, const $_real* v, const $_real* a,\n"
               "                                  const $_real* dq, const $_real* dv, $_real* dg)",
               {"q", "v", "a", "dq", "dv"}, assign("dg", dg), formulas, style);
  return out + kJacobianByDirections;
}

std::string force_functions(SymbolicModel& model, const CStyle& style) {
  Formulas& formulas = *model.formulas;
  const int n = static_cast<int>(model.q.size()), m = static_cast<int>(model.u.size());
  const bool network = model.networks && !model.networks->force.empty();
  std::string out =
      function("Forces F that do not come from L: friction, inputs",
               "void $_force(const $_real* q, const $_real* v, const $_real* u, $_real* F)",
               {"q", "v", "u"}, assign("F", model.force), formulas, style);
  if (network) out.insert(out.size() - 2, "  $_add_force_network(q, v, F);\n");
  const std::vector<Formula> dq = variables(formulas, "dq", n), dv = variables(formulas, "dv", n),
                             du = variables(formulas, "du", m);
  const std::vector<Formula> dF = formulas.along(
      model.force, joined(joined(model.q, model.v), model.u), joined(joined(dq, dv), du));
  out += function("dF along (dq, dv, du)",
                  "void $_force_along(const $_real* q, const $_real* v, const $_real* u,\n"
                  "                                  const $_real* dq, const $_real* dv,\n"
                  "                                  const $_real* du, $_real* dF)",
                  {"q", "v", "u", "dq", "dv", "du"}, assign("dF", dF), formulas, style);
  if (network) out.insert(out.size() - 2, "  $_add_force_network_along(q, v, dq, dv, dF);\n");
  return out;
}

}  // namespace mechfit
