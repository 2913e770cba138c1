#include "mechfit/evaluate/time_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mechfit/base/error.h"
#include "mechfit/log/acting_input.h"
#include "mechfit/log/refine.h"
#include "mechfit/log/steps.h"

namespace mechfit {
namespace {

constexpr int kFewest = 16;  // observations that every run keeps

// Means of `count` samples around every count-th; count is odd.
Trajectory pool_samples(const Trajectory& run, int n, int m, int count) {
  const int half = count / 2;
  Trajectory out;
  out.name = run.name;
  for (int k = half; k + half < run.size(); k += count) {
    out.t.push_back(run.t[k]);
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int i = k - half; i <= k + half; ++i) sum += run.q[i * n + j];  // NaN stays NaN
      out.q.push_back(sum / count);
    }
  }
  out.u = step_inputs(run, m, out.t);
  out.input = run.input;
  return out;
}

}  // namespace

TimeGrid time_grid(const Log& log, double step, int most_parts) {
  MECHFIT_CHECK(step > 0 && most_parts >= 1);
  TimeGrid grid;
  grid.log.channels = log.channels;
  int shortest = std::numeric_limits<int>::max();
  for (const auto& run : log.runs) shortest = std::min(shortest, run.size());
  const double most = std::min(step / median_step(log), 1.0 * shortest / kFewest);
  grid.pooled = std::max(0, static_cast<int>((most - 1) / 2)) * 2 + 1;
  for (const auto& run : log.runs) {
    const int m = log.m();
    grid.log.runs.push_back(
        refine(grid.pooled > 1 ? pool_samples(run, log.n(), m, grid.pooled) : run, log.n(), m, step,
               most_parts));
  }
  return grid;
}

}  // namespace mechfit
