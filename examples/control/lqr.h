#pragma once

#include <vector>

#include "examples/control/algebra.h"

// Linear-quadratic regulators in discrete time, one input: u = u_ref - K (x - x_ref) minimises
// sum x' Q x + R u^2 about a motion or a resting state.
namespace control {

struct Regulator {
  Vector K;  // [2n]
  Matrix P;  // cost to go x' P x
};

// One Riccati step back from the cost to go P:
//   K = (R + B' P B)^-1 B' P A,   P <- Q + A' P (A - B K'),   symmetric again
Regulator riccati_step(const Matrix& A, const Vector& B, const Matrix& Q, double R,
                       const Matrix& P);

// The infinite horizon: steps until P stands still. false when it never does.
bool resting_regulator(const Matrix& A, const Vector& B, const Matrix& Q, double R, Regulator& out);

// Along a motion, one regulator per interval, with the cost P at its end.
std::vector<Regulator> motion_regulators(const std::vector<Matrix>& A, const std::vector<Vector>& B,
                                         const Matrix& Q, double R, const Matrix& P);

}  // namespace control
