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

}  // namespace

std::uint64_t simulation_stream(int run, SimulationStream purpose) {
  return 3 * static_cast<std::uint64_t>(run) + static_cast<std::uint64_t>(purpose);
}

Simulation simulate(const Model& model, const Channels& channels, const SimulateOptions& o,
                    ThreadPool& pool) {
  check_options(model, channels, o);
  const int n = model.joints(), m = model.inputs(), samples = o.steps + 1;
  std::vector<double> t(samples), t_mid(o.steps), u_held;
  for (int k = 0; k < samples; ++k) t[k] = k * o.h;
  for (int k = 0; k < o.steps; ++k) t_mid[k] = (k + 0.5) * o.h;
  std::vector<std::vector<double>> inputs;
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
  const Rollout out = roll_out(model, request, o.integrator, pool);
  refuse_failures(out, o);

  Simulation result;
  for (Log* log : {&result.observed, &result.truth, &result.midpoints}) {
    log->channels = channels;
    log->runs.resize(o.runs);
  }
  pool.run(o.runs, [&](int run, int) {
    const auto part = [&](const std::vector<double>& x, int count) {
      const auto first = x.begin() + static_cast<std::ptrdiff_t>(run) * count * n;
      return std::vector<double>(first, first + static_cast<std::ptrdiff_t>(count) * n);
    };
    AccelerationWorkspace w(model);
    Trajectory &truth = result.truth.runs[run], &middle = result.midpoints.runs[run],
               &observed = result.observed.runs[run];
    truth.name = middle.name = std::to_string(run);
    truth.t = t;
    truth.u = inputs[run];
    truth.q = part(out.q, samples);
    truth.qd = part(out.v, samples);
    add_accelerations(model, truth, w);
    middle.t = t_mid;
    middle.u.assign(inputs[run].begin(), inputs[run].end() - m);
    middle.q = part(out.q_mid, o.steps);
    middle.qd = part(out.v_mid, o.steps);
    add_accelerations(model, middle, w);
    observed.name = truth.name;
    observed.t = t;
    observed.u = truth.u;
    observed.q = truth.q;
    if (o.noise.empty()) return;
    Random random(o.seed, simulation_stream(run, SimulationStream::noise));
    for (std::size_t i = 0; i < observed.q.size(); ++i)
      observed.q[i] += o.noise[i % n] * random.normal();
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
  if (system.name() ==
      "spring-pendulum") {  // around the length at which the spring carries the mass
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
