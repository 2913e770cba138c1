#include "mechfit/evaluate/evaluation_data.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

bool all_have(const Log& log, std::vector<double> Trajectory::*values) {
  return std::all_of(log.runs.begin(), log.runs.end(),
                     [&](const Trajectory& run) { return (run.*values).size() == run.q.size(); });
}

bool any_missing(const Log& log) {
  return std::any_of(log.runs.begin(), log.runs.end(), [](const Trajectory& run) {
    return std::any_of(run.q.begin(), run.q.end(), [](double q) { return std::isnan(q); });
  });
}

EvaluationData unsmoothed(Log observed) {
  EvaluationData data;
  // Positions that are missing are known by smoothing alone, and so are states then.
  data.logged_velocities = all_have(observed, &Trajectory::qd) && !any_missing(observed);
  data.logged_accelerations = data.logged_velocities && all_have(observed, &Trajectory::qdd);
  data.observed = std::move(observed);
  return data;
}

}  // namespace

EvaluationData evaluation_data(Log observed, SmoothMethod method, ThreadPool& pool) {
  EvaluationData data = unsmoothed(std::move(observed));
  if (data.logged_accelerations) return data;
  SmoothOptions options;
  options.method = method;
  data.smoothed = smooth(data.observed, options, pool).log;
  return data;
}

EvaluationData evaluation_data(Log observed, Log smoothed) {
  EvaluationData data = unsmoothed(std::move(observed));
  MECHFIT_CHECK(smoothed.runs.size() == data.observed.runs.size());
  for (std::size_t r = 0; r < smoothed.runs.size(); ++r)
    MECHFIT_CHECK(smoothed.runs[r].t == data.observed.runs[r].t,
                  "run '" + smoothed.runs[r].name + "' of another log");
  MECHFIT_CHECK(all_have(smoothed, &Trajectory::qd) && all_have(smoothed, &Trajectory::qdd));
  if (!data.logged_accelerations) data.smoothed = std::move(smoothed);
  return data;
}

}  // namespace mechfit
