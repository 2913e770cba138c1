#include <cmath>
#include <utility>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/families/analytic/tape.h"

namespace mechfit {

namespace {

bool is_literal(const Expr& a) { return a.tape == nullptr; }
bool is_literal(const Expr& a, double value) { return is_literal(a) && a.value == value; }

}  // namespace

TapeBuilder::TapeBuilder(int inputs) {
  tape_.inputs_ = inputs;
  tape_.nodes_ = inputs;
}

Expr TapeBuilder::input(int k) {
  MECHFIT_CHECK(0 <= k && k < tape_.inputs_);
  return Expr(this, {k, false});
}

Expr TapeBuilder::parameter() {
  tape_.uniforms_.push_back({TapeOp::parameter, 0, tape_.parameters_++, 0});
  return Expr(this, {tape_.uniforms() - 1, true});
}

void TapeBuilder::output(const Expr& y) { tape_.outputs_.push_back(place(y)); }

TapeOperand TapeBuilder::place(const Expr& a) {
  if (is_literal(a)) {
    tape_.uniforms_.push_back({TapeOp::literal, a.value, 0, 0});
    return {tape_.uniforms() - 1, true};
  }
  MECHFIT_CHECK(a.tape == this);
  return a.operand;
}

Expr TapeBuilder::record(TapeOp op, const Expr& left, const Expr& right) {
  const bool left_uniform = left.operand.uniform, right_uniform = right.operand.uniform;
  // The left operand of a step is in a panel: u - x = (-1) x + u, sums and products turn round.
  if (op == TapeOp::subtract && left_uniform && !right_uniform) return right * Expr(-1) + left;
  TapeOperand a = place(left), b = place(right);
  if (left_uniform && right_uniform) {
    tape_.uniforms_.push_back({op, 0, a.index, b.index});
    return Expr(this, {tape_.uniforms() - 1, true});
  }
  if (left_uniform) std::swap(a, b);
  tape_.steps_.push_back({op, tape_.nodes_, a.index, b});
  return Expr(this, {tape_.nodes_++, false});
}

int TapeBuilder::sin_cos(const Expr& a) {
  const TapeOperand x = place(a);
  MECHFIT_CHECK(!x.uniform);
  const auto [entry, is_new] = sin_cos_.try_emplace(x.index, tape_.nodes_);
  if (is_new) {
    tape_.steps_.push_back({TapeOp::sin_cos, tape_.nodes_, x.index, {}});
    tape_.nodes_ += 2;
  }
  return entry->second;
}

Expr operator+(const Expr& a, const Expr& b) {
  if (is_literal(a) && is_literal(b)) return Expr(a.value + b.value);
  if (is_literal(a, 0)) return b;
  if (is_literal(b, 0)) return a;
  return (is_literal(a) ? b : a).tape->record(TapeOp::add, a, b);
}

Expr operator-(const Expr& a, const Expr& b) {
  if (is_literal(a) && is_literal(b)) return Expr(a.value - b.value);
  if (is_literal(a, 0)) return Expr(-1) * b;
  if (is_literal(b, 0)) return a;
  return (is_literal(a) ? b : a).tape->record(TapeOp::subtract, a, b);
}

Expr operator*(const Expr& a, const Expr& b) {
  if (is_literal(a) && is_literal(b)) return Expr(a.value * b.value);
  if (is_literal(a, 0) || is_literal(b, 0)) return Expr(0);
  if (is_literal(a, 1)) return b;
  if (is_literal(b, 1)) return a;
  return (is_literal(a) ? b : a).tape->record(TapeOp::multiply, a, b);
}

Expr operator-(const Expr& a) { return Expr(0) - a; }

Expr sin(const Expr& a) {
  if (is_literal(a)) return Expr(std::sin(a.value));
  return Expr(a.tape, {a.tape->sin_cos(a), false});
}

Expr cos(const Expr& a) {
  if (is_literal(a)) return Expr(std::cos(a.value));
  return Expr(a.tape, {a.tape->sin_cos(a) + 1, false});
}

Expr tanh(const Expr& a) {
  if (is_literal(a)) return Expr(std::tanh(a.value));
  MECHFIT_CHECK(!a.operand.uniform);
  return a.tape->record(TapeOp::tanh, a, a);
}

std::vector<Formula> Tape::trace(std::span<const double> uniforms,
                                 std::vector<Formula> nodes) const {
  MECHFIT_CHECK(static_cast<int>(nodes.size()) == inputs_);
  nodes.resize(nodes_);
  const auto at = [&](const TapeOperand& x) {
    return x.uniform ? Formula(uniforms[x.index]) : nodes[x.index];
  };
  for (const Step& step : steps_) {
    const Formula a = nodes[step.a];
    switch (step.op) {
      case TapeOp::add:
        nodes[step.out] = a + at(step.b);
        break;
      case TapeOp::subtract:
        nodes[step.out] = a - at(step.b);
        break;
      case TapeOp::multiply:
        nodes[step.out] = a * at(step.b);
        break;
      case TapeOp::sin_cos:
        nodes[step.out] = sin(a);
        nodes[step.out + 1] = cos(a);
        break;
      case TapeOp::tanh:
        nodes[step.out] = tanh(a);
        break;
      case TapeOp::literal:
      case TapeOp::parameter:
        MECHFIT_CHECK(false, "uniforms are no steps");
    }
  }
  std::vector<Formula> out;
  for (const TapeOperand& output : outputs_) out.push_back(at(output));
  return out;
}

}  // namespace mechfit
