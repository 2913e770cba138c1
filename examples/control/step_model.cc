#include "examples/control/step_model.h"

#include <limits>

namespace control {
namespace {

std::span<const double> numbers(const Eigen::MatrixXd& m) {
  return {m.data(), static_cast<std::size_t>(m.size())};
}
std::span<const double> numbers(const Eigen::VectorXd& m) {
  return {m.data(), static_cast<std::size_t>(m.size())};
}

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

StepModel::StepModel(const mechfit::Model& model, double h)
    : dynamics_(model, pool_), n_(model.joints()), h_(h) {}

void StepModel::slope(const Eigen::MatrixXd& x, const Eigen::VectorXd& u, Eigen::MatrixXd& dx) {
  q_ = x.topRows(n_);
  v_ = x.bottomRows(n_);
  a_.resize(n_, x.cols());
  for (int j = 0; j < x.cols(); ++j)
    if (!x.col(j).allFinite()) q_.col(j).setZero(), v_.col(j).setZero();
  (void)dynamics_.acceleration(numbers(q_), numbers(v_), numbers(u),
                               {a_.data(), static_cast<std::size_t>(a_.size())});
  dx.resize(2 * n_, x.cols());
  dx.topRows(n_) = v_;
  dx.bottomRows(n_) = a_;
  for (int j = 0; j < x.cols(); ++j)
    if (!x.col(j).allFinite()) dx.col(j).setConstant(std::numeric_limits<double>::quiet_NaN());
}

bool StepModel::step(const Eigen::MatrixXd& x, const Eigen::VectorXd& u, Eigen::MatrixXd& x_next) {
  Eigen::MatrixXd k1, k2, k3, k4;
  slope(x, u, k1);
  slope(x + h_ / 2 * k1, u, k2);
  slope(x + h_ / 2 * k2, u, k3);
  slope(x + h_ * k3, u, k4);
  x_next = x + h_ / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  return x_next.allFinite();
}

// With F_i, G_i the Jacobians of xdot at stage i, x_i = x + c_i h k_{i-1}:
//   dk_i = F_i (1 + c_i h dk_{i-1}),   A = 1 + h sum b_i dk_i
// and the same for u, where each stage adds its G_i.
bool StepModel::linearize(const Eigen::MatrixXd& x, const Eigen::VectorXd& u,
                          std::vector<Matrix>& A, std::vector<Vector>& B) {
  constexpr double c[] = {0, 0.5, 0.5, 1}, b[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  const int N = static_cast<int>(x.cols()), s = states();
  Eigen::MatrixXd stage = x, k;
  const Matrix one = Matrix::Identity(s, s);
  std::vector<Matrix> dk(N, Matrix::Zero(s, s));
  std::vector<Vector> du(N, Vector::Zero(s));
  A.assign(N, one);
  B.assign(N, Vector::Zero(s));
  A_all_.resize(static_cast<std::size_t>(N) * s * s);
  B_all_.resize(static_cast<std::size_t>(N) * s);
  for (int i = 0; i < 4; ++i) {
    if (i > 0) stage = x + c[i] * h_ * k;
    slope(stage, u, k);
    if (!k.allFinite() ||
        dynamics_.linearize(numbers(q_), numbers(v_), numbers(u), A_all_, B_all_) >= 0)
      return false;
    for (int j = 0; j < N; ++j) {
      const Eigen::Map<const Rows> F(&A_all_[static_cast<std::size_t>(j) * s * s], s, s);
      const Eigen::Map<const Eigen::VectorXd> G(&B_all_[static_cast<std::size_t>(j) * s], s);
      dk[j] = (F * (one + c[i] * h_ * dk[j])).eval();
      du[j] = (F * (c[i] * h_ * du[j]) + G).eval();
      A[j] += b[i] * h_ * dk[j];
      B[j] += b[i] * h_ * du[j];
    }
  }
  return true;
}

bool StepModel::step(const Vector& x, double u, Vector& x_next) {
  Eigen::MatrixXd next;
  if (!step(Eigen::MatrixXd(x), Eigen::VectorXd::Constant(1, u), next)) return false;
  x_next = next;
  return true;
}

bool StepModel::linearize(const Vector& x, double u, Matrix& A, Vector& B) {
  std::vector<Matrix> As;
  std::vector<Vector> Bs;
  if (!linearize(Eigen::MatrixXd(x), Eigen::VectorXd::Constant(1, u), As, Bs)) return false;
  A = As[0];
  B = Bs[0];
  return true;
}

}  // namespace control
