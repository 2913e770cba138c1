#pragma once

#include <string>
#include <vector>

#include "mechfit/mechanics/description.h"
#include "mechfit/mechanics/families/analytic/tape.h"
#include "mechfit/mechanics/lagrangian.h"

namespace mechfit {

// A physical constant of a system, one entry of theta.
struct ConstantDefinition {
  std::string name;
  double value;  // default
  std::string unit;
  Range range;
};

struct JointDefinition {
  std::string name;
  JointType type;
  std::string unit;
};

struct InputDefinition {
  std::string name;
  std::string unit;
};

// A system's equations, recorded: inputs of the tape are q, v, u; its outputs the lower triangle of
// M row by row, V, and F.
struct Equations {
  std::string name;
  std::vector<JointDefinition> joints;
  std::vector<InputDefinition> inputs;
  std::vector<ConstantDefinition> constants;
  Tape tape;
};

// Where a system writes its equations down.
class EquationWriter {
 public:
  EquationWriter(std::string name, std::vector<JointDefinition> joints,
                 std::vector<InputDefinition> inputs = {});

  int n() const { return static_cast<int>(equations_.joints.size()); }
  Expr constant(std::string name, double value, std::string unit, Range range = Range::positive);
  Expr q(int i) { return builder_.input(i); }
  Expr v(int i) { return builder_.input(n() + i); }
  Expr u(int k) { return builder_.input(2 * n() + k); }

  Expr& M(int i, int j);  // i >= j; zero until written
  Expr V;
  Expr& F(int i) { return force_.at(i); }

  // F_i -= eta_i v_i with a constant for each joint.
  void viscous_damping(const std::vector<std::string>& names,
                       const std::vector<std::string>& units);

  Equations finish();

 private:
  Equations equations_;
  TapeBuilder builder_;
  std::vector<Expr> mass_, force_;
};

}  // namespace mechfit
