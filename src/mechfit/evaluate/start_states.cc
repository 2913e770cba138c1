#include "mechfit/evaluate/start_states.h"

#include <algorithm>

#include "mechfit/base/error.h"
#include "mechfit/base/random.h"
#include "mechfit/estimate/motion/model_smoother.h"
#include "mechfit/estimate/motion/motion_noise.h"
#include "mechfit/log/refine.h"
#include "mechfit/log/split.h"
#include "mechfit/log/steps.h"

namespace mechfit {
namespace {

// The `window` samples that end at each start.
Log windows_before(const Log& log, int window, const Starts& starts) {
  Log out;
  out.channels = log.channels;
  for (int s = 0; s < starts.size(); ++s) {
    const int end = starts.sample[s] + 1;
    out.runs.push_back(
        slice(log.runs[starts.run[s]], log.n(), log.m(), std::max(0, end - window), end));
  }
  return out;
}

// The most likely noise of windows that do not overlap.
MotionNoise window_noise(const Model& model, const Log& windows, const SmoothResult& smoothed,
                         const Starts& starts, ThreadPool& pool) {
  const int n = windows.n();
  Log apart;
  SmoothResult start;
  apart.channels = start.log.channels = windows.channels;
  int last = -1;
  for (int s = 0; s < starts.size(); ++s) {
    // The time of the start before lies within the window.
    const bool overlaps = last >= 0 && starts.run[s] == starts.run[last] &&
                          windows.runs[s].t.front() <= windows.runs[last].t.back();
    if (overlaps) continue;
    last = s;
    apart.runs.push_back(windows.runs[s]);
    start.log.runs.push_back(smoothed.log.runs[s]);
    for (int j = 0; j < n; ++j) start.series.push_back(smoothed.at(s, j));
  }
  return likely_noise(model, apart, start, pool);
}

}  // namespace

StartEstimate estimate_states(const Model& model, const Log& observed, int window, Starts& starts,
                              ThreadPool& pool, int draws, std::vector<Starts>* drawn,
                              double grid) {
  MECHFIT_CHECK(window > 0 && starts.size() > 0 && (draws == 0 || drawn));
  const int n = model.joints();
  Log windows = windows_before(observed, window, starts);
  if (grid > 0 && grid < median_step(observed)) windows = refine(windows, grid);
  const SmoothResult smoothed = smooth(windows, {}, pool);
  StartEstimate estimate;
  bool model_is_usable = true;
  try {
    estimate.noise = window_noise(model, windows, smoothed, starts, pool);
  } catch (const InputError&) {  // no positive definite M anywhere
    model_is_usable = false;
  }
  starts.q.assign(static_cast<std::size_t>(starts.size()) * n, 0.0);
  starts.v = starts.q;
  if (drawn) drawn->assign(draws, starts);
  std::vector<char> solved(starts.size(), 0);
  pool.run(starts.size(), [&](int s, int) {
    const Trajectory& start = smoothed.log.runs[s];
    const std::size_t last = start.q.size() - n;
    const auto put = [&](Starts& to, const std::vector<double>& q, const std::vector<double>& v) {
      std::copy_n(&q[last], n, &to.q[s * n]);
      std::copy_n(&v[last], n, &to.v[s * n]);
    };
    put(starts, start.q, start.qd);
    for (int k = 0; k < draws; ++k) put((*drawn)[k], start.q, start.qd);
    if (!model_is_usable) return;
    MotionRun run(model, windows.runs[s], start.q);
    run.solve(model, estimate.noise, {});
    if (!run.linearise(model, RunDerivatives::configurations) ||
        !run.quadratic.factor(estimate.noise, 0))
      return;
    solved[s] = 1;
    std::vector<double> v = motion_velocities(model, run);
    put(starts, run.q, v);
    // A draw is q + L^-T z with H = L L'; the velocity moves with the slope of the last step.
    std::vector<double> z(run.q.size());
    for (int k = 0; k < draws; ++k) {
      Random random(static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(s));
      for (double& x : z) x = random.normal();
      run.quadratic.hessian().solve_upper(z);
      for (int i = 0; i < n; ++i) {
        (*drawn)[k].q[s * n + i] = run.q[last + i] + z[last + i];
        (*drawn)[k].v[s * n + i] = v[last + i] + (z[last + i] - z[last + i - n]) / run.h.back();
      }
    }
  });
  estimate.without_model = static_cast<int>(std::count(solved.begin(), solved.end(), 0));
  return estimate;
}

}  // namespace mechfit
