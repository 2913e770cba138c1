#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechfit/evaluate/predictions.h"
#include "mechfit/report/fit_members.h"

namespace mechfit {
namespace {

using nlohmann::json;

constexpr std::size_t kShownErrors = 8;  // runs whose errors are drawn, a colour each

// Accelerations that the model is held against, and what it says at the same states.
struct JudgedMotion {
  std::string source;  // observations, logged, smoothed: where they come from
  const Log& motion;
  MotionPoints points;        // all samples, run after run
  AccelerationBands bands;    // there
  std::vector<double> error;  // predicted less true [N][n]
};

// By the observations where the model was judged by them: the motion that they and the model make
// most likely. A smoother's accelerations miss fast motion.
JudgedMotion judged_motion(const FitView& view) {
  const auto& found = view.scores.model_error;
  const bool logged = view.held_out.logged_accelerations;
  const bool observed = !logged && found && !found->motion.runs.empty();
  const Log& log = observed ? found->motion : view.held_out.motion();
  JudgedMotion out{logged ? "logged" : observed ? "observations" : "smoothed", log, {}, {}, {}};
  out.points = motion_points(log, logged ? InputAtSample::next : InputAtSample::mean);
  out.bands = acceleration_bands(view.ensemble, out.points, view.pool);
  if (observed) {
    for (const auto& own : found->residual)
      out.error.insert(out.error.end(), own.begin(), own.end());
  } else {
    for (std::size_t k = 0; k < out.points.a.size(); ++k)
      out.error.push_back(out.bands.centre[k] - out.points.a[k]);
  }
  return out;
}

// Every stride-th of `count` rows from `first` on, column `i` of x [N][n].
std::vector<double> column(const std::vector<double>& x, int n, int first, int count, int i,
                           int stride = 1) {
  std::vector<double> out;
  for (int k = 0; k < count; k += stride) out.push_back(x[(first + k) * n + i]);
  return out;
}

std::vector<double> times(const Trajectory& run, int count, int stride = 1) {
  std::vector<double> t;
  for (int k = 0; k < count; k += stride) t.push_back(run.t[k] - run.t[0]);
  return t;
}

json acceleration_run(const FitView& view, const JudgedMotion& judged, const Trajectory& run,
                      int first) {
  const int n = judged.points.n, most = shown_samples(n);
  // Samples of the likely motion are closer than a figure needs.
  const int stride = std::clamp(run.size() / most, 1, judged.source == "observations" ? 3 : 1);
  const int count = std::min(run.size(), stride * most);
  const auto cut = [&](const std::vector<double>& x, int i) {
    return column(x, n, first, count, i, stride);
  };
  json joints = json::array();
  for (int i = 0; i < n; ++i) {
    const AccelerationBands& bands = judged.bands;
    json predicted = {{"y", cut(bands.centre, i)}};
    if (view.has_bands()) {
      predicted["inner_low"] = cut(bands.low[0], i);
      predicted["inner_high"] = cut(bands.high[0], i);
      predicted["low"] = cut(bands.low[1], i);
      predicted["high"] = cut(bands.high[1], i);
    }
    joints.push_back({{"measured", cut(judged.points.a, i)}, {"predicted", predicted}});
  }
  return {{"name", part_name(view.held_out.observed, run.name, run.t[0])},
          {"t", times(run, count, stride)},
          {"joints", joints}};
}

json error_run(const FitView& view, const JudgedMotion& judged, const Trajectory& run, int first,
               int stride) {
  const int n = judged.points.n;
  json joints = json::array();
  for (int i = 0; i < n; ++i)
    joints.push_back({{"velocity", column(judged.points.v, n, first, run.size(), i, stride)},
                      {"error", column(judged.error, n, first, run.size(), i, stride)}});
  return {{"name", part_name(view.held_out.observed, run.name, run.t[0])},
          {"t", times(run, run.size(), stride)},
          {"joints", joints}};
}

}  // namespace

void add_acceleration_members(const FitView& view, json& page) {
  const JudgedMotion judged = judged_motion(view);
  const auto& runs = judged.motion.runs;
  const std::size_t shown = std::min(runs.size(), kShownErrors);
  int samples = 0;
  for (std::size_t s = 0; s < shown; ++s) samples += runs[s * runs.size() / shown].size();
  const int stride = 1 + samples / shown_points(judged.points.n);
  json accelerations = json::array(), errors = json::array();
  int first = 0;
  for (std::size_t r = 0; r < runs.size(); first += runs[r++].size()) {
    if (r < kShownRuns) accelerations.push_back(acceleration_run(view, judged, runs[r], first));
    const bool chosen = errors.size() < shown && r == errors.size() * runs.size() / shown;
    if (chosen) errors.push_back(error_run(view, judged, runs[r], first, stride));
  }
  page["accelerations"] = {{"source", judged.source}, {"runs", accelerations}};
  page["errors"] = {{"source", judged.source}, {"runs", errors}};
}

}  // namespace mechfit
