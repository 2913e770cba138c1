#include "examples/control/kalman.h"

namespace control {

StateFilter::StateFilter(StepModel& model, const Vector& x, const Vector& noise,
                         const Vector& doubt)
    : model_(model), x_(x) {
  const int n = static_cast<int>(noise.size());
  noise_ = noise.cwiseAbs2().asDiagonal();
  P_ = Matrix::Zero(2 * n, 2 * n);
  P_.topLeftCorner(n, n) = noise_;
  // An acceleration a that lasts for one interval moves x by (h^2/2, h) a.
  const double h = model.h();
  process_ = Matrix::Zero(2 * n, 2 * n);
  for (int i = 0; i < n; ++i) {
    const double a = doubt[i] * doubt[i];
    process_(i, i) = h * h * h * h / 4 * a;
    process_(i, n + i) = process_(n + i, i) = h * h * h / 2 * a;
    process_(n + i, n + i) = h * h * a;
  }
}

bool StateFilter::predict(double u) {
  Matrix A;
  Vector B;
  if (!model_.linearize(x_, u, A, B) || !model_.step(Vector(x_), u, x_)) return false;
  P_ = (A * P_ * A.transpose() + process_).eval();
  return P_.allFinite();
}

// With H = [1 0]: K = P H' (H P H' + R)^-1.
void StateFilter::update(const Vector& seen) {
  const Eigen::Index n = seen.size(), s = x_.size();
  const Matrix S = P_.topLeftCorner(n, n) + noise_;
  const Matrix K = S.ldlt().solve(P_.topRows(n)).transpose();
  x_ += K * (seen - x_.head(n));
  Matrix keep = Matrix::Identity(s, s);
  keep.leftCols(n) -= K;
  P_ = (keep * P_ * keep.transpose() + K * noise_ * K.transpose()).eval();
}

}  // namespace control
