#pragma once

#include <span>
#include <string>
#include <vector>

#include "mechfit/base/batch.h"
#include "mechfit/mechanics/lagrangian.h"
#include "mechfit/mechanics/symbolic/formulas.h"

namespace mechfit {

// Smooth functions of the configuration: products
//
//   x_1^a1 x_2^a2 ... cos(k1 q1 + k2 q2 + ...)   and the same with sin
//
// of powers of the plain joints (x = (q - offset) / scale) and harmonics of the periodic ones. With
// |k_i| <= degree and a_i <= 2 degree these span the products of every joint's own functions up to
// that degree. Function 0 is the constant; functions of few joints come first.
class TrigBasis {
 public:
  struct Limits {
    int degree = 1;
    int joints = 1;  // a function depends on at most that many
  };

  TrigBasis(std::vector<JointType> types, std::vector<double> offset, std::vector<double> scale,
            const Limits& limits);

  // Functions that such a basis has, without making it: their number can be astronomic.
  static double count(const std::vector<JointType>& types, const Limits& limits);

  int size() const { return static_cast<int>(functions_.size()); }
  int size(int joints) const;  // functions of at most that many joints
  std::string name(int function, const std::vector<std::string>& joints) const;
  // Where the function of another basis is in this one; -1: nowhere.
  int find(const TrigBasis& other, int function) const;

  // The functions of formulas for q.
  std::vector<Formula> trace(std::span<const Formula> q) const;

  struct Workspace {
    AlignedVector phase;         // cos, sin of k q_i       [n][degree][2][kBlock]
    AlignedVector powers;        // x_i^a                   [n][2 degree + 1][kBlock]
    AlignedVector value, slope;  // the functions           [size][kBlock], [size][n][kBlock]
  };
  Workspace make_workspace() const;

  void evaluate(const double* q, Workspace& w) const;

  // H [n*n][kBlock] (lower triangle) = sum over the first `count` functions of weight times second
  // derivative; weights [count][kBlock]. Belongs to the last evaluate.
  void hessian(int count, const double* weights, const Workspace& w, double* H) const;

 private:
  struct Function {
    std::vector<int> order;  // k of a periodic joint, power of a plain one [n]
    bool sine;
    int joints;  // with order != 0

    friend bool operator==(const Function&, const Function&) = default;
  };
  void add_functions(std::vector<int>& order, std::size_t i, int joints, int turning);
  // Factors of one function at one block of points, see trig_basis.cc.
  struct Factors;
  void factors(const Function& function, const Workspace& w, Factors& out) const;
  void monomial(const Function& function, const Workspace& w, int first, int second,
                double* out) const;
  const double* power(const Workspace& w, int joint, int exponent) const;

  std::vector<JointType> types_;
  std::vector<double> offset_, inverse_scale_;
  Limits limits_;
  std::vector<Function> functions_;
};

}  // namespace mechfit
