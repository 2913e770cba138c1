#include "mechfit/evaluate/rollouts.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"
#include "mechfit/evaluate/coverage.h"
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

std::vector<double> steps_between(const std::vector<double>& t) {
  std::vector<double> h;
  for (std::size_t k = 1; k < t.size(); ++k) h.push_back(t[k] - t[k - 1]);
  return h;
}

double longest_step(const std::vector<double>& t) {
  const std::vector<double> h = steps_between(t);
  return h.empty() ? 0 : *std::max_element(h.begin(), h.end());
}

// The arrays behind a request.
struct StartData {
  std::vector<double> h;
  std::vector<double> u;   // on the steps, or on the inner ones where an input says how it acts
  std::vector<double> at;  // at the samples [T][m]; the last one has no step of its own
};

StartData data_of(const RolloutStart& start, int m, const RolloutSteps& cut) {
  StartData data{steps_between(start.t), start.u, {}};
  if (start.input) {
    Trajectory times;
    times.t = start.t;
    times.input = start.input;
    data.u = inner_inputs(times, m, 0, static_cast<int>(data.h.size()), cut.parts);
    data.at = start.input->at(start.t, InputAtSample::next);
    return data;
  }
  for (std::size_t k = 0; k < start.t.size(); ++k) {
    const std::size_t step = std::min(k, data.h.size() - 1);
    for (int i = 0; i < m; ++i) data.at.push_back(start.u.empty() ? 0 : start.u[step * m + i]);
  }
  return data;
}

RolloutRequest request_of(const RolloutStart& start, const StartData& data, const RolloutSteps& cut,
                          const Contacts& contacts) {
  RolloutRequest request;
  request.contacts = contacts;
  request.trajectories = 1;
  request.steps = static_cast<int>(data.h.size());
  request.q0 = start.q0;
  request.v0 = start.v0;
  request.h = data.h;
  request.u = data.u;
  request.inner_inputs = start.input != nullptr;
  request.substeps = cut.parts;
  request.control = cut.control;
  return request;
}

Trajectory simulate(const Model& model, const Contacts& contacts, const RolloutStart& start,
                    Integrator integrator, const RolloutSteps& cut, ThreadPool& pool,
                    StepStatus& status, std::vector<ContactEvent>* events) {
  const int n = model.joints(), m = model.inputs();
  const StartData data = data_of(start, m, cut);
  const RolloutRequest request = request_of(start, data, cut, contacts);
  const Rollout rollout = roll_out(model, request, integrator, pool);
  if (events && !rollout.events.empty()) *events = rollout.events[0];
  status = rollout.status[0];

  Trajectory run;
  run.name = start.name;
  const std::size_t samples = rollout.completed[0] + 1;
  run.t.assign(start.t.begin(), start.t.begin() + samples);
  run.q.assign(rollout.q.begin(), rollout.q.begin() + samples * n);
  run.qd.assign(rollout.v.begin(), rollout.v.begin() + samples * n);
  run.qdd.resize(samples * n);
  run.u = start.input ? start.input->logged(run.t) : data.at;
  run.u.resize(samples * m);
  PointDynamics dynamics(model);
  for (std::size_t k = 0; k < samples; ++k) {
    const auto row = [&](const std::vector<double>& x, int width) {
      return std::span(x).subspan(k * width, width);
    };
    if (!dynamics.acceleration(row(run.q, n), row(run.qd, n), row(data.at, m),
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

// q, qd and qdd become the mean of members' runs, as long as the shortest.
void average(const std::vector<Trajectory>& members, int n, int m, Trajectory& out) {
  std::size_t samples = members[0].t.size();
  for (const Trajectory& member : members) samples = std::min(samples, member.t.size());
  out = members[0];
  out.t.resize(samples);
  out.u.resize(samples * m);
  for (const auto values : {&Trajectory::q, &Trajectory::qd, &Trajectory::qdd}) {
    (out.*values).assign(samples * n, 0.0);
    for (const Trajectory& member : members)
      for (std::size_t k = 0; k < samples * n; ++k)
        (out.*values)[k] += (member.*values)[k] / static_cast<double>(members.size());
  }
}

// Standard deviations of the predictions that got as far as each sample; NaN where fewer than two
// did.
std::vector<double> scatter(const std::vector<Rollout>& predictions,
                            std::vector<double> Rollout::*values, std::size_t count) {
  std::vector<double> out;
  for (std::size_t k = 0; k < count; ++k) {
    double sum = 0, squares = 0;
    int number = 0;
    const double origin = (predictions[0].*values)[k];
    for (const Rollout& own : predictions) {
      const double x = (own.*values)[k] - origin;
      if (!std::isfinite(x)) continue;
      sum += x;
      squares += x * x;
      ++number;
    }
    out.push_back(number > 1
                      ? std::sqrt(std::max(0.0, (squares - sum * sum / number) / (number - 1)))
                      : kNan);
  }
  return out;
}

bool all_finite(std::span<const double> x) {
  return std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); });
}

// Numbers that overflow end a run: what is left of it can be written and read.
void end_where_not_finite(int n, int m, Trajectory& run, StepStatus& status) {
  const auto finite = [&](std::size_t k) {
    for (const auto* values : {&run.q, &run.qd, &run.qdd})
      if (!all_finite(std::span(*values).subspan(k * n, n))) return false;
    return true;
  };
  std::size_t samples = 0;
  while (samples < run.t.size() && finite(samples)) ++samples;
  if (samples == run.t.size()) return;
  if (status == StepStatus::ok) status = StepStatus::not_finite;
  run.t.resize(samples);
  for (auto* values : {&run.q, &run.qd, &run.qdd}) values->resize(samples * n);
  run.u.resize(samples * m);
}

// What is unsure along a run: predictions scatter in q and qd; accelerations as their bands say.
void add_deviations(const Ensemble& ensemble, const RolloutStart& start, const RolloutSteps& cut,
                    ThreadPool& pool, Trajectory& run) {
  if (!tells_deviations(ensemble) || run.size() < 2) return;
  StartData data = data_of(start, ensemble.model.inputs(), cut);
  const auto predictions = predict_rollouts(
      ensemble, request_of(start, data, cut, ensemble.contacts), start.drawn, pool);
  run.q_sd = scatter(predictions, &Rollout::q, run.q.size());
  run.qd_sd = scatter(predictions, &Rollout::v, run.q.size());
  data.at.resize(run.u.size());
  const MotionView points{
      ensemble.model.joints(), ensemble.model.inputs(), run.q, run.qd, run.qdd, data.at};
  run.qdd_sd = acceleration_deviations(ensemble, points, pool);
  if (all_finite(run.q_sd) && all_finite(run.qd_sd) && all_finite(run.qdd_sd)) return;
  for (auto* values : {&run.q_sd, &run.qd_sd, &run.qdd_sd}) values->clear();
}

// The time at which a run leaves the region that the model was fitted to; NaN: never.
double leaves_region(const Ensemble& ensemble, const Trajectory& run) {
  const std::size_t n = ensemble.model.joints(), m = ensemble.model.inputs();
  for (int k = 0; ensemble.knowledge && k < run.size(); ++k)
    if (ensemble.knowledge->region.outside(
            ensemble.model.joint_types(), std::span(run.q).subspan(k * n, n),
            std::span(run.qd).subspan(k * n, n), std::span(run.u).subspan(k * m, m)) > 0)
      return run.t[k];
  return kNan;
}

}  // namespace

