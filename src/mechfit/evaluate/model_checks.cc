#include "mechfit/evaluate/model_checks.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"
#include "mechfit/evaluate/starts.h"
#include "mechfit/integrate/runge_kutta.h"
#include "mechfit/mechanics/discrete_error.h"

namespace mechfit {
namespace {

JointErrors root_mean_squares(const std::vector<double>& squares, int count) {
  JointErrors out;
  double sum = 0;
  for (const double square : squares) {
    const double mean = count == 0 ? 0 : square / count;
    out.joint.push_back(std::isnan(mean) ? kInfinity : std::sqrt(mean));
    sum += mean;
  }
  const double mean = sum / static_cast<double>(squares.size());
  out.overall = std::isnan(mean) ? kInfinity : std::sqrt(mean);
  return out;
}

struct TripleBlock {
  TripleBlock(const Model& model)
      : n(model.joints()),
        m(model.inputs()),
        w(model),
        q(static_cast<std::size_t>(3 * n * kTriples)),
        u(static_cast<std::size_t>(2 * m * kTriples)),
        h(2 * kTriples),
        e(static_cast<std::size_t>(n * kTriples)) {}

  Triples triples() const {
    const int size = n * kTriples;
    const bool inputs = m > 0;
    return {q.data(),
            q.data() + size,
            q.data() + 2 * size,
            h.data(),
            h.data() + kTriples,
            inputs ? u.data() : nullptr,
            inputs ? u.data() + m * kTriples : nullptr};
  }

  // Triple `lane` of the block: samples k, k+1, k+2 of the run.
  void load(const Trajectory& run, int k, int lane) {
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < n; ++i) q[(j * n + i) * kTriples + lane] = run.q[(k + j) * n + i];
    for (int j = 0; j < 2; ++j) {
      h[j * kTriples + lane] = run.t[k + j + 1] - run.t[k + j];
      for (int i = 0; i < m; ++i) u[(j * m + i) * kTriples + lane] = run.u[(k + j) * m + i];
    }
  }

  int n, m;
  DelErrorWorkspace w;
  AlignedVector q, u, h, e;
};

}  // namespace

MassRange mass_eigenvalues(const Model& model, std::span<const double> q, ThreadPool& pool) {
  const int n = model.joints(), size = static_cast<int>(q.size()) / n;
  MECHFIT_CHECK(size > 0 && q.size() == static_cast<std::size_t>(size) * n);
  const int chunks = (size + kChunk - 1) / kChunk;
  std::vector<MassRange> ranges(chunks, {kInfinity, -kInfinity});
  pool.run(chunks, [&](int chunk, int) {
    auto w = model.make_workspace();
    AlignedVector panel = make_panel(n), mass = make_panel(n * n);
    Eigen::MatrixXd M(n, n);
    Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(n);
    const int end = std::min(size, (chunk + 1) * kChunk);
    for (int first = chunk * kChunk; first < end; first += kBlock) {
      for (int lane = 0; lane < kBlock; ++lane)
        for (int i = 0; i < n; ++i)
          panel[i * kBlock + lane] =
              q[static_cast<std::size_t>(std::min(first + lane, end - 1)) * n + i];
      model.mass(panel.data(), mass.data(), w);
      for (int lane = 0; lane < std::min(kBlock, end - first); ++lane) {
        for (int i = 0; i < n; ++i)
          for (int j = 0; j <= i; ++j) M(i, j) = mass[(i * n + j) * kBlock + lane];
        solver.compute(M, Eigen::EigenvaluesOnly);
        ranges[chunk].smallest = std::min(ranges[chunk].smallest, solver.eigenvalues()(0));
        ranges[chunk].largest = std::max(ranges[chunk].largest, solver.eigenvalues()(n - 1));
      }
    }
  });
  MassRange range = ranges[0];
  for (const MassRange& r : ranges) {
    range.smallest = std::min(range.smallest, r.smallest);
    range.largest = std::max(range.largest, r.largest);
  }
  return range;
}

