#include "mechfit/export/c_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

constexpr std::size_t kWidth = 100;  // columns of a line
// Characters of an expression above which it goes to a temporary of its own: three lines.
constexpr std::size_t kLongest = 250;

// How tightly a text holds together: sums, products, names and calls.
enum class Binding { sum, product, atom };

struct Text {
  std::string words;
  Binding binding;
};

std::string in_brackets(const Text& text, Binding least) {
  return text.binding < least ? "(" + text.words + ")" : text.words;
}

// Breaks a statement at spaces.
std::string wrapped(const std::string& statement) {
  std::string out = "  ";
  std::size_t column = 2, from = 0;
  while (from < statement.size()) {
    std::size_t to = statement.find(' ', from);
    if (to == std::string::npos) to = statement.size();
    const std::size_t length = to - from;
    if (column + length + 1 > kWidth && column > 6) {
      out += "\n      ";
      column = 6;
    } else if (from > 0) {
      out += ' ';
      ++column;
    }
    out.append(statement, from, length);
    column += length;
    from = to + 1;
  }
  return out + "\n";
}

class Writer {
 public:
  Writer(const Formulas& formulas, const Assignments& assignments, const CStyle& style)
      : nodes_(formulas.nodes()), style_(style), uses_(nodes_.size(), 0), texts_(nodes_.size()) {
    for (const auto& [target, formula] : assignments)
      if (formula.owner) ++uses_[formula.index];
    for (int k = static_cast<int>(nodes_.size()) - 1; k >= 0; --k)
      if (uses_[k] > 0)
        for (int operand : {nodes_[k].a, nodes_[k].b})
          if (operand >= 0) ++uses_[operand];
  }

  std::string statements(const Assignments& assignments) {
    for (std::size_t k = 0; k < nodes_.size(); ++k)
      if (uses_[k] > 0) make(static_cast<int>(k));
    for (const auto& [target, formula] : assignments)
      out_ += wrapped(target + " = " +
                      (formula.owner ? texts_[formula.index].words : style_.number(formula.value)) +
                      ";");
    return out_;
  }

  bool used(int node) const { return uses_[node] > 0; }

 private:
  void make(int k) {
    texts_[k] = text(k);
    const FormulaOp op = nodes_[k].op;
    if (op == FormulaOp::number || op == FormulaOp::variable) return;
    if (uses_[k] < 2 && texts_[k].words.size() < kLongest) return;
    const std::string name = "t" + std::to_string(temporaries_++);
    out_ += wrapped("const " + style_.type() + " " + name + " = " + texts_[k].words + ";");
    texts_[k] = {name, Binding::atom};
  }

  Text text(int k) const {
    const Formulas::Node& node = nodes_[k];
    const auto operand = [&](int which, Binding least) {
      return in_brackets(texts_[which], least);
    };
    const auto call = [&](const char* name) {
      return Text{style_.function(name) + "(" + texts_[node.a].words + ")", Binding::atom};
    };
    switch (node.op) {
      case FormulaOp::number:
        return {style_.number(node.value), node.value < 0 ? Binding::sum : Binding::atom};
      case FormulaOp::variable:
        return {node.name, Binding::atom};
      case FormulaOp::add:
        return {texts_[node.a].words + " + " + operand(node.b, Binding::product), Binding::sum};
      case FormulaOp::subtract:
        return {texts_[node.a].words + " - " + operand(node.b, Binding::product), Binding::sum};
      case FormulaOp::multiply: {
        // A negative number may stand first without brackets.
        const bool number = nodes_[node.a].op == FormulaOp::number;
        const std::string first = number ? texts_[node.a].words : operand(node.a, Binding::product);
        return {first + " * " + operand(node.b, Binding::product),
                number && nodes_[node.a].value < 0 ? Binding::sum : Binding::product};
      }
      case FormulaOp::negate:
        return {"-" + operand(node.a, Binding::product), Binding::sum};
      case FormulaOp::sin:
        return call("sin");
      case FormulaOp::cos:
        return call("cos");
      case FormulaOp::tanh:
        return call("tanh");
      case FormulaOp::exp:
        return call("exp");
    }
    MECHFIT_CHECK(false);
    return {};
  }

  const std::vector<Formulas::Node>& nodes_;
  const CStyle& style_;
  std::vector<int> uses_;
  std::vector<Text> texts_;
  int temporaries_ = 0;
  std::string out_;
};

}  // namespace

std::string CStyle::number(double x) const {
  MECHFIT_CHECK(std::isfinite(x), "a number that is not finite cannot be written");
  std::string text = single ? fmt::format("{}", static_cast<float>(x)) : fmt::format("{}", x);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return single ? text + "f" : text;
}

std::string CStyle::function(const std::string& name) const { return single ? name + "f" : name; }

std::string write_assignments(const Formulas& formulas, const Assignments& assignments,
                              const CStyle& style) {
  return Writer(formulas, assignments, style).statements(assignments);
}

bool uses(const Formulas& formulas, const Assignments& assignments, const std::string& variable) {
  const Writer writer(formulas, assignments, {});
  const auto& nodes = formulas.nodes();
  for (std::size_t k = 0; k < nodes.size(); ++k)
    if (nodes[k].op == FormulaOp::variable && nodes[k].name.starts_with(variable) &&
        writer.used(static_cast<int>(k)))
      return true;
  return false;
}

std::string write_array(const std::string& name, const std::vector<double>& values,
                        const CStyle& style) {
  std::string list;
  for (double x : values) list += (list.empty() ? "" : ", ") + style.number(x);
  return wrapped(fmt::format("static const {} {}[{}] = {{{}}};", style.type(), name,
                             std::max<std::size_t>(values.size(), 1), values.empty() ? "0" : list));
}

}  // namespace mechfit
