// Cost of one training step of every objective, and the share of the machine's peak that goes into
// useful matrix products.
#include <benchmark/benchmark.h>

#include <numeric>

#include "bench/bench_models.h"
#include "bench/peak.h"
#include "mechfit/fit/adam.h"
#include "mechfit/fit/barrier.h"
#include "mechfit/fit/objective.h"

namespace mechfit::bench {
namespace {

constexpr int kBatch = 256;

std::vector<int> batch_of(int items) {
  std::vector<int> order(items);
  std::iota(order.begin(), order.end(), 0);
  Random(3).shuffle(order);
  order.resize(kBatch);
  return order;
}

// arguments: n, width, force network
void objective_step(benchmark::State& state, Method method) {
  const int n = static_cast<int>(state.range(0)), width = static_cast<int>(state.range(1));
  const bool force = state.range(2) != 0;
  Model model = network(n, width, force);
  const Samples samples = motion(n, 8, 202);
  ThreadPool pool(1);
  Objective objective(model, samples, {method, RungeKutta::midpoint, {}, {}}, pool);
  const auto batch = batch_of(objective.items());
  std::vector<double> theta(model.parameters().begin(), model.parameters().end());
  std::vector<double> gradient(theta.size());
  for (auto _ : state) {
    model.set_parameters(theta);
    benchmark::DoNotOptimize(objective(model, batch, gradient));
  }
  if (method == Method::del) {
    const double flops = 2 * del_multiply_adds(n, width, force) * kBatch;
    state.counters["GFLOP/s"] =
        benchmark::Counter(flops * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
    state.counters["% of peak"] = benchmark::Counter(100 * flops * 1e-9 / peak_gflops(),
                                                     benchmark::Counter::kIsIterationInvariantRate);
  }
}

void barrier_pass(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0)), width = static_cast<int>(state.range(1));
  Model model = network(n, width, false);
  const Samples samples = motion(n, 8, 202);
  ThreadPool pool(1);
  Barrier barrier(model, samples.q, n, pool);
  barrier.set_alpha(0.99 * barrier.smallest_eigenvalue(model));
  std::vector<double> gradient(model.parameter_count());
  for (auto _ : state) benchmark::DoNotOptimize(barrier(model, {}, 0.01, gradient));
}

// Objective, barrier over 1616 points with feasibility, Adam: what a step of a DEL fit does.
void full_del_step(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0)), width = static_cast<int>(state.range(1));
  Model model = network(n, width, state.range(2) != 0);
  const Samples samples = motion(n, 8, 202);
  ThreadPool pool(1);
  Objective objective(model, samples, {}, pool);
  Barrier barrier(model, samples.q, n, pool);
  barrier.set_alpha(0.5 * barrier.smallest_eigenvalue(model));
  const auto batch = batch_of(objective.items());
  std::vector<double> theta(model.parameters().begin(), model.parameters().end());
  std::vector<double> gradient(theta.size()), barrier_gradient(theta.size()), step(theta.size());
  Adam adam(theta.size());
  barrier(model, {}, 0.01, barrier_gradient);
  for (auto _ : state) {
    objective(model, batch, gradient);
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] += barrier_gradient[i];
    adam.step(gradient, 1e-9, step);
    for (std::size_t i = 0; i < theta.size(); ++i) theta[i] += step[i];
    model.set_parameters(theta);
    benchmark::DoNotOptimize(barrier(model, {}, 0.01, barrier_gradient));
  }
}

void sizes(benchmark::internal::Benchmark* b) {
  for (auto [n, width] : {std::pair{2, 32}, {2, 64}, {4, 64}, {7, 64}, {7, 128}, {14, 128}})
    for (int force : {0, 1}) b->Args({n, width, force});
  b->ArgNames({"n", "width", "force"})->Unit(benchmark::kMicrosecond);
}

BENCHMARK_CAPTURE(objective_step, del, Method::del)->Apply(sizes);
BENCHMARK_CAPTURE(objective_step, gauge_free, Method::gauge_free)->Apply(sizes);
BENCHMARK_CAPTURE(objective_step, acceleration, Method::acceleration)->Apply(sizes);
BENCHMARK_CAPTURE(objective_step, next_state, Method::next_state)->Apply(sizes);
BENCHMARK(barrier_pass)
    ->ArgNames({"n", "width"})
    ->Args({2, 32})
    ->Args({7, 64})
    ->Args({14, 128})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(full_del_step)->Apply(sizes);

void peak(benchmark::State& state) {
  double best = 0;
  for (auto _ : state) best = std::max(best, peak_gflops());
  state.counters["GFLOP/s"] = best;
}
BENCHMARK(peak)->Iterations(1);

}  // namespace
}  // namespace mechfit::bench

BENCHMARK_MAIN();