RolloutResult roll_out(const ModelRecord& record, const std::vector<RolloutStart>& starts,
                       const RolloutOptions& options, ThreadPool& pool) {
  RolloutResult result;
  result.log.channels = record.channels;
  const Ensemble ensemble = ensemble_of(record);
  const int n = record.model.joints(), m = record.model.inputs();
  for (RolloutStart start : starts) {
    if (!start.input && !start.u.empty() && !record.timing.as_logged())
      start.input = std::make_shared<const ActingInput>(
          std::vector(start.t.begin(), start.t.end() - 1), start.u, m, record.timing);
    const RolloutSteps cut = rollout_steps(ensemble, options.substeps, longest_step(start.t));
    StepStatus status = StepStatus::ok;
    result.events.emplace_back();
    Trajectory run = simulate(record.model, record.contacts, start, options.integrator, cut, pool,
                              status, &result.events.back());
    if (ensemble.mean) {
      std::vector<Trajectory> members;
      for (const Model& member : ensemble.members) {
        StepStatus own = StepStatus::ok;
        members.push_back(
            simulate(member, record.contacts, start, options.integrator, cut, pool, own, nullptr));
        if (status == StepStatus::ok) status = own;
      }
      average(members, n, m, run);
    }
    end_where_not_finite(n, m, run, status);
    if (options.deviations) add_deviations(ensemble, start, cut, pool, run);
    result.leaves.push_back(leaves_region(ensemble, run));
    result.log.runs.push_back(std::move(run));
    result.status.push_back(status);
  }
  return result;
}

Starts run_states(const Model& model, const Log& log, StartKind kind, int window, ThreadPool& pool,
                  std::vector<Starts>* drawn, double grid) {
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
    estimate_states(model, log, window, starts, pool, drawn ? kPredictions : 0, drawn, grid);
  else
    take_logged_states(log, starts);
  return starts;
}

std::vector<RolloutStart> starts_of(const Model& model, const Log& log, const Starts& starts,
                                    double horizon, std::span<const Starts> drawn) {
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
    for (const Starts& own : drawn) {
      start.drawn.q.emplace_back(&own.q[s * n], &own.q[s * n] + n);
      start.drawn.v.emplace_back(&own.v[s * n], &own.v[s * n] + n);
    }
    if (m > 0) start.u.assign(&run.u[from * m], &run.u[from * m] + (samples - 1) * m);
    if (m > 0) start.input = run.input;
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

void take_inputs(const Log& inputs, const InputTiming& timing, double horizon,
                 RolloutStart& start) {
  const Trajectory& run = inputs.runs[0];
  const int samples = samples_within(run.t, horizon);
  start.t.assign(run.t.begin(), run.t.begin() + samples);
  start.u.clear();
  start.input = std::make_shared<const ActingInput>(run.t, run.q, inputs.n(), timing);
}

}  // namespace mechfit
