#pragma once

#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

// Formulas as data: what a model is when it is written down as a program of another language.
namespace mechfit {

class Formulas;

// One formula among `Formulas`; a plain number belongs to none.
struct Formula {
  Formula(double number = 0) : value(number) {}
  Formula(Formulas* among, int node) : owner(among), index(node) {}

  Formulas* owner = nullptr;
  int index = -1;
  double value = 0;  // of a plain number
};

Formula operator+(const Formula& a, const Formula& b);
Formula operator-(const Formula& a, const Formula& b);
Formula operator*(const Formula& a, const Formula& b);
Formula operator-(const Formula& a);
Formula sin(const Formula& a);
Formula cos(const Formula& a);
Formula tanh(const Formula& a);
Formula exp(const Formula& a);
inline Formula& operator+=(Formula& a, const Formula& b) { return a = a + b; }
inline Formula& operator-=(Formula& a, const Formula& b) { return a = a - b; }

enum class FormulaOp { number, variable, add, subtract, multiply, negate, sin, cos, tanh, exp };

// A heap of formulas in which equal ones are one node: nodes in an order in which operands come
// first. Sums with 0 and products with 0 and 1 are not there.
class Formulas {
 public:
  struct Node {
    FormulaOp op;
    int a = -1, b = -1;
    double value = 0;  // of a number
    std::string name;  // of a variable, as it is written
  };

  Formulas() = default;
  Formulas(const Formulas&) = delete;  // formulas point here
  Formulas& operator=(const Formulas&) = delete;

  Formula variable(const std::string& name);
  const std::vector<Node>& nodes() const { return nodes_; }
  int place(const Formula& a);  // its node, made where it is a plain number

  // d(y)/d(x_k) for all k, backwards through the formulas.
  std::vector<Formula> gradient(const Formula& y, std::span<const Formula> x);
  // Of each y along dx: sum over k of d(y)/d(x_k) dx_k.
  std::vector<Formula> along(std::span<const Formula> y, std::span<const Formula> x,
                             std::span<const Formula> dx);

 private:
  friend Formula combine(FormulaOp op, const Formula& a, const Formula& b);
  friend Formula operator-(const Formula& a);
  friend Formula sin(const Formula& a);
  friend Formula cos(const Formula& a);
  friend Formula tanh(const Formula& a);
  friend Formula exp(const Formula& a);
  Formula make(FormulaOp op, int a, int b, double value, const std::string& name);
  Formula at(int node);     // a number as such
  Formula slope(int node);  // of a function, to what stands in it

  std::vector<Node> nodes_;
  std::map<std::tuple<FormulaOp, int, int, double, std::string>, int> known_;
};

}  // namespace mechfit
