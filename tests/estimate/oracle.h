#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <functional>
#include <vector>

namespace mechfit::test {

// The same smoothing problem as one linear least-squares problem over all states at once, solved
// densely: the oracle of the recursions. Whitened rows for the prior, every step and every
// observation; mean and covariance from a QR factorisation of the whole.
struct DenseSmoother {
  Eigen::VectorXd mean;        // [3 T]
  Eigen::MatrixXd covariance;  // [3 T][3 T]
};

inline Eigen::Matrix3d transition(double h) {
  Eigen::Matrix3d a;
  a << 1, h, h * h / 2, 0, 1, h, 0, 0, 1;
  return a;
}

inline Eigen::Matrix3d white_jerk_noise(double intensity, double h) {
  Eigen::Matrix3d q;
  q << std::pow(h, 5) / 20, std::pow(h, 4) / 8, std::pow(h, 3) / 6,  //
      std::pow(h, 4) / 8, std::pow(h, 3) / 3, h * h / 2,             //
      std::pow(h, 3) / 6, h * h / 2, h;
  return intensity * q;
}

inline DenseSmoother dense_smoother(const std::vector<double>& t, const std::vector<double>& y,
                                    double r, const Eigen::Vector3d& x0, const Eigen::Matrix3d& p0,
                                    const std::function<Eigen::Matrix3d(double h)>& noise) {
  const int samples = static_cast<int>(t.size());
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(4 * samples, 3 * samples);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(4 * samples);
  const auto whiten = [](const Eigen::Matrix3d& covariance) {
    return Eigen::Matrix3d(covariance.llt().matrixL().solve(Eigen::Matrix3d::Identity()));
  };
  const Eigen::Matrix3d first = whiten(p0);
  rows.block<3, 3>(0, 0) = first;
  right.head<3>() = first * x0;
  int row = 3;
  for (int k = 1; k < samples; ++k, row += 3) {
    const Eigen::Matrix3d w = whiten(noise(t[k] - t[k - 1]));
    rows.block<3, 3>(row, 3 * k) = w;
    rows.block<3, 3>(row, 3 * k - 3) = -w * transition(t[k] - t[k - 1]);
  }
  for (int k = 0; k < samples; ++k) {
    if (std::isnan(y[k])) continue;
    rows(row, 3 * k) = 1 / std::sqrt(r);
    right(row) = y[k] / std::sqrt(r);
    ++row;
  }
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(rows.topRows(row));
  const Eigen::MatrixXd upper = qr.matrixQR().topRows(3 * samples).triangularView<Eigen::Upper>();
  const Eigen::MatrixXd inverse = upper.triangularView<Eigen::Upper>().solve(
      Eigen::MatrixXd::Identity(3 * samples, 3 * samples));
  DenseSmoother out;
  out.mean = qr.solve(right.head(row));
  out.covariance = inverse * inverse.transpose();
  return out;
}

// log N(y; H m, H C H' + r I) over the observed samples, from the joint distribution of all states.
inline double dense_log_likelihood(const std::vector<double>& t, const std::vector<double>& y,
                                   double r, const Eigen::Vector3d& x0, const Eigen::Matrix3d& p0,
                                   const std::function<Eigen::Matrix3d(double h)>& noise) {
  const int samples = static_cast<int>(t.size());
  std::vector<int> seen;
  Eigen::VectorXd mean(samples);
  Eigen::MatrixXd covariance(samples, samples);
  std::vector<Eigen::Vector3d> x(samples);
  std::vector<Eigen::Matrix3d> p(samples);
  for (int k = 0; k < samples; ++k) {
    if (k == 0) {
      x[k] = x0;
      p[k] = p0;
    } else {
      const double h = t[k] - t[k - 1];
      x[k] = transition(h) * x[k - 1];
      p[k] = transition(h) * p[k - 1] * transition(h).transpose() + noise(h);
    }
    mean(k) = x[k](0);
    for (int i = 0; i <= k; ++i) {
      covariance(i, k) = covariance(k, i) = (transition(t[k] - t[i]) * p[i])(0, 0);
    }
    if (!std::isnan(y[k])) seen.push_back(k);
  }
  const int m = static_cast<int>(seen.size());
  Eigen::VectorXd e(m);
  Eigen::MatrixXd s(m, m);
  for (int a = 0; a < m; ++a) {
    e(a) = y[seen[a]] - mean(seen[a]);
    for (int b = 0; b < m; ++b) s(a, b) = covariance(seen[a], seen[b]) + (a == b ? r : 0);
  }
  const Eigen::LLT<Eigen::MatrixXd> llt(s);
  const Eigen::VectorXd z = llt.matrixL().solve(e);
  double log_det = 0;
  for (int a = 0; a < m; ++a) log_det += 2 * std::log(llt.matrixLLT()(a, a));
  return -0.5 * (log_det + m * std::log(2 * M_PI) + z.squaredNorm());
}

}  // namespace mechfit::test
