#include "mechfit/evaluate/starts.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"
#include "mechfit/estimate/kalman/smoother.h"
#include "mechfit/evaluate/rollout_error.h"
#include "mechfit/log/acting_input.h"
#include "mechfit/log/steps.h"

namespace mechfit {
namespace {

// Steps of all rollouts together: fewer starts where horizons are many samples long, but never
// fewer than kFewestStarts. A tenth of them moved rollout errors by 8 % on a log of 12,000 samples.
constexpr double kMostSteps = 3e5;
constexpr int kFewestStarts = 16;

// Times that are equal but for rounding count as equal. 1e-6 to 1e-12 choose the same starts and
// horizons.
constexpr double kSameTime = 1e-9;

}  // namespace

int sample_near(const Trajectory& run, int from, double seconds) {
  const double time = run.t[from] + seconds;
  const auto after = std::lower_bound(run.t.begin() + from + 1, run.t.end(), time);
  if (after == run.t.end()) {
    // The last sample still counts when the horizon is within half a step of it.
    const int last = run.size() - 1;
    if (last <= from) return -1;
    return time - run.t[last] <= 0.5 * (run.t[last] - run.t[last - 1]) ? last : -1;
  }
  const int j = static_cast<int>(after - run.t.begin());
  return j - 1 > from && time - run.t[j - 1] < run.t[j] - time ? j - 1 : j;
}

int first_start(const Trajectory& run, int window) {
  if (window == 0) return 0;
  const int behind = std::max(kFewestObservations, std::min(window, run.size() / 2));
  return behind < run.size() ? behind - 1 : -1;
}

Starts choose_starts(const Log& log, double longest_horizon, double every, int most, int window) {
  MECHFIT_CHECK(most > 0 && every >= 0 && window >= 0);
  Starts all;
  for (std::size_t r = 0; r < log.runs.size(); ++r) {
    const Trajectory& run = log.runs[r];
    double next = -kInfinity;
    const int first = first_start(run, window);
    for (int k = first; first >= 0 && k + 1 < run.size(); ++k) {
      if (run.t[k] < next) continue;
      if (every > 0) next = run.t[k] + every * (1 - kSameTime);
      const int to = sample_near(run, k, longest_horizon);
      all.run.push_back(static_cast<int>(r));
      all.sample.push_back(k);
      all.steps.push_back((to < 0 ? run.size() - 1 : to) - k);
    }
  }
  if (all.size() == 0) return all;
  const int steps = *std::max_element(all.steps.begin(), all.steps.end());
  const int affordable = static_cast<int>(kMostSteps / steps);
  const int count = std::min({all.size(), most, std::max(kFewestStarts, affordable)});
  Starts out;
  for (int i = 0; i < count; ++i) {
    const auto k = static_cast<std::size_t>(static_cast<double>(i) * all.size() / count);
    out.run.push_back(all.run[k]);
    out.sample.push_back(all.sample[k]);
    out.steps.push_back(all.steps[k]);
  }
  return out;
}

Starts run_starts(const Log& log, int window) {
  Starts out;
  for (std::size_t r = 0; r < log.runs.size(); ++r) {
    const int first = first_start(log.runs[r], window);
    if (first < 0) continue;
    out.run.push_back(static_cast<int>(r));
    out.sample.push_back(first);
    out.steps.push_back(log.runs[r].size() - 1 - first);
  }
  return out;
}

void take_logged_states(const Log& log, Starts& starts) {
  const int n = log.n();
  starts.q.clear();
  starts.v.clear();
  for (int s = 0; s < starts.size(); ++s) {
    const Trajectory& run = log.runs[starts.run[s]];
    MECHFIT_CHECK(run.qd.size() == run.q.size(), "run '" + run.name + "' has no velocities");
    const int from = starts.sample[s] * n;
    starts.q.insert(starts.q.end(), &run.q[from], &run.q[from] + n);
    starts.v.insert(starts.v.end(), &run.qd[from], &run.qd[from] + n);
  }
}

RolloutRequest StartArrays::request() const {
  RolloutRequest request;
  request.trajectories = trajectories;
  request.steps = steps;
  request.q0 = q0;
  request.v0 = v0;
  request.h = h;
  request.u = u;
  request.substeps = substeps;
  request.control = control;
  request.inner_inputs = inner_inputs;
  return request;
}

StartArrays start_arrays(const Model& model, const Log& log, const Starts& starts,
                         const RolloutSteps& cut) {
  const int substeps = cut.parts;
  const int m = model.inputs();
  const std::size_t states = static_cast<std::size_t>(starts.size()) * log.n();
  MECHFIT_CHECK(starts.q.size() == states && starts.v.size() == states, "starts without states");
  StartArrays out;
  out.q0 = starts.q;
  out.v0 = starts.v;
  out.trajectories = starts.size();
  out.substeps = substeps;
  out.control = cut.control;
  out.steps = *std::max_element(starts.steps.begin(), starts.steps.end());
  out.inner_inputs = std::any_of(log.runs.begin(), log.runs.end(), [&](const Trajectory& run) {
    return m > 0 && substeps > 1 && run.input && !run.input->timing().as_logged();
  });
  const int parts = out.inner_inputs ? substeps : 1;
  for (int s = 0; s < starts.size(); ++s) {
    const Trajectory& run = log.runs[starts.run[s]];
    MECHFIT_CHECK(m == 0 || run.u.size() == run.t.size() * m, "inputs of run '" + run.name + "'");
    const int from = starts.sample[s], last = starts.steps[s] - 1;
    const std::vector<double> u =
        m > 0 ? inner_inputs(run, m, from, last + 1, parts) : std::vector<double>();
    for (int step = 0; step < out.steps; ++step) {
      const int k = std::min(step, last);
      out.h.push_back(run.t[from + k + 1] - run.t[from + k]);
      const double* acting = u.data() + static_cast<std::size_t>(k) * parts * m;
      out.u.insert(out.u.end(), acting, acting + parts * m);
    }
  }
  return out;
}

std::vector<double> default_horizons(const Log& log) {
  const int n = log.n();
  std::vector<double> v(n, 0.0), a(n, 0.0);
  double longest_run = 0;
  for (const Trajectory& run : log.runs) {
    MECHFIT_CHECK(run.qd.size() == run.q.size() && run.qdd.size() == run.q.size());
    longest_run = std::max(longest_run, run.t.back() - run.t.front());
    for (std::size_t k = 0; k < run.qd.size(); ++k) {
      v[k % n] += run.qd[k] * run.qd[k];
      a[k % n] += run.qdd[k] * run.qdd[k];
    }
  }
  const double step = median_step(log);
  MECHFIT_CHECK(step > 0, "a log without steps");
  const double longest = std::max(longest_run / 2, step);
  double scale = longest / 5;  // where nothing moves
  for (int i = 0; i < n; ++i)
    if (v[i] > 0 && a[i] > 0) scale = std::min(scale, std::sqrt(v[i] / a[i]));

  // Round times, each about twice the one before: the five that begin below the time scale of the
  // motion show where predictions begin to fail.
  constexpr double kFactors[] = {1, 2.5, 5};
  constexpr std::size_t kCount = 5;
  constexpr double kShortest = 0.4;  // of the time scale: the first horizon lies just above
  const double shortest = std::max(2 * step, kShortest * scale) * (1 - kSameTime);
  std::vector<double> horizons;
  for (int decade = static_cast<int>(std::floor(std::log10(shortest)));; ++decade)
    for (const double factor : kFactors) {
      // Negative powers by division, so that 0.1 is the double nearest to it.
      const double power = std::pow(10.0, std::abs(decade));
      const double seconds = decade < 0 ? factor / power : factor * power;
      if (seconds > longest * (1 + kSameTime) || horizons.size() == kCount) {
        if (horizons.empty()) horizons.push_back(longest);
        return horizons;
      }
      if (seconds >= shortest) horizons.push_back(seconds);
    }
}

}  // namespace mechfit
