#include "mechfit/integrate/simulate.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "mechfit/base/error.h"
#include "mechfit/base/random.h"
#include "mechfit/integrate/rollout.h"
#include "mechfit/mechanics/euler_lagrange.h"

namespace mechfit {
namespace {

void check_options(const Model& model, const Channels& channels, const SimulateOptions& o) {
  const std::size_t n = model.joints();
  MECHFIT_CHECK(channels.n() == model.joints() && channels.m() == model.inputs());
  MECHFIT_CHECK(o.runs >= 1 && o.steps >= 1 && o.substeps >= 1);
  MECHFIT_CHECK(std::isfinite(o.h) && o.h > 0, "h is " + std::to_string(o.h));
  MECHFIT_CHECK(o.q0.size() == n && (o.two_equal || o.v0.size() == n));
  MECHFIT_CHECK(o.noise.empty() || o.noise.size() == n);
  MECHFIT_CHECK(!o.two_equal || o.integrator == Integrator::variational);
  check_contacts(o.contacts, model.joints(), "option 'contacts'");
}

struct DrawnStarts {
  std::vector<double> q, v;  // [runs][n]
};

DrawnStarts draw_starts(const SimulateOptions& o) {
  DrawnStarts starts;
  for (int run = 0; run < o.runs; ++run) {
    Random random(o.seed, simulation_stream(run, SimulationStream::start));
    for (const auto& [low, high] : o.q0) starts.q.push_back(random.uniform(low, high));
    if (o.two_equal) continue;
    for (const auto& [low, high] : o.v0) starts.v.push_back(random.uniform(low, high));
  }
  return starts;
}

void refuse_failures(const Rollout& out, const SimulateOptions& o) {
  int failed = 0;
  for (const auto status : out.status) failed += status != StepStatus::ok;
  if (failed == 0) return;
  int run = 0;
  while (out.status[run] == StepStatus::ok) ++run;
  throw InputError("run " + std::to_string(run) + " ends after " +
                   std::to_string(out.completed[run]) + " of " + std::to_string(o.steps) +
                   " steps: " + describe(out.status[run]) + "; " + std::to_string(failed) + " of " +
                   std::to_string(o.runs) + " runs fail");
}

// a = M^-1 (f - Mdot v) at every sample of a run.
void add_accelerations(const Model& model, Trajectory& run, AccelerationWorkspace& w) {
  const int n = model.joints(), m = model.inputs();
  AlignedVector q = make_panel(n), v = make_panel(n), u = make_panel(m), a = make_panel(n);
  run.qdd.resize(run.q.size());
  for (int first = 0; first < run.size(); first += kBlock) {
    for (int lane = 0; lane < kBlock; ++lane) {
      const std::size_t k = std::min(first + lane, run.size() - 1);
      for (int i = 0; i < n; ++i) {
        q[i * kBlock + lane] = run.q[k * n + i];
        v[i * kBlock + lane] = run.qd[k * n + i];
      }
      for (int i = 0; i < m; ++i) u[i * kBlock + lane] = run.u[k * m + i];
    }
    if (acceleration(model, {q.data(), v.data(), u.data()}, a.data(), w) != kAllLanes)
      throw InputError("run " + run.name + ": " + describe(StepStatus::mass_not_positive));
    for (int lane = 0; lane < std::min(kBlock, run.size() - first); ++lane)
      for (int i = 0; i < n; ++i) run.qdd[(first + lane) * n + i] = a[i * kBlock + lane];
  }
}

std::vector<double> sample_times(const SimulateOptions& o) {
  std::vector<double> t(o.steps + 1);
  for (int k = 0; k <= o.steps; ++k) t[k] = k * o.h;
  return t;
}

// Rows of one trajectory in x [B][count][n].
std::vector<double> rows_of(const std::vector<double>& x, int run, int count, int n) {
  const auto first = x.begin() + static_cast<std::ptrdiff_t>(run) * count * n;
  return {first, first + static_cast<std::ptrdiff_t>(count) * n};
}

Trajectory true_run(const Model& model, const Rollout& out, int run, const std::vector<double>& t,
                    const std::vector<double>& u, AccelerationWorkspace& w) {
  Trajectory truth;
  truth.name = std::to_string(run);
  truth.t = t;
  truth.u = u;
  truth.q = rows_of(out.q, run, out.steps + 1, out.n);
  truth.qd = rows_of(out.v, run, out.steps + 1, out.n);
  add_accelerations(model, truth, w);
  return truth;
}

// The states in the middle of the steps.
Trajectory middle_run(const Model& model, const Rollout& out, int run, const SimulateOptions& o,
                      const std::vector<double>& u, AccelerationWorkspace& w) {
  Trajectory middle;
  middle.name = std::to_string(run);
  for (int k = 0; k < out.steps; ++k) middle.t.push_back((k + 0.5) * o.h);
  middle.u.assign(u.begin(), u.end() - model.inputs());
  middle.q = rows_of(out.q_mid, run, out.steps, out.n);
  middle.qd = rows_of(out.v_mid, run, out.steps, out.n);
  add_accelerations(model, middle, w);
  return middle;
}

// What a sensor with noise sees of a run.
Trajectory observe(const Trajectory& truth, const SimulateOptions& o, int run) {
  Trajectory observed;
  observed.name = truth.name;
  observed.t = truth.t;
  observed.u = truth.u;
  observed.q = truth.q;
  if (o.noise.empty()) return observed;
  Random random(o.seed, simulation_stream(run, SimulationStream::noise));
  for (std::size_t i = 0; i < observed.q.size(); ++i)
    observed.q[i] += o.noise[i % o.noise.size()] * random.normal();
  return observed;
}

}  // namespace

std::uint64_t simulation_stream(int run, SimulationStream purpose) {
  return 3 * static_cast<std::uint64_t>(run) + static_cast<std::uint64_t>(purpose);
}

Simulation simulate(const Model& model, const Channels& channels, const SimulateOptions& o,
                    ThreadPool& pool) {
  check_options(model, channels, o);
  const int m = model.inputs();
  const std::vector<double> t = sample_times(o);
  std::vector<std::vector<double>> inputs;
  std::vector<double> u_held;
  for (int run = 0; run < o.runs; ++run) {
    inputs.push_back(make_input(o.input, m, t, o.seed, run));
    u_held.insert(u_held.end(), inputs[run].begin(), inputs[run].end() - m);
  }

  const DrawnStarts starts = draw_starts(o);
  RolloutRequest request;
  request.trajectories = o.runs;
  request.steps = o.steps;
  request.substeps = o.substeps;
  request.midpoints = true;
  request.q0 = starts.q;
  if (o.two_equal)
    request.q1 = starts.q;
  else
    request.v0 = starts.v;
  request.h = std::span(&o.h, 1);
  request.u = u_held;
  request.contacts = o.contacts;
  const Rollout out = roll_out(model, request, o.integrator, pool);
  refuse_failures(out, o);

  Simulation result;
  result.events = out.events;
  result.events.resize(o.runs);
  for (Log* log : {&result.observed, &result.truth, &result.midpoints}) {
    log->channels = channels;
    log->runs.resize(o.runs);
  }
  pool.run(o.runs, [&](int run, int) {
    AccelerationWorkspace w(model);
    result.truth.runs[run] = true_run(model, out, run, t, inputs[run], w);
    result.midpoints.runs[run] = middle_run(model, out, run, o, inputs[run], w);
    result.observed.runs[run] = observe(result.truth.runs[run], o, run);
  });
  return result;
}

Channels system_channels(const AnalyticSystem& system) {
  Channels channels;
  channels.joints = system.joint_names();
  channels.joint_types = system.joint_types();
  channels.inputs = system.input_names();
  for (const auto& joint : system.joint_definitions()) channels.units.push_back(joint.unit);
  return channels;
}

std::vector<Interval> default_start(const AnalyticSystem& system) {
  std::vector<Interval> start;
  for (const auto type : system.joint_types())
    start.push_back(type == JointType::periodic
                        ? Interval{-std::numbers::pi / 2, std::numbers::pi / 2}
                        : Interval{-0.5, 0.5});
  if (system.name() == "ball") start[1] = {0.5, 1.5};  // above the ground
  // A spring starts around the length at which it carries the mass.
  if (system.name() == "spring-pendulum") {
    const double length = system.constant("l") + system.constant("m") *
                                                     std::abs(system.constant("g")) /
                                                     system.constant("k");
    start[1] = {0.8 * length, 1.2 * length};
  }
  return start;
}

PaperProtocol paper_protocol(bool rods, bool damped) {
  PaperProtocol paper{make_system(rods ? "double-pendulum" : "double-pendulum-points"), {}};
  for (const char* eta : {"eta1", "eta2"}) paper.system.set_constant(eta, damped ? 0.5 : 0.0);
  paper.options.q0 = default_start(paper.system);
  paper.options.two_equal = true;
  paper.options.steps = 201;
  paper.options.substeps = rods ? 20 : 1;
  paper.options.noise = {0.1, 0.1};
  return paper;
}

}  // namespace mechfit
