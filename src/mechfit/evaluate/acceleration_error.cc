#include "mechfit/evaluate/acceleration_error.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"
#include "mechfit/mechanics/euler_lagrange.h"

namespace mechfit {
namespace {

void check_points(const MotionView& points) {
  const std::size_t n = points.n, size = points.size();
  MECHFIT_CHECK(n > 0 && points.q.size() == size * n && points.v.size() == size * n &&
                    points.a.size() == size * n,
                "q, v and a need n numbers per point");
  MECHFIT_CHECK(points.u.empty() || points.u.size() == size * points.m);
}

struct Worker {
  explicit Worker(const Model& model)
      : w(model), q(make_panel(model.joints())), v(q), a(q), u(make_panel(model.inputs())) {}
  AccelerationWorkspace w;
  AlignedVector q, v, a, u;
};

// Sample-major rows first .. first+kBlock-1 into lanes; lanes beyond the last repeat it.
void gather(std::span<const double> from, int width, int first, int size, AlignedVector& panel) {
  for (int lane = 0; lane < kBlock; ++lane) {
    const double* row = &from[static_cast<std::size_t>(std::min(first + lane, size - 1)) * width];
    for (int i = 0; i < width; ++i) panel[i * kBlock + lane] = row[i];
  }
}

AccelerationError finish(std::vector<double> sums, int size, int not_positive) {
  AccelerationError error;
  error.not_positive = not_positive;
  for (double& sum : sums) {
    sum = size == 0 ? 0 : sum / size;
    if (not_positive > 0 || std::isnan(sum)) sum = kInfinity;
    error.mse += sum / static_cast<double>(sums.size());
  }
  error.joint_mse = std::move(sums);
  return error;
}

}  // namespace

MotionPoints motion_points(const Log& log, InputAtSample input) {
  MotionPoints points;
  points.n = log.n();
  points.m = log.m();
  for (const Trajectory& run : log.runs) {
    MECHFIT_CHECK(run.qd.size() == run.q.size() && run.qdd.size() == run.q.size(),
                  "run '" + run.name + "' has no velocities and accelerations");
    points.q.insert(points.q.end(), run.q.begin(), run.q.end());
    points.v.insert(points.v.end(), run.qd.begin(), run.qd.end());
    points.a.insert(points.a.end(), run.qdd.begin(), run.qdd.end());
    MECHFIT_CHECK(run.u.size() == run.t.size() * points.m, "inputs of run '" + run.name + "'");
    const std::vector<double> u = sample_inputs(run, points.m, input);
    points.u.insert(points.u.end(), u.begin(), u.end());
    for (int k = 0; k < run.size(); ++k)
      points.h.push_back(k + 1 < run.size() ? run.t[k + 1] - run.t[k] : 0.0);
  }
  return points;
}

AccelerationError acceleration_error(const Model& model, const MotionView& points,
                                     ThreadPool& pool) {
  check_points(points);
  const int n = model.joints(), m = model.inputs(), size = points.size();
  const bool inputs = m > 0 && !points.u.empty();
  MECHFIT_CHECK(points.n == n && (!inputs || points.m == m), "points of another machine");
  const int chunks = (size + kChunk - 1) / kChunk;
  std::vector<double> sums(static_cast<std::size_t>(chunks) * n, 0.0);
  std::vector<int> not_positive(chunks, 0);
  std::vector<Worker> workers;
  workers.reserve(pool.size());
  for (int i = 0; i < pool.size(); ++i) workers.emplace_back(model);

  pool.run(chunks, [&](int chunk, int worker) {
    Worker& x = workers[worker];
    double* sum = &sums[static_cast<std::size_t>(chunk) * n];
    const int end = std::min(size, (chunk + 1) * kChunk);
    for (int first = chunk * kChunk; first < end; first += kBlock) {
      gather(points.q, n, first, size, x.q);
      gather(points.v, n, first, size, x.v);
      if (inputs) gather(points.u, m, first, size, x.u);
      const LaneMask positive =
          acceleration(model, {x.q.data(), x.v.data(), x.u.data()}, x.a.data(), x.w);
      for (int lane = 0; lane < std::min(kBlock, end - first); ++lane) {
        if (!(positive >> lane & 1)) {
          ++not_positive[chunk];
          continue;
        }
        const double* given = &points.a[static_cast<std::size_t>(first + lane) * n];
        for (int i = 0; i < n; ++i) {
          const double e = x.a[i * kBlock + lane] - given[i];
          sum[i] += e * e;
        }
      }
    }
  });

  std::vector<double> total(n, 0.0);
  int outside = 0;
  for (int chunk = 0; chunk < chunks; ++chunk) {
    outside += not_positive[chunk];
    for (int i = 0; i < n; ++i) total[i] += sums[static_cast<std::size_t>(chunk) * n + i];
  }
  return finish(std::move(total), size, outside);
}

std::vector<double> predict_accelerations(const Model& model, const MotionView& points,
                                          ThreadPool& pool) {
  check_points(points);
  const int n = model.joints(), m = model.inputs(), size = points.size();
  const bool inputs = m > 0 && !points.u.empty();
  MECHFIT_CHECK(points.n == n && (!inputs || points.m == m), "points of another machine");
  std::vector<double> predicted(points.a.size(), kNan);
  std::vector<Worker> workers;
  workers.reserve(pool.size());
  for (int i = 0; i < pool.size(); ++i) workers.emplace_back(model);
  pool.run((size + kBlock - 1) / kBlock, [&](int block, int worker) {
    Worker& x = workers[worker];
    const int first = block * kBlock;
    gather(points.q, n, first, size, x.q);
    gather(points.v, n, first, size, x.v);
    if (inputs) gather(points.u, m, first, size, x.u);
    const LaneMask positive =
        acceleration(model, {x.q.data(), x.v.data(), x.u.data()}, x.a.data(), x.w);
    for (int lane = 0; lane < std::min(kBlock, size - first); ++lane)
      for (int i = 0; i < n && (positive >> lane & 1); ++i)
        predicted[static_cast<std::size_t>(first + lane) * n + i] = x.a[i * kBlock + lane];
  });
  return predicted;
}

AccelerationError compare_accelerations(std::span<const double> predicted,
                                        const MotionView& points) {
  check_points(points);
  MECHFIT_CHECK(predicted.size() == points.a.size());
  std::vector<double> sums(points.n, 0.0);
  int missing = 0;
  for (std::size_t k = 0; k < predicted.size(); ++k) {
    const double e = predicted[k] - points.a[k];
    if (k % points.n == 0) missing += std::isnan(e);
    if (!std::isnan(e)) sums[k % points.n] += e * e;
  }
  return finish(std::move(sums), points.size(), missing);
}

double acceleration_mse(const Model& model, const MotionView& points, ThreadPool& pool) {
  return acceleration_error(model, points, pool).mse;
}

AccelerationError zero_baseline(const MotionView& points) {
  check_points(points);
  std::vector<double> sums(points.n, 0.0);
  for (std::size_t k = 0; k < points.a.size(); ++k) sums[k % points.n] += points.a[k] * points.a[k];
  return finish(std::move(sums), points.size(), 0);
}

AccelerationError mean_baseline(const MotionView& points) {
  check_points(points);
  std::vector<double> mean(points.n, 0.0), sums(points.n, 0.0);
  for (std::size_t k = 0; k < points.a.size(); ++k) mean[k % points.n] += points.a[k];
  for (double& x : mean) x /= std::max(1, points.size());
  for (std::size_t k = 0; k < points.a.size(); ++k) {
    const double e = points.a[k] - mean[k % points.n];
    sums[k % points.n] += e * e;
  }
  return finish(std::move(sums), points.size(), 0);
}

}  // namespace mechfit
