// Cost of one training step of every objective, and the share of the machine's peak that goes into
// useful matrix products.
#include <benchmark/benchmark.h>

#include "bench/peak.h"
#include "bench/steps.h"
#include "mechfit/net/kernels.h"

namespace mechfit::bench {
namespace {

// arguments: n, width, force network
void objective_step(benchmark::State& state, FitMethod method,
                    Precision precision = Precision::float64) {
  const int n = static_cast<int>(state.range(0)), width = static_cast<int>(state.range(1));
  const bool force = state.range(2) != 0;
  ObjectiveStep step(method, n, width, force, 1, precision);
  for (auto _ : state) benchmark::DoNotOptimize(step());
  if (method == FitMethod::del) {
    const double flops = 2 * del_multiply_adds(n, width, force) * kBatch;
    state.counters["GFLOP/s"] =
        benchmark::Counter(flops * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
    if (precision == Precision::float64)
      state.counters["% of peak"] = benchmark::Counter(
          100 * flops * 1e-9 / peak_gflops(), benchmark::Counter::kIsIterationInvariantRate);
  }
}

void barrier_pass(benchmark::State& state) {
  BarrierPass pass(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)));
  for (auto _ : state) benchmark::DoNotOptimize(pass());
}

template <Precision kPrecision>
void full_del_step(benchmark::State& state) {
  FullDelStep step(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)),
                   state.range(2) != 0, 1, kPrecision);
  for (auto _ : state) benchmark::DoNotOptimize(step());
}

void sizes(benchmark::internal::Benchmark* b) {
  for (auto [n, width] : {std::pair{2, 32}, {2, 64}, {4, 64}, {7, 64}, {7, 128}, {14, 128}})
    for (int force : {0, 1}) b->Args({n, width, force});
  b->ArgNames({"n", "width", "force"})->Unit(benchmark::kMicrosecond);
}

BENCHMARK_CAPTURE(objective_step, del, FitMethod::del)->Apply(sizes);
BENCHMARK_CAPTURE(objective_step, gauge_free, FitMethod::gauge_free)->Apply(sizes);
BENCHMARK_CAPTURE(objective_step, acceleration, FitMethod::acceleration)->Apply(sizes);
BENCHMARK_CAPTURE(objective_step, next_state, FitMethod::next_state)->Apply(sizes);
BENCHMARK(barrier_pass)
    ->ArgNames({"n", "width"})
    ->Args({2, 32})
    ->Args({2, 64})
    ->Args({4, 64})
    ->Args({7, 64})
    ->Args({7, 128})
    ->Args({14, 128})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(full_del_step<Precision::float64>)->Name("full_del_step")->Apply(sizes);

// The same with networks in float32
BENCHMARK_CAPTURE(objective_step, del_float32, FitMethod::del, Precision::float32)->Apply(sizes);
BENCHMARK_CAPTURE(objective_step, acceleration_float32, FitMethod::acceleration, Precision::float32)
    ->Apply(sizes);
BENCHMARK_CAPTURE(objective_step, next_state_float32, FitMethod::next_state, Precision::float32)
    ->Apply(sizes);
BENCHMARK(full_del_step<Precision::float32>)->Name("full_del_step_float32")->Apply(sizes);

void peak(benchmark::State& state) {
  double best = 0;
  for (auto _ : state) best = std::max(best, peak_gflops());
  state.counters["GFLOP/s"] = best;
}
BENCHMARK(peak)->Iterations(1);

// One layer of 32 rows, in the first-level cache.
void tanh_of_a_panel(benchmark::State& state) {
  AlignedVector x = make_panel(32), y = x;
  Random random(1);
  for (double& value : x) value = random.uniform(-2, 2);
  const int values = static_cast<int>(x.size());
  for (auto _ : state) {
    vector_tanh(x.data(), values, y.data());
    benchmark::DoNotOptimize(y.data());
  }
  state.counters["ns/value"] = benchmark::Counter(
      values * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(tanh_of_a_panel);

// One hidden layer's product and slope by themselves, again and again: what loads and stores leave
// of the peak.
void product_of_a_panel(benchmark::State& state) {
  const int width = static_cast<int>(state.range(0));
  AlignedVector w(static_cast<std::size_t>(in_strips(width, width)), 0.01);
  AlignedVector x(static_cast<std::size_t>(in_strips(kBlock, width)), 0.5), k = x, y = x;
  const BlockKernels<double>& kernels = simd_kernels().block;
  for (auto _ : state) {
    kernels.adjoint(Activation::tanh, {x.data()}, width, w.data(), width, k.data(), false, y.data(),
                    nullptr);
    benchmark::DoNotOptimize(y.data());
  }
  state.counters["GFLOP/s"] = benchmark::Counter(2e-9 * width * width * kBlock,
                                                 benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(product_of_a_panel)->ArgName("width")->Arg(32)->Arg(64)->Arg(128);

}  // namespace
}  // namespace mechfit::bench

int main(int argc, char** argv) {
  mechfit::bench::restrict_instruction_set();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
