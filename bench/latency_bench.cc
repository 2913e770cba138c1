// One call at one point, as a controller makes it: forward dynamics, inverse dynamics, one step of
// the variational integrator; and a step of a rollout, which goes in blocks of trajectories, of one
// and of a whole block.
#include <benchmark/benchmark.h>

#include "bench/bench_models.h"
#include "bench/peak.h"
#include "mechfit/integrate/rollout.h"
#include "mechfit/integrate/variational_point.h"
#include "mechfit/mechanics/point.h"

namespace mechfit::bench {
namespace {

// Points of a motion, so that no call repeats the one before.
struct Motion {
  Motion(const benchmark::State& state)
      : n(static_cast<int>(state.range(0))),
        model(network(n, static_cast<int>(state.range(1)), false)),
        samples(motion(n, 1, 256)) {}
  std::span<const double> row(const std::vector<double>& x) const {
    return std::span(x).subspan(static_cast<std::size_t>(at * n), n);
  }
  void next() { at = (at + 1) % samples.size; }

  int n;
  Model model;
  Samples samples;
  int at = 0;
};

void forward_dynamics(benchmark::State& state) {
  Motion m(state);
  PointDynamics point(m.model);
  std::vector<double> a(m.n);
  for (auto _ : state) {
    if (!point.acceleration(m.row(m.samples.q), m.row(m.samples.v), {}, a))
      return state.SkipWithError("M is not positive definite");
    benchmark::DoNotOptimize(a.data());
    m.next();
  }
}

void inverse_dynamics(benchmark::State& state) {
  Motion m(state);
  PointDynamics point(m.model);
  std::vector<double> tau(m.n);
  for (auto _ : state) {
    point.inverse_dynamics(m.row(m.samples.q), m.row(m.samples.v), m.row(m.samples.a), tau);
    benchmark::DoNotOptimize(tau.data());
    m.next();
  }
}

// To rounding with h = 10 ms from the velocity of the step before.
void variational_step_of_one(benchmark::State& state) {
  Motion m(state);
  VariationalPoint integrator(m.model);
  PointDynamics point(m.model);
  std::vector<double> q(m.n), momentum(m.n), v(m.n), q_next(m.n), momentum_next(m.n);
  for (auto _ : state) {
    if (m.at == 0) {  // a new motion every 256 steps
      std::copy_n(m.samples.q.begin(), m.n, q.begin());
      std::copy_n(m.samples.v.begin(), m.n, v.begin());
      point.momentum(q, v, momentum);
    }
    const StepStatus status = integrator.step(q, momentum, {}, 0.01, v, q_next, momentum_next);
    if (status != StepStatus::ok) return state.SkipWithError(describe(status));
    std::swap(q, q_next);
    std::swap(momentum, momentum_next);
    m.next();
  }
}

// For each step of 10 ms and each trajectory.
void rollout_step(benchmark::State& state, int trajectories) {
  constexpr int kSteps = 64;
  Motion m(state);
  ThreadPool pool(1);
  RolloutRequest request;
  const std::size_t numbers = static_cast<std::size_t>(trajectories) * m.n;
  const double h = 0.01;
  request.trajectories = trajectories;
  request.steps = kSteps;
  request.q0 = std::span(m.samples.q).first(numbers);
  request.v0 = std::span(m.samples.v).first(numbers);
  request.h = {&h, 1};
  while (state.KeepRunningBatch(kSteps * trajectories)) {
    const Rollout out = roll_out(m.model, request, Integrator::variational, pool);
    if (!out.all_ok()) return state.SkipWithError("a step did not end");
    benchmark::DoNotOptimize(out.q.data());
  }
}
void rollout_step_of_one(benchmark::State& state) { rollout_step(state, 1); }
void rollout_step_of_32(benchmark::State& state) { rollout_step(state, kBlock); }

void sizes(benchmark::internal::Benchmark* b) {
  for (auto [n, width] : {std::pair{2, 32}, {2, 64}, {4, 64}, {7, 64}, {7, 128}, {14, 128}})
    b->Args({n, width});
  b->ArgNames({"n", "width"})->Unit(benchmark::kNanosecond);
}

BENCHMARK(forward_dynamics)->Apply(sizes);
BENCHMARK(inverse_dynamics)->Apply(sizes);
BENCHMARK(variational_step_of_one)->Apply(sizes);
BENCHMARK(rollout_step_of_one)->Apply(sizes);
BENCHMARK(rollout_step_of_32)->Apply(sizes);

}  // namespace
}  // namespace mechfit::bench

int main(int argc, char** argv) {
  mechfit::bench::restrict_instruction_set();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
