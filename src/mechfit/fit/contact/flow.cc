#include "mechfit/fit/contact/flow.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mechfit {

using Eigen::MatrixXd;
using Eigen::VectorXd;

std::optional<Flow> flow(PointDynamics& dynamics, int n, const VectorXd& start,
                         std::span<const double> u, double duration, double step) {
  const int steps = std::max(1, static_cast<int>(std::ceil(std::fabs(duration) / step)));
  const double h = duration / steps;
  Flow out{start, VectorXd::Zero(2 * n), MatrixXd::Identity(2 * n, 2 * n)};
  std::vector<double> a(4 * n * n), b(2 * n * std::max<std::size_t>(u.size(), 1));
  b.resize(2 * n * u.size());
  VectorXd acceleration(n);
  const auto slope = [&](const VectorXd& x, const MatrixXd& phi, VectorXd& dx, MatrixXd& dphi) {
    const std::span<const double> q(x.data(), n), v(x.data() + n, n);
    if (!x.allFinite() || !dynamics.acceleration(q, v, u, {acceleration.data(), std::size_t(n)}) ||
        !dynamics.linearize(q, v, u, a, b))
      return false;
    dx.resize(2 * n);
    dx << x.tail(n), acceleration;
    using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    dphi = Eigen::Map<const Rows>(a.data(), 2 * n, 2 * n) * phi;
    return true;
  };
  VectorXd k[4];
  MatrixXd d[4];
  for (int s = 0; s < steps; ++s) {
    if (!slope(out.x, out.phi, k[0], d[0])) return {};
    if (!slope(out.x + 0.5 * h * k[0], out.phi + 0.5 * h * d[0], k[1], d[1])) return {};
    if (!slope(out.x + 0.5 * h * k[1], out.phi + 0.5 * h * d[1], k[2], d[2])) return {};
    if (!slope(out.x + h * k[2], out.phi + h * d[2], k[3], d[3])) return {};
    out.x += h / 6 * (k[0] + 2 * k[1] + 2 * k[2] + k[3]);
    out.phi += h / 6 * (d[0] + 2 * d[1] + 2 * d[2] + d[3]);
  }
  MatrixXd unused;
  if (!slope(out.x, out.phi, out.rate, unused)) return {};
  return out;
}

Flow still(const VectorXd& x) {
  const auto size = x.size();
  return {x, VectorXd::Zero(size), MatrixXd::Identity(size, size)};
}

}  // namespace mechfit
