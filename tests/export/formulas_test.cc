#include "mechfit/mechanics/symbolic/formulas.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "mechfit/base/gradient_check.h"
#include "mechfit/export/c_text.h"

namespace mechfit {
namespace {

// The value of a formula where the variables have these.
double value_of(const Formulas& formulas, const Formula& y, const std::vector<double>& x) {
  if (!y.owner) return y.value;
  std::vector<double> values;
  std::size_t variable = 0;
  for (const Formulas::Node& node : formulas.nodes()) {
    const double a = node.a < 0 ? 0 : values[node.a], b = node.b < 0 ? 0 : values[node.b];
    switch (node.op) {
      case FormulaOp::number:
        values.push_back(node.value);
        break;
      case FormulaOp::variable:
        values.push_back(x[variable++]);
        break;
      case FormulaOp::add:
        values.push_back(a + b);
        break;
      case FormulaOp::subtract:
        values.push_back(a - b);
        break;
      case FormulaOp::multiply:
        values.push_back(a * b);
        break;
      case FormulaOp::negate:
        values.push_back(-a);
        break;
      case FormulaOp::sin:
        values.push_back(std::sin(a));
        break;
      case FormulaOp::cos:
        values.push_back(std::cos(a));
        break;
      case FormulaOp::tanh:
        values.push_back(std::tanh(a));
        break;
      case FormulaOp::exp:
        values.push_back(std::exp(a));
        break;
    }
  }
  return values[y.index];
}

struct Case {
  Formulas formulas;
  std::vector<Formula> x = {formulas.variable("x"), formulas.variable("y")};
  Formula f =
      exp(-(x[0] * x[0])) * tanh(3 * x[1] - x[0]) - sin(x[0] * x[1]) * (2 - cos(x[1])) + 0.5 * x[1];
};

TEST(Formulas, DerivativesAgreeWithDifferences) {
  Case c;
  const std::vector<double> at = {0.7, -0.4};
  std::vector<double> gradient, along;
  for (const Formula& slope : c.formulas.gradient(c.f, c.x))
    gradient.push_back(value_of(c.formulas, slope, at));
  for (const std::vector<Formula>& direction :
       {std::vector<Formula>{1, 0}, std::vector<Formula>{0, 1}})
    along.push_back(value_of(c.formulas, c.formulas.along({&c.f, 1}, c.x, direction)[0], at));
  for (double slope : gradient) EXPECT_GT(std::abs(slope), 1e-3);
  const auto value = [&](std::span<const double> x) {
    return value_of(c.formulas, c.f, {x.begin(), x.end()});
  };
  const auto report = check_gradient(value, at, gradient);
  EXPECT_TRUE(report.agrees(1e-8)) << report.text();
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(along[i], gradient[i], 1e-14);
}

TEST(Formulas, EqualOnesAreOneAndNeutralNumbersAreGone) {
  Formulas formulas;
  const Formula x = formulas.variable("x"), y = formulas.variable("y");
  EXPECT_EQ((x * y + 0).index, (x * y).index);
  EXPECT_EQ((1 * x).index, x.index);
  EXPECT_FALSE((0 * x).owner);
  EXPECT_EQ((x - (-y)).index, (x + y).index);
  EXPECT_EQ((-(-x)).index, x.index);
}

TEST(CText, HasAsFewBracketsAsTheValuesNeed) {
  Formulas formulas;
  const Formula x = formulas.variable("x"), y = formulas.variable("y");
  const auto text = [&](const Formula& f) { return write_assignments(formulas, {{"z", f}}, {}); };
  EXPECT_EQ(text(x - (y - x)), "  z = x - (y - x);\n");
  EXPECT_EQ(text((x + y) * -2), "  z = -2.0 * (x + y);\n");
  EXPECT_EQ(text(x - 2 * y), "  z = x - 2.0 * y;\n");
  EXPECT_EQ(text(-(x + y)), "  z = -(x + y);\n");
  EXPECT_EQ(text(sin(x) * sin(x)), "  const double t0 = sin(x);\n  z = t0 * t0;\n");
  EXPECT_EQ(write_assignments(formulas, {{"z", 0.1 * cos(x)}}, {true}), "  z = 0.1f * cosf(x);\n");
}

}  // namespace
}  // namespace mechfit
