#include "mechfit/mechanics/symbolic/formulas.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

bool is_number(const Formula& a) { return a.owner == nullptr; }
bool is_number(const Formula& a, double value) { return is_number(a) && a.value == value; }
// Of -x the x, of a product with a negative number that with the positive one; nothing of another
// formula.
std::optional<Formula> negated(const Formula& a) {
  if (is_number(a)) return std::nullopt;
  const std::vector<Formulas::Node>& nodes = a.owner->nodes();
  const Formulas::Node node = nodes[a.index];
  if (node.op == FormulaOp::negate) return Formula(a.owner, node.a);
  if (node.op != FormulaOp::multiply || nodes[node.a].op != FormulaOp::number ||
      !(nodes[node.a].value < 0))
    return std::nullopt;
  return Formula(-nodes[node.a].value) * Formula(a.owner, node.b);
}

}  // namespace

Formula combine(FormulaOp op, const Formula& a, const Formula& b) {
  Formulas* owner = is_number(a) ? b.owner : a.owner;
  MECHFIT_CHECK(owner && (is_number(a) || is_number(b) || a.owner == b.owner));
  return owner->make(op, owner->place(a), owner->place(b), 0, "");
}

Formula operator+(const Formula& a, const Formula& b) {
  if (is_number(a) && is_number(b)) return a.value + b.value;
  if (is_number(a, 0)) return b;
  if (is_number(b, 0)) return a;
  if (is_number(b)) return b + a;  // numbers stand first
  if (const auto x = negated(b)) return a - *x;
  if (const auto x = negated(a)) return b - *x;
  return combine(FormulaOp::add, a, b);
}

Formula operator-(const Formula& a, const Formula& b) {
  if (is_number(a) && is_number(b)) return a.value - b.value;
  if (is_number(b, 0)) return a;
  if (is_number(b)) return -b.value + a;
  if (is_number(a, 0)) return -b;
  if (const auto x = negated(b)) return a + *x;
  return combine(FormulaOp::subtract, a, b);
}

Formula operator*(const Formula& a, const Formula& b) {
  if (is_number(a) && is_number(b)) return a.value * b.value;
  if (is_number(b)) return b * a;  // numbers stand first
  if (is_number(a, 0)) return 0;
  if (is_number(a, 1)) return b;
  if (is_number(a, -1)) return -b;
  if (const auto x = negated(b)) return is_number(a) ? -a.value * *x : -(a * *x);
  if (const auto x = negated(a)) return -(*x * b);
  return combine(FormulaOp::multiply, a, b);
}

Formula operator-(const Formula& a) {
  if (is_number(a)) return -a.value;
  if (const auto x = negated(a)) return *x;
  return a.owner->make(FormulaOp::negate, a.index, -1, 0, "");
}

Formula sin(const Formula& a) {
  if (is_number(a)) return std::sin(a.value);
  return a.owner->make(FormulaOp::sin, a.index, -1, 0, "");
}

Formula cos(const Formula& a) {
  if (is_number(a)) return std::cos(a.value);
  return a.owner->make(FormulaOp::cos, a.index, -1, 0, "");
}

Formula tanh(const Formula& a) {
  if (is_number(a)) return std::tanh(a.value);
  return a.owner->make(FormulaOp::tanh, a.index, -1, 0, "");
}

Formula exp(const Formula& a) {
  if (is_number(a)) return std::exp(a.value);
  return a.owner->make(FormulaOp::exp, a.index, -1, 0, "");
}

Formula Formulas::make(FormulaOp op, int a, int b, double value, const std::string& name) {
  const auto [entry, is_new] =
      known_.try_emplace({op, a, b, value, name}, static_cast<int>(nodes_.size()));
  if (is_new) nodes_.push_back({op, a, b, value, name});
  return Formula(this, entry->second);
}

Formula Formulas::variable(const std::string& name) {
  return make(FormulaOp::variable, -1, -1, 0, name);
}

int Formulas::place(const Formula& a) {
  if (is_number(a)) return make(FormulaOp::number, -1, -1, a.value, "").index;
  MECHFIT_CHECK(a.owner == this);
  return a.index;
}

Formula Formulas::at(int node) {
  return nodes_[node].op == FormulaOp::number ? Formula(nodes_[node].value) : Formula(this, node);
}

Formula Formulas::slope(int node) {
  const Formula y = at(node), x = at(nodes_[node].a);
  switch (nodes_[node].op) {
    case FormulaOp::sin:
      return cos(x);
    case FormulaOp::cos:
      return -sin(x);
    case FormulaOp::tanh:
      return 1 - y * y;
    case FormulaOp::exp:
      return y;
    default:
      MECHFIT_CHECK(false, "not a function");
  }
  return 0;
}

std::vector<Formula> Formulas::gradient(const Formula& y, std::span<const Formula> x) {
  std::vector<Formula> out(x.size());
  if (is_number(y)) return out;
  // New nodes are made on the way, all behind y.
  std::vector<Formula> adjoint(y.index + 1);
  adjoint[y.index] = 1;
  for (int k = y.index; k >= 0; --k) {
    const Node node = nodes_[k];
    const Formula g = adjoint[k];
    if (is_number(g, 0)) continue;
    switch (node.op) {
      case FormulaOp::number:
      case FormulaOp::variable:
        break;
      case FormulaOp::add:
        adjoint[node.a] += g;
        adjoint[node.b] += g;
        break;
      case FormulaOp::subtract:
        adjoint[node.a] += g;
        adjoint[node.b] -= g;
        break;
      case FormulaOp::multiply:
        adjoint[node.a] += g * at(node.b);
        adjoint[node.b] += g * at(node.a);
        break;
      case FormulaOp::negate:
        adjoint[node.a] -= g;
        break;
      default:
        adjoint[node.a] += g * slope(k);
    }
  }
  for (std::size_t k = 0; k < x.size(); ++k)
    if (x[k].index <= y.index) out[k] = adjoint[x[k].index];
  return out;
}

std::vector<Formula> Formulas::along(std::span<const Formula> y, std::span<const Formula> x,
                                     std::span<const Formula> dx) {
  MECHFIT_CHECK(x.size() == dx.size());
  int last = -1;
  for (const Formula& each : y) last = std::max(last, each.index);
  std::vector<Formula> tangent(last + 1);
  for (std::size_t k = 0; k < x.size(); ++k)
    if (x[k].index <= last) tangent[x[k].index] = dx[k];
  for (int k = 0; k <= last; ++k) {
    const Node node = nodes_[k];
    switch (node.op) {
      case FormulaOp::number:
      case FormulaOp::variable:
        break;
      case FormulaOp::add:
        tangent[k] = tangent[node.a] + tangent[node.b];
        break;
      case FormulaOp::subtract:
        tangent[k] = tangent[node.a] - tangent[node.b];
        break;
      case FormulaOp::multiply:
        tangent[k] = tangent[node.a] * at(node.b) + at(node.a) * tangent[node.b];
        break;
      case FormulaOp::negate:
        tangent[k] = -tangent[node.a];
        break;
      default:
        if (!is_number(tangent[node.a], 0)) tangent[k] = tangent[node.a] * slope(k);
    }
  }
  std::vector<Formula> out;
  for (const Formula& each : y) out.push_back(is_number(each) ? Formula(0) : tangent[each.index]);
  return out;
}

}  // namespace mechfit
