// Prints what fits find out about inputs that act late on a cart-pole whose truth is known, and
// fails when that is further off than docs/logs.md promises.
//
//   build/release/tests/input_battery [FAMILY [SEEDS [PART OF A NAME]]]

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <string>

#include "mechfit/base/random.h"
#include "mechfit/evaluate/scores.h"
#include "mechfit/fit/fit.h"
#include "mechfit/fit/fit_record.h"
#include "tests/support/machines.h"

namespace mechfit {
namespace {

constexpr double kStep = 0.02, kNoise = 0.002;
constexpr int kSteps = 300, kRuns = 12, kSubsteps = 20;
// Samples of input before the first one of a run.
constexpr int kBefore = 50;

struct Case {
  InputHold hold;
  double late;  // in samples
  double lag;   // in samples
};

// The input at fine steps: a signal that is held from sample to sample, or not; late and behind the
// lag. `logged` has the signal at the samples.
std::vector<double> acting(const Case& c, std::uint64_t seed, int run,
                           std::vector<double>& logged) {
  InputOptions options;
  options.signal = InputSignal::sines;
  options.amplitude = 5;
  options.highest_frequency = 4;
  const double h = kStep / kSubsteps;
  const int before = kBefore * kSubsteps, count = kSteps * kSubsteps;
  std::vector<double> t;
  for (int k = 0; k <= 2 * (before + count); ++k) t.push_back(0.5 * h * k);  // twice as fine
  const std::vector<double> signal = make_input(options, 1, t, seed, run);
  for (int k = 0; k <= kSteps; ++k) logged.push_back(signal[2 * (before + k * kSubsteps)]);
  const int late = static_cast<int>(std::lround(c.late * kSubsteps));
  std::vector<double> out;
  double x = signal[0];
  for (int k = 0; k < before + count; ++k) {
    const int at = std::max(0, k - late);
    const double u = c.hold == InputHold::held ? signal[2 * (at - at % kSubsteps)]
                                               : signal[2 * at + 1];  // the middle of the fine step
    if (c.lag > 0) {
      const double next = u + (x - u) * std::exp(-1 / (c.lag * kSubsteps));
      if (k >= before) out.push_back(0.5 * (x + next));
      x = next;
    } else if (k >= before) {
      out.push_back(u);
    }
  }
  return out;
}

// Runs by Runge-Kutta's method at fine steps; with noise and without velocities, or exact.
Log record_cart(const Case& c, std::uint64_t seed, bool noisy, ThreadPool& pool) {
  const AnalyticSystem system = testing::system_of(testing::kCart);
  std::vector<double> q0, v0, u, h = {kStep};
  Log log;
  log.channels = system_channels(system);
  for (int r = 0; r < kRuns; ++r) {
    Random random(seed, static_cast<std::uint64_t>(r));
    for (int i = 0; i < 2; ++i) q0.push_back(random.uniform(-1, 1));
    for (int i = 0; i < 2; ++i) v0.push_back(random.uniform(-0.5, 0.5));
    Trajectory run;
    run.name = std::to_string(r);
    const std::vector<double> on_run = acting(c, seed, r, run.u);
    u.insert(u.end(), on_run.begin(), on_run.end());
    for (int k = 0; k <= kSteps; ++k) run.t.push_back(k * kStep);
    log.runs.push_back(run);
  }
  RolloutRequest request;
  request.trajectories = kRuns;
  request.steps = kSteps;
  request.q0 = q0;
  request.v0 = v0;
  request.h = h;
  request.u = u;
  request.substeps = kSubsteps;
  request.inner_inputs = true;
  const Rollout out = roll_out(Model(system), request, Integrator::rk4, pool);
  for (int r = 0; r < kRuns; ++r) {
    Trajectory& run = log.runs[r];
    const std::size_t first = static_cast<std::size_t>(r) * (kSteps + 1) * 2;
    run.q.assign(&out.q[first], &out.q[first] + run.size() * 2);
    if (!noisy) run.qd.assign(&out.v[first], &out.v[first] + run.size() * 2);
    Random random(seed, static_cast<std::uint64_t>(100 + r));
    for (double& q : run.q) q += noisy ? kNoise * random.normal() : 0;
  }
  return log;
}

struct Outcome {
  InputTiming timing;
  double mass_error;  // the largest of the known equations' masses, relative
  double rollout;     // rms after a second, on exact runs
  double seconds;
};

Outcome run(const Case& c, const std::string& family, std::uint64_t seed, ThreadPool& pool) {
  FitOptions options;
  options.family = family;
  options.quick = true;
  if (c.lag > 0) options.input_lag.reset();
  if (family == "cart-pole")
    options.fix = {{"g", testing::system_of(testing::kCart).constant("g")}};
  const auto start = std::chrono::steady_clock::now();
  const FitResult result = fit(record_cart(c, seed, true, pool), {}, options, pool);
  Outcome out{result.timing, 0, 0, 0};
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const AnalyticSystem truth = testing::system_of(testing::kCart);
  for (const auto& value : result.model.describe().values)
    if (value.name.starts_with("m"))
      out.mass_error =
          std::max(out.mass_error, std::abs(value.value / truth.constant(value.name) - 1));
  EvaluateOptions evaluation;
  evaluation.rollout.horizons = {1};
  evaluation.start = StartKind::logged;
  const Scores scores = evaluate(ensemble_of(fit_record(result, options)),
                                 record_cart(c, seed + 50, false, pool), evaluation, pool);
  out.rollout = scores.rollout.horizons[0].variational.overall;
  return out;
}

}  // namespace
}  // namespace mechfit

