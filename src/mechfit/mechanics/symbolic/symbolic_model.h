#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "mechfit/log/log.h"
#include "mechfit/mechanics/symbolic/formulas.h"

// A model as formulas and networks, with its parameters as numbers: what is needed to write it down
// in another language.
namespace mechfit {

// y = W x + b, tanh of it where asked for.
struct LayerEquations {
  int outputs = 0, inputs = 0;
  bool tanh = false;
  std::vector<double> W;  // [outputs][inputs]
  std::vector<double> b;  // [outputs]
};
using NetworkEquations = std::vector<LayerEquations>;

// Networks of features x(q): cosine and sine of a periodic joint, (q - offset) / scale of a plain
// one. L has the outputs of `mass` plus one on the diagonal, diagonal first, then below it row by
// row:
//   M = D L L' D,   V = energy potential(x),   F_i += force_scale_i force(x, v speed)_i
struct NetworkModel {
  std::vector<JointType> joints;      // [n]
  std::vector<double> offset, scale;  // [n]
  std::vector<double> d;              // D [n]
  double energy = 1;
  NetworkEquations mass, potential, force;  // no force: empty
  std::vector<double> force_scale, speed;   // [n]
};

struct SymbolicModel {
  SymbolicModel(int n, int m);

  std::shared_ptr<Formulas> formulas;
  std::vector<Formula> q, v, u;  // the variables q[0], ...
  std::vector<Formula> mass;     // lower triangle row by row
  Formula potential;
  std::vector<Formula> force;            // F [n]
  std::optional<NetworkModel> networks;  // then mass and potential are theirs, force adds to theirs

  Formula& M(int i, int j) { return mass[i * (i + 1) / 2 + j]; }  // i >= j
};

}  // namespace mechfit
