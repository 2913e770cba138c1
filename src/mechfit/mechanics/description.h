#pragma once

#include <string>
#include <vector>

// The door's second half (lagrangian.h has the first): what a family says about itself, so that no
// algorithm asks which family it has.
namespace mechfit {

enum class Range { any, nonnegative, positive };

// What the parameters of a family are to an algorithm.
enum class ParameterKind {
  weights,       // of networks: many, without meaning one by one; trained by gradients
  coefficients,  // of functions: few, those that the data do not need vanish
  constants      // of a machine: few, each with a meaning, a unit and a standard error
};

// One entry of theta. The prior is Gaussian, on log theta where theta is positive, else on theta.
struct ParameterInfo {
  std::string name, unit;
  Range range = Range::any;
  double prior_mean = 0.0;
  double prior_precision = 0.0;  // 0: flat
  double size = 1.0;      // a change of this (of log theta where positive) is one of its own size
  double step = 1.0;      // first-order methods move theta in units of this
  bool prunable = false;  // zero unless the data ask for it
};

// What a person wants to read of a model.
struct Description {
  struct Value {
    std::string name;
    double value;
    std::string unit;
    int parameter = -1;  // of theta that it comes from; -1: none, it is given
    double slope = 1.0;  // d(value)/d(parameter)
  };
  std::string words;          // "trigonometric polynomials of degree 1"
  std::vector<Value> values;  // constants, friction, inputs: what has a meaning, in physical units
};

// How a machine that moves in a plane is drawn: lines between points and bodies on them.
struct Sketch {
  struct Link {
    int from, to;
    std::string kind;  // rod, spring
  };
  struct Body {
    int point;
    std::string kind;  // pivot, joint, bob, cart
  };
  std::vector<Link> links;
  std::vector<Body> bodies;
  bool rail = false;  // a horizontal line that the first point slides on
  int trail = 0;      // the point whose path is drawn
};

}  // namespace mechfit
