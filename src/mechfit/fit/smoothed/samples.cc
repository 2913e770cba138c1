#include "mechfit/fit/smoothed/samples.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/base/median.h"
#include "mechfit/log/acting_input.h"

namespace mechfit {
namespace {

// Deviations of an acceleration, in units of the run's median, above which it is vague.
constexpr double kVague = 2;

}  // namespace

Samples make_samples(const Log& log) {
  Samples s;
  s.n = log.n();
  s.m = log.m();
  bool has_velocities = true;
  for (const auto& run : log.runs)
    has_velocities =
        has_velocities && run.qd.size() == run.q.size() && run.qdd.size() == run.q.size();
  const bool has_deviations =
      has_velocities && std::all_of(log.runs.begin(), log.runs.end(), [](const Trajectory& run) {
        return run.qdd_sd.size() == run.q.size();
      });
  for (const auto& run : log.runs) {
    const int size = run.size(), m = s.m;
    MECHFIT_CHECK(static_cast<int>(run.q.size()) == size * s.n, "run '" + run.name + "'");
    MECHFIT_CHECK(static_cast<int>(run.u.size()) == size * m, "inputs of run '" + run.name + "'");
    for (int k = 0; k < size; ++k) {
      if (k + 2 < size) s.triples.push_back(s.size + k);
      if (k + 1 < size) s.pairs.push_back(s.size + k);
      s.h.push_back(k + 1 < size ? run.t[k + 1] - run.t[k] : 0.0);
    }
    s.q.insert(s.q.end(), run.q.begin(), run.q.end());
    if (has_velocities) {
      s.v.insert(s.v.end(), run.qd.begin(), run.qd.end());
      s.a.insert(s.a.end(), run.qdd.begin(), run.qdd.end());
    }
    if (has_deviations) s.a_sd.insert(s.a_sd.end(), run.qdd_sd.begin(), run.qdd_sd.end());
    const std::vector<double> u = sample_inputs(run, m, InputAtSample::mean);
    s.u_step.insert(s.u_step.end(), run.u.begin(), run.u.end());
    s.u_point.insert(s.u_point.end(), u.begin(), u.end());
    s.size += size;
  }
  return s;
}

MotionView motion_view(const Samples& s) { return {s.n, s.m, s.q, s.v, s.a, s.u_point, s.h}; }

Samples make_samples(const Log& smoothed, const Log& observed) {
  Samples s = make_samples(smoothed);
  MECHFIT_CHECK(smoothed.runs.size() == observed.runs.size());
  std::vector<char> vague;
  for (std::size_t r = 0; r < smoothed.runs.size(); ++r) {
    const Trajectory& run = smoothed.runs[r];
    const std::size_t first = vague.size();
    vague.resize(first + run.t.size(), 0);
    for (int j = 0; j < s.n && !run.qdd_sd.empty(); ++j) {
      std::vector<double> deviations;
      for (std::size_t k = j; k < run.qdd_sd.size(); k += s.n) deviations.push_back(run.qdd_sd[k]);
      const double most = kVague * median(deviations);
      for (std::size_t k = 0; k < deviations.size(); ++k)
        if (std::isnan(observed.runs[r].q[k * s.n + j]) && deviations[k] > most)
          vague[first + k] = 1;
    }
  }
  const auto leave_out = [&](std::vector<int>& items, int samples) {
    std::vector<int> kept;
    for (const int i : items)
      if (std::none_of(&vague[i], &vague[i] + samples, [](char x) { return x != 0; }))
        kept.push_back(i);
    if (!kept.empty()) items = std::move(kept);
  };
  leave_out(s.triples, 3);
  leave_out(s.pairs, 2);
  if (std::find(vague.begin(), vague.end(), 1) == vague.end()) return s;
  for (int i = 0; i < s.size; ++i)
    if (vague[i] == 0) s.points.push_back(i);
  return s;
}

}  // namespace mechfit
