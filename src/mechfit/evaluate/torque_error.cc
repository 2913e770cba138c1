#include "mechfit/evaluate/torque_error.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/evaluate/torque_window.h"
#include "mechfit/mechanics/euler_lagrange.h"

namespace mechfit {
namespace {

// Of tanh in the baseline's Coulomb friction, as a share of the joint's rms speed.
constexpr double kCoulombWidth = 0.05;

// nMSE of offset + viscous v + coulomb tanh(v / width), by least squares.
double friction_only(const std::vector<double>& v, const std::vector<double>& tau, double mean,
                     double variance) {
  double speed = 0;
  for (double x : v) speed += x * x / static_cast<double>(v.size());
  speed = std::sqrt(speed);
  if (!(speed > 0 && variance > 0)) return 1;
  Eigen::Matrix3d A = Eigen::Matrix3d::Zero();
  Eigen::Vector3d b = Eigen::Vector3d::Zero();
  double total = 0;
  for (std::size_t k = 0; k < v.size(); ++k) {
    const Eigen::Vector3d x(1, v[k] / speed, std::tanh(v[k] / (kCoulombWidth * speed)));
    const double y = tau[k] - mean;
    A += x * x.transpose();
    b += y * x;
    total += y * y;
  }
  const Eigen::Vector3d c = A.ldlt().solve(b);
  return std::max(0.0, (total - c.dot(b)) / total);
}

}  // namespace

std::vector<bool> driven_joints(const Model& model) {
  const int n = model.joints(), m = model.inputs();
  std::vector<bool> driven(n, false);
  if (m == 0) return driven;
  Model::Workspace w = model.make_workspace();
  const AlignedVector q = make_panel(n), u = make_panel(m);
  AlignedVector p = make_panel(n), f = make_panel(n), b = make_panel(n), out = make_panel(m);
  model.forces({q.data(), q.data(), u.data()}, p.data(), f.data(), w);
  for (int i = 0; i < n; ++i) {
    std::fill(b.begin(), b.end(), 0.0);
    b[i * kBlock] = 1;
    Covectors covectors;
    covectors.b = b.data();
    Adjoints adjoints;
    adjoints.u = out.data();
    model.pullback(covectors, adjoints, w);
    for (int j = 0; j < m; ++j) driven[i] = driven[i] || out[j * kBlock] != 0;
  }
  return driven;
}

Torques predict_torques(const Model& model, const MotionView& points, ThreadPool& pool) {
  const int n = model.joints(), m = model.inputs(), size = points.size();
  MECHFIT_CHECK(points.n == n && (m == 0 || points.m == m), "points of another machine");
  Torques out{std::vector<double>(points.q.size()), std::vector<double>(points.q.size())};
  struct Worker {
    explicit Worker(const Model& model)
        : w(model),
          q(make_panel(model.joints())),
          v(q),
          a(q),
          tau(q),
          f(q),
          u(make_panel(model.inputs())) {}
    AccelerationWorkspace w;
    AlignedVector q, v, a, tau, f, u;
  };
  std::vector<Worker> workers;
  workers.reserve(pool.size());
  for (int i = 0; i < pool.size(); ++i) workers.emplace_back(model);
  pool.run((size + kBlock - 1) / kBlock, [&](int block, int worker) {
    Worker& x = workers[worker];
    const int first = block * kBlock;
    const auto gather = [&](std::span<const double> from, int width, AlignedVector& panel) {
      for (int lane = 0; lane < kBlock; ++lane)
        for (int i = 0; i < width; ++i)
          panel[i * kBlock + lane] =
              from[static_cast<std::size_t>(std::min(first + lane, size - 1)) * width + i];
    };
    gather(points.q, n, x.q);
    gather(points.v, n, x.v);
    gather(points.a, n, x.a);
    if (m > 0 && !points.u.empty()) gather(points.u, m, x.u);
    const Points at{x.q.data(), x.v.data(), x.u.data()};
    model.forces(at, x.w.p.data(), x.f.data(), x.w.model);
    inverse_dynamics(model, at, x.a.data(), x.tau.data(), x.w);  // leaves f(q, v, 0) in x.w.f
    for (int lane = 0; lane < std::min(kBlock, size - first); ++lane)
      for (int i = 0; i < n; ++i) {
        const std::size_t to = static_cast<std::size_t>(first + lane) * n + i;
        out.predicted[to] = x.tau[i * kBlock + lane];
        out.applied[to] = x.f[i * kBlock + lane] - x.w.f[i * kBlock + lane];
      }
  });
  return out;
}

TorqueError torque_error(const Torques& torques, const MotionView& points,
                         const std::vector<bool>& driven) {
  TorqueError error;
  const int n = points.n;
  error.samples = points.size();
  const double window = torque_window(points);
  const std::vector<Stretch> parts = stretches(points, window);
  const int size = static_cast<int>(parts.size());
  error.window = size < points.size() ? window : 0;
  const std::vector<double> applied = stretch_means(parts, torques.applied, n);
  const std::vector<double> predicted = stretch_means(parts, torques.predicted, n);
  const std::vector<double> speed = stretch_means(parts, points.v, n);
  for (int j = 0; j < n && size > 0; ++j) {
    if (!driven[j]) continue;
    std::vector<double> tau, v;
    double mean = 0, squares = 0, variance = 0;
    for (int k = 0; k < size; ++k) {
      const std::size_t at = static_cast<std::size_t>(k) * n + j;
      tau.push_back(applied[at]);
      v.push_back(speed[at]);
      mean += tau.back() / size;
      squares += std::pow(predicted[at] - tau.back(), 2) / size;
    }
    for (double x : tau) variance += (x - mean) * (x - mean) / size;
    if (!(variance > 0)) continue;  // never used: nothing to predict
    error.joints.push_back(j);
    error.nmse.push_back(squares / variance);
    error.rms.push_back(std::sqrt(squares));
    error.size.push_back(std::sqrt(variance));
    error.friction.push_back(friction_only(v, tau, mean, variance));
  }
  const double count = static_cast<double>(error.joints.size());
  for (double x : error.nmse) error.overall += x / count;
  for (double x : error.friction) error.friction_overall += x / count;
  return error;
}

}  // namespace mechfit
