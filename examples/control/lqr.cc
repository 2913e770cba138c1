#include "examples/control/lqr.h"

namespace control {

Regulator riccati_step(const Matrix& A, const Vector& B, const Matrix& Q, double R,
                       const Matrix& P) {
  Regulator out;
  const Vector PB = P * B;
  out.K = A.transpose() * PB / (R + B.dot(PB));
  const Matrix closed = A - B * out.K.transpose();
  out.P = Q + A.transpose() * P * closed;
  out.P = (0.5 * (out.P + out.P.transpose())).eval();
  return out;
}

bool resting_regulator(const Matrix& A, const Vector& B, const Matrix& Q, double R,
                       Regulator& out) {
  constexpr int kMostSteps = 20000;  // minutes at 100 Hz; a regulator needs seconds
  out.P = Q;
  for (int k = 0; k < kMostSteps; ++k) {
    const Matrix before = out.P;
    out = riccati_step(A, B, Q, R, before);
    if (!out.P.allFinite()) return false;
    if ((out.P - before).norm() < 1e-10 * out.P.norm()) return true;
  }
  return false;
}

std::vector<Regulator> motion_regulators(const std::vector<Matrix>& A, const std::vector<Vector>& B,
                                         const Matrix& Q, double R, const Matrix& P) {
  std::vector<Regulator> out(A.size());
  const Matrix* next = &P;
  for (std::size_t k = A.size(); k-- > 0;) {
    out[k] = riccati_step(A[k], B[k], Q, R, *next);
    next = &out[k].P;
  }
  return out;
}

}  // namespace control
