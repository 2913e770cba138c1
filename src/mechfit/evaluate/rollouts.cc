#include "mechfit/evaluate/rollouts.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/evaluate/ensemble.h"
#include "mechfit/evaluate/start_states.h"
#include "mechfit/mechanics/point.h"

namespace mechfit {
namespace {

// Samples that lie within the horizon, at least two when there are.
int samples_within(std::span<const double> t, double horizon) {
  const double end = t[0] + horizon * (1 + 1e-9);
  const auto last = std::upper_bound(t.begin(), t.end(), end);
  return std::max(static_cast<int>(last - t.begin()), std::min(2, static_cast<int>(t.size())));
}

Trajectory simulate(const Model& model, const RolloutStart& start, const RolloutOptions& options,
                    ThreadPool& pool, StepStatus& status) {
  const int n = model.joints(), m = model.inputs();
  std::vector<double> h;
  for (std::size_t k = 1; k < start.t.size(); ++k) h.push_back(start.t[k] - start.t[k - 1]);
  RolloutRequest request;
  request.trajectories = 1;
  request.steps = static_cast<int>(h.size());
  request.q0 = start.q0;
  request.v0 = start.v0;
  request.h = h;
  request.u = start.u;
  request.substeps = options.substeps;
  const Rollout rollout = roll_out(model, request, options.integrator, pool);
  status = rollout.status[0];

  Trajectory run;
  run.name = start.name;
  const std::size_t samples = rollout.completed[0] + 1;
  run.t.assign(start.t.begin(), start.t.begin() + samples);
  run.q.assign(rollout.q.begin(), rollout.q.begin() + samples * n);
  run.qd.assign(rollout.v.begin(), rollout.v.begin() + samples * n);
  run.qdd.resize(samples * n);
  PointDynamics dynamics(model);
  for (std::size_t k = 0; k < samples; ++k) {
    // The last sample has no step of its own: the input before it goes on.
    const std::size_t step = std::min(k, h.size() - 1);
    for (int i = 0; i < m; ++i) run.u.push_back(start.u.empty() ? 0 : start.u[step * m + i]);
    const auto row = [&](const std::vector<double>& x, int width) {
      return std::span(x).subspan(k * width, width);
    };
    if (!dynamics.acceleration(row(run.q, n), row(run.qd, n), row(run.u, m),
                               std::span(run.qdd).subspan(k * n, n))) {
      status = StepStatus::mass_not_positive;
      run.t.resize(k);
      run.q.resize(k * n);
      run.qd.resize(k * n);
      run.qdd.resize(k * n);
      run.u.resize(k * m);
      break;
    }
  }
  return run;
}

// The mean of members' runs, or `own` where only their scatter is wanted, with standard deviations;
// as long as the shortest.
Trajectory spread(const Trajectory* own, const std::vector<Trajectory>& members, int n, int m) {
  Trajectory out = own ? *own : members[0];
  int samples = out.size();
  for (const Trajectory& member : members) samples = std::min(samples, member.size());
  out.t.resize(samples);
  out.u.resize(static_cast<std::size_t>(samples) * m);
  const auto count = static_cast<double>(members.size());
  for (const auto& [values, deviations] : {std::pair{&Trajectory::q, &Trajectory::q_sd},
                                           std::pair{&Trajectory::qd, &Trajectory::qd_sd},
                                           std::pair{&Trajectory::qdd, &Trajectory::qdd_sd}}) {
    (out.*values).resize(static_cast<std::size_t>(samples) * n);
    for (std::size_t k = 0; k < (out.*values).size(); ++k) {
      double mean = 0, squares = 0;
      for (const Trajectory& member : members) mean += (member.*values)[k] / count;
      for (const Trajectory& member : members) squares += std::pow((member.*values)[k] - mean, 2);
      if (!own) (out.*values)[k] = mean;
      (out.*deviations).push_back(std::sqrt(squares / (count - 1)));
    }
  }
  return out;
}

}  // namespace

RolloutResult roll_out(const ModelRecord& record, const std::vector<RolloutStart>& starts,
                       const RolloutOptions& options, ThreadPool& pool) {
  RolloutResult result;
  result.log.channels = record.channels;
  const Ensemble ensemble = ensemble_of(record);
  const int n = record.model.joints(), m = record.model.inputs();
  for (const RolloutStart& start : starts) {
    StepStatus status = StepStatus::ok;
    Trajectory run = simulate(record.model, start, options, pool, status);
    std::vector<Trajectory> members;
    for (const Model& member : ensemble.members) {
      StepStatus own = StepStatus::ok;
      members.push_back(simulate(member, start, options, pool, own));
      if (status == StepStatus::ok) status = own;
    }
    if (members.size() > 1) run = spread(ensemble.mean ? nullptr : &run, members, n, m);
    result.log.runs.push_back(std::move(run));
    result.status.push_back(status);
  }
  return result;
}

Starts run_states(const Model& model, const Log& log, StartKind kind, int window,
                  ThreadPool& pool) {
  const bool estimated = kind == StartKind::estimated;
  Starts starts = run_starts(log, estimated ? window : 0);
  for (const Trajectory& run : log.runs) {
    if (!estimated && run.qd.size() != run.q.size())
      throw InputError("run '" + run.name +
                       "' has no velocities to start from (option 'qd' names them)");
    if (estimated && first_start(run, window) < 0)
      throw InputError("run '" + run.name + "' has " + std::to_string(run.size()) +
                       " samples, too few to estimate a state and go on from there");
  }
  if (estimated)
    estimate_states(model, log, window, starts, pool);
  else
    take_logged_states(log, starts);
  return starts;
}

std::vector<RolloutStart> starts_of(const Model& model, const Log& log, const Starts& starts,
                                    double horizon) {
  const int n = model.joints(), m = model.inputs();
  std::vector<RolloutStart> out;
  for (int s = 0; s < starts.size(); ++s) {
    const Trajectory& run = log.runs[starts.run[s]];
    const int from = starts.sample[s];
    const int samples = samples_within(std::span(run.t).subspan(from), horizon);
    RolloutStart start;
    start.name = run.name;
    start.t.assign(&run.t[from], &run.t[from] + samples);
    start.q0.assign(&starts.q[s * n], &starts.q[s * n] + n);
    start.v0.assign(&starts.v[s * n], &starts.v[s * n] + n);
    if (m > 0) start.u.assign(&run.u[from * m], &run.u[from * m] + (samples - 1) * m);
    out.push_back(std::move(start));
  }
  return out;
}

RolloutStart start_from(const Model& model, const std::vector<double>& state, double horizon,
                        double step) {
  const std::size_t n = model.joints();
  if (state.size() != n && state.size() != 2 * n)
    throw InputError("option 'from' has " + std::to_string(state.size()) + " numbers, expected " +
                     std::to_string(n) + " positions, or these and as many velocities");
  for (const double x : state)
    if (!std::isfinite(x)) throw InputError("option 'from': every number must be finite");
  if (horizon / step > 1e8)
    throw InputError("option 'horizon' has more than 1e8 steps of option 'step'");
  RolloutStart start;
  start.name = "rollout";
  start.q0.assign(state.begin(), state.begin() + n);
  start.v0.assign(n, 0.0);
  if (state.size() == 2 * n) start.v0.assign(state.begin() + n, state.end());
  const auto steps = std::max(1L, std::lround(horizon / step));
  for (long k = 0; k <= steps; ++k) start.t.push_back(step * static_cast<double>(k));
  return start;
}

void take_inputs(const Log& inputs, double horizon, RolloutStart& start) {
  const Trajectory& run = inputs.runs[0];
  const int samples = samples_within(run.t, horizon);
  start.t.assign(run.t.begin(), run.t.begin() + samples);
  start.u.assign(run.q.begin(), run.q.begin() + (samples - 1) * inputs.n());
}

}  // namespace mechfit