int main(int argc, char** argv) {
  using namespace mechfit;
  const std::string family = argc > 1 ? argv[1] : "cart-pole";
  const int seeds = argc > 2 ? std::stoi(argv[2]) : 1;
  const std::string filter = argc > 3 ? argv[3] : "";
  ThreadPool pool(2);
  fmt::print(
      "| input | late [samples] | found | delay found [samples] | lag | masses off | rollout after "
      "1 "
      "s | to that of no delay | seconds |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- "
      "|\n");
  bool kept = true;
  for (int seed = 1; seed <= seeds; ++seed) {
    double undelayed = 0;
    for (const Case& c : {Case{InputHold::linear, 0, 0}, Case{InputHold::linear, 0.3, 0},
                          Case{InputHold::linear, 1, 0}, Case{InputHold::linear, 3, 0},
                          Case{InputHold::linear, 0.3, 2}, Case{InputHold::held, 0, 0},
                          Case{InputHold::held, 0.3, 0}, Case{InputHold::held, 1, 0},
                          Case{InputHold::held, 3, 0}}) {
      const std::string name =
          fmt::format("{}{} | {}", c.hold == InputHold::held ? "held" : "continuous",
                      c.lag > 0 ? fmt::format(", lag of {}", c.lag) : "", c.late);
      if (name.find(filter) == std::string::npos) continue;
      const Outcome out = run(c, family, static_cast<std::uint64_t>(seed), pool);
      if (c.late == 0) undelayed = out.rollout;
      const double delay = out.timing.delay / kStep, ratio = out.rollout / undelayed;
      const bool good = std::abs(delay - c.late) < 0.1 &&
                        std::abs(out.timing.lag / kStep - c.lag) < 0.1 && out.mass_error < 0.01 &&
                        ratio < 1.5 && (c.late > 0 || delay == 0);
      kept = kept && good;
      fmt::print(
          "| {} | {} | {:.3f} +- {:.3f} | {:.3f} +- {:.3f} | {:.2g} % | {:.2g} | {:.2f} {}| "
          "{:.1f} |\n",
          name, name_of(out.timing.hold), delay, out.timing.delay_error / kStep,
          out.timing.lag / kStep, out.timing.lag_error / kStep, 100 * out.mass_error, out.rollout,
          ratio, good ? "" : "* ", out.seconds);
      std::fflush(stdout);
    }
  }
  return kept ? 0 : 1;
}