DelScore del_score(const Model& model, const Log& log, ThreadPool& pool) {
  const int n = model.joints();
  MECHFIT_CHECK(n == log.n());
  std::vector<std::pair<int, int>> items;  // run, first sample
  for (std::size_t r = 0; r < log.runs.size(); ++r)
    for (int k = 0; k + 2 < log.runs[r].size(); ++k) items.push_back({static_cast<int>(r), k});
  const int size = static_cast<int>(items.size()), chunks = (size + kChunk - 1) / kChunk;
  std::vector<double> squares(static_cast<std::size_t>(chunks) * n, 0.0), rho(chunks, 0.0);
  pool.run(chunks, [&](int chunk, int) {
    TripleBlock block(model);
    const int end = std::min(size, (chunk + 1) * kChunk);
    for (int first = chunk * kChunk; first < end; first += kTriples) {
      for (int lane = 0; lane < kTriples; ++lane) {
        const auto& [run, sample] = items[std::min(first + lane, end - 1)];
        block.load(log.runs[run], sample, lane);
      }
      del_error(model, block.triples(), block.e.data(), block.w);
      for (int lane = 0; lane < std::min(kTriples, end - first); ++lane)
        for (int i = 0; i < n; ++i) {
          const double e = block.e[i * kTriples + lane], r = block.w.r[i * kTriples + lane];
          squares[static_cast<std::size_t>(chunk) * n + i] += e * e;
          rho[chunk] += r * r;
        }
    }
  });
  DelScore score;
  score.triples = size;
  std::vector<double> total(n, 0.0);
  for (int chunk = 0; chunk < chunks; ++chunk) {
    score.rho += rho[chunk] / size;
    for (int i = 0; i < n; ++i) total[i] += squares[static_cast<std::size_t>(chunk) * n + i];
  }
  score.acceleration = root_mean_squares(total, size);
  return score;
}

NextStateScore next_state_score(const Model& model, const Log& log, ThreadPool& pool) {
  const int n = model.joints();
  MECHFIT_CHECK(n == log.n());
  Starts starts;
  for (std::size_t r = 0; r < log.runs.size(); ++r)
    for (int k = 0; k + 1 < log.runs[r].size(); ++k) {
      starts.run.push_back(static_cast<int>(r));
      starts.sample.push_back(k);
      starts.steps.push_back(1);
    }
  NextStateScore score;
  score.steps = starts.size();
  if (score.steps == 0) return score;
  take_logged_states(log, starts);
  const StartArrays arrays = start_arrays(model, log, starts);
  const Rollout step = runge_kutta_rollout(model, arrays.request(), Integrator::rk4, pool);
  std::vector<double> q(n, 0.0), v(n, 0.0), q_base(n, 0.0), v_base(n, 0.0);
  for (int s = 0; s < starts.size(); ++s) {
    if (step.completed[s] < 1) {
      ++score.failed;
      continue;
    }
    const Trajectory& run = log.runs[starts.run[s]];
    for (int i = 0; i < n; ++i) {
      const int now = starts.sample[s] * n + i, next = now + n;
      const auto predicted = (static_cast<std::size_t>(s) * 2 + 1) * n + i;
      const auto square = [](double x) { return x * x; };
      q[i] += square(step.q[predicted] - run.q[next]);
      v[i] += square(step.v[predicted] - run.qd[next]);
      q_base[i] += square(run.q[now] + arrays.h[s] * run.qd[now] - run.q[next]);
      v_base[i] += square(run.qd[now] - run.qd[next]);
    }
  }
  const int count = score.steps - score.failed;
  score.q = root_mean_squares(q, count);
  score.v = root_mean_squares(v, count);
  score.q_baseline = root_mean_squares(q_base, count);
  score.v_baseline = root_mean_squares(v_base, count);
  return score;
}

}  // namespace mechfit
