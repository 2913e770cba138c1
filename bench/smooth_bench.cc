// Smoothing of 16 runs x 202 samples x 2 joints, 10 iterations of EM, on one thread.
// bench/compare_smoother runs it beside the same recursions in NumPy.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "mechfit/base/random.h"
#include "mechfit/estimate/kalman/smoother.h"

namespace mechfit {
namespace {

Log swings(int runs, int samples, double step) {
  Log log;
  log.channels.joints = {"q1", "q2"};
  log.channels.joint_types = {JointType::periodic, JointType::periodic};
  log.channels.units = {"rad", "rad"};
  Random random(7);
  for (int r = 0; r < runs; ++r) {
    Trajectory run;
    run.name = std::to_string(r);
    const double phase[2] = {random.uniform(0, 6), random.uniform(0, 6)};
    for (int k = 0; k < samples; ++k) {
      run.t.push_back(step * k);
      for (int j = 0; j < 2; ++j) {
        const double angle = 1.2 * std::cos((3 + j) * step * k + phase[j]);
        run.q.push_back(angle + 0.1 * random.normal());
      }
    }
    log.runs.push_back(std::move(run));
  }
  return log;
}

void smooth_log(benchmark::State& state, const Log& log, SmoothMethod method) {
  ThreadPool pool(1);
  SmoothOptions options;
  options.method = method;
  for (auto _ : state) benchmark::DoNotOptimize(smooth(log, options, pool));
  state.SetItemsProcessed(state.iterations() * log.samples() * log.n());
}

void paper_16_runs(benchmark::State& state) {
  smooth_log(state, swings(16, 202, 0.05), SmoothMethod::paper);
}
BENCHMARK(paper_16_runs)->Unit(benchmark::kMillisecond);

void white_jerk_16_runs(benchmark::State& state) {
  smooth_log(state, swings(16, 202, 0.05), SmoothMethod::white_jerk);
}
BENCHMARK(white_jerk_16_runs)->Unit(benchmark::kMillisecond);

void white_jerk_long_run(benchmark::State& state) {
  smooth_log(state, swings(1, static_cast<int>(state.range(0)), 0.001), SmoothMethod::white_jerk);
}
BENCHMARK(white_jerk_long_run)
    ->Arg(10'000)
    ->Arg(100'000)
    ->Arg(1'000'000)
    ->Unit(benchmark::kMillisecond);

// The data of the 16 runs and our result on it, for the peer: observations, then per sample
// (q, qd, qdd), in lines of one run and joint each.
int dump(const char* path) {
  const Log log = swings(16, 202, 0.05);
  ThreadPool pool(1);
  SmoothOptions options;
  options.method = SmoothMethod::paper;
  const SmoothResult result = smooth(log, options, pool);
  std::FILE* file = std::fopen(path, "w");
  if (!file) return 1;
  for (std::size_t r = 0; r < log.runs.size(); ++r) {
    for (int j = 0; j < 2; ++j) {
      const Trajectory& smoothed = result.log.runs[r];
      for (const auto* values : {&log.runs[r].q, &smoothed.q, &smoothed.qd, &smoothed.qdd}) {
        for (int k = 0; k < smoothed.size(); ++k)
          std::fprintf(file, "%.17g ", (*values)[2 * k + j]);
      }
      std::fputc('\n', file);
    }
  }
  return std::fclose(file);
}

}  // namespace
}  // namespace mechfit

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--dump") return mechfit::dump(argv[2]);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
