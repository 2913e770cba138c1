// How the cost of training grows: with samples, threads, joints, width; and the whole fit of the
// paper.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <fstream>

#include "bench/steps.h"
#include "mechfit/evaluate/scores.h"
#include "mechfit/fit/fit.h"
#include "mechfit/fit/smoothed/trainer.h"
#include "mechfit/integrate/runge_kutta.h"
#include "mechfit/integrate/simulate.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "mechfit/mechanics/point.h"

namespace mechfit::bench {
namespace {

TrainOptions del_training(int epochs) {
  TrainOptions options;
  options.epochs = epochs;
  return options;
}

// Resident memory of this program in MB.
double resident_memory() {
  std::ifstream file("/proc/self/statm");
  double pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) * 1e-6;
}

// One epoch of a DEL fit, selection included; arguments: samples, threads.
void epoch(benchmark::State& state) {
  const int length = 200, runs = static_cast<int>(state.range(0)) / length;
  const Samples train = motion(2, runs, length), validation = motion(2, 4, length, 5);
  ThreadPool pool(static_cast<int>(state.range(1)));
  Trainer trainer(network(2, 32, false), train, validation, del_training(1'000'000), pool);
  for (auto _ : state) benchmark::DoNotOptimize(trainer.epoch());
  state.SetItemsProcessed(state.iterations() * train.size);
  state.counters["MB"] = resident_memory();
}
BENCHMARK(epoch)
    ->ArgNames({"samples", "threads"})
    ->ArgsProduct({{10'000, 100'000, 1'000'000}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

// The same epoch with another batch size on 10^5 samples; arguments: batch, threads.
void epoch_by_batch(benchmark::State& state) {
  const Samples train = motion(2, 500, 200), validation = motion(2, 4, 200, 5);
  ThreadPool pool(static_cast<int>(state.range(1)));
  TrainOptions options = del_training(1'000'000);
  options.batch = static_cast<int>(state.range(0));
  Trainer trainer(network(2, 32, false), train, validation, options, pool);
  for (auto _ : state) benchmark::DoNotOptimize(trainer.epoch());
  state.SetItemsProcessed(state.iterations() * train.size);
}
BENCHMARK(epoch_by_batch)
    ->ArgNames({"batch", "threads"})
    ->ArgsProduct({{256, 1024, 4096}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

// Fits of the paper's size side by side, each on a thread of its own, as a study runs them.
void cells(benchmark::State& state) {
  const Samples train = paper_sized_motion(2), validation = motion(2, 4, 202, 5);
  ThreadPool pool(1);
  Trainer trainer(network(2, 32, false), train, validation, del_training(1'000'000), pool);
  for (auto _ : state) benchmark::DoNotOptimize(trainer.epoch());
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(cells)->Threads(1)->Threads(2)->Unit(benchmark::kMillisecond)->UseRealTime();

// DEL gradient of 256 triples.
void del_by_joints(benchmark::State& state) {
  ObjectiveStep step(FitMethod::del, static_cast<int>(state.range(0)), 128, false);
  for (auto _ : state) benchmark::DoNotOptimize(step());
}
BENCHMARK(del_by_joints)
    ->ArgName("n")
    ->Arg(1)
    ->Arg(2)
    ->Arg(4)
    ->Arg(7)
    ->Arg(14)
    ->Unit(benchmark::kMicrosecond);

void del_by_width(benchmark::State& state) {
  ObjectiveStep step(FitMethod::del, 2, static_cast<int>(state.range(0)), false);
  for (auto _ : state) benchmark::DoNotOptimize(step());
}
BENCHMARK(del_by_width)
    ->ArgName("width")
    ->RangeMultiplier(2)
    ->Range(16, 256)
    ->Unit(benchmark::kMicrosecond);

// `runs` swings of the double pendulum from rest, 202 samples with step 0.05.
Samples swings(int runs, std::uint64_t seed) {
  const Model pendulum(make_system("double-pendulum-points"));
  Random random(seed);
  std::vector<double> q0, v0(2 * runs, 0.0);
  for (int i = 0; i < 2 * runs; ++i) q0.push_back(random.uniform(-1.57, 1.57));
  const std::vector<double> h{0.05};
  RolloutRequest request;
  request.trajectories = runs;
  request.steps = 201;
  request.q0 = q0;
  request.v0 = v0;
  request.h = h;
  request.substeps = 20;
  ThreadPool pool(1);
  const Rollout rollout = runge_kutta_rollout(pendulum, request, Integrator::rk4, pool);
  Samples s = motion(2, runs, 202);
  s.q = rollout.q;
  s.v = rollout.v;
  PointDynamics point(pendulum);
  for (int i = 0; i < s.size; ++i)
    if (!point.acceleration(std::span(s.q).subspan(2 * i, 2), std::span(s.v).subspan(2 * i, 2), {},
                            std::span(s.a).subspan(2 * i, 2)))
      throw std::runtime_error("the pendulum's M is not positive definite");
  return s;
}

// The paper's fit: 8 runs, 500 epochs, selection by acceleration on 4 runs every epoch, test error
// on 4 runs whenever the selection improves.
void paper_fit(benchmark::State& state, FitMethod method,
               Precision precision = Precision::float64) {
  const Samples train = swings(8, 1), validation = swings(4, 2), test = swings(4, 3);
  ThreadPool pool(1);
  for (auto _ : state) {
    TrainOptions options = del_training(500);
    options.objective.method = method;
    options.precision = precision;
    Model model = network(2, 32, false);
    Trainer trainer(model, train, validation, options, pool);
    const auto error = make_objective(model, test, {FitMethod::acceleration, {}, {}, {}}, pool);
    double test_error = 0;
    while (!trainer.done()) {
      trainer.epoch();
      if (trainer.state().history.selected != trainer.state().epoch) continue;
      model.set_parameters(trainer.state().best);
      test_error = error->all(model);
    }
    state.counters["test MSE"] = test_error;
    state.counters["best epoch"] = trainer.state().history.selected;
  }
}
BENCHMARK_CAPTURE(paper_fit, del, FitMethod::del)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(paper_fit, acceleration, FitMethod::acceleration)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(paper_fit, next_state, FitMethod::next_state)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(paper_fit, del_in_float32, FitMethod::del, Precision::float32)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

// Joint estimation on the paper's protocol with noise 0.1, as `mechfit fit` does it: smoothing, fit
// and selection. Degree 0 is trig's choice between 1 and 2.
void joint_fit(benchmark::State& state, const char* family, int degree) {
  ThreadPool pool(1);
  const PaperProtocol protocol = paper_protocol(false, false);
  const Simulation data =
      simulate(Model(protocol.system), system_channels(protocol.system), protocol.options, pool);
  Log train = data.observed, validation = data.observed, test = data.midpoints;
  train.runs.resize(8);
  validation.runs.assign(data.observed.runs.begin() + 8, data.observed.runs.begin() + 12);
  test.runs.erase(test.runs.begin(), test.runs.begin() + 12);
  FitOptions options;
  options.family = family;
  options.degree = degree;
  options.force = ForceKind::none;
  for (auto _ : state) {
    const FitResult result = fit(train, validation, options, pool);
    state.PauseTiming();
    state.counters["test MSE"] = evaluate(result.model, test, {}, pool).acceleration.mse;
    state.ResumeTiming();
  }
}
BENCHMARK_CAPTURE(joint_fit, network, "smm", 0)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(joint_fit, trig_of_degree_1, "trig", 1)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(joint_fit, trig, "trig", 0)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace mechfit::bench

BENCHMARK_MAIN();
