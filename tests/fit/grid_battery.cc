// Prints errors of fits to logs that are coarse or precise for the midpoint rule, whose truth is
// known, and fails when they are above what docs/logs.md promises, or grow where noise falls.
//
//   build/release/tests/grid_battery [PART OF A NAME [samples]]
//
// A name is `trig, acrobot, noise 0.1, step 0.01`.
// samples: on the samples' own steps, for comparison.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "mechfit/base/constants.h"
#include "mechfit/base/random.h"
#include "mechfit/evaluate/acceleration_error.h"
#include "mechfit/fit/fit.h"
#include "mechfit/log/origin.h"
#include "tests/support/machines.h"

namespace mechfit {
namespace {

constexpr int kSeeds = 3;

enum class Sampling {
  even,
  dropped,  // 30 % of the samples are missing
  jitter,   // stamps are off by up to 40 % of the step
  rates     // every other run is sampled five times as often
};
struct Case {
  std::string family;
  double noise, step;
  double most;  // mean squared error of accelerations, mean over seeds
  Sampling sampling = Sampling::even;
  bool acrobot = false;  // a double pendulum with a torque on its second joint

  std::string name() const {
    return family + (acrobot ? ", acrobot" : "") +
           (sampling == Sampling::dropped  ? ", dropped"
            : sampling == Sampling::jitter ? ", jitter"
            : sampling == Sampling::rates  ? ", two rates"
                                           : "");
  }
};

constexpr int kFiner = 10;      // uneven samples are some of finer ones
constexpr int kFasterRate = 5;  // of the runs that are sampled more often
constexpr double kDropped = 0.3, kJitter = 0.4;

// 16 runs of 10 s, 4 where they are long for the time that their fits take.
Simulation record_machine(const Case& c, double noise, double step, int seed, ThreadPool& pool) {
  static const testing::Machine acrobot{"acrobot", kDefaultJoints, {}, 3};
  return testing::record(c.acrobot ? acrobot : testing::kPoints,
                         {noise, step, 10, c.acrobot ? 4 : 16}, static_cast<std::uint64_t>(seed),
                         pool);
}

Log uneven(const Log& finer, Sampling sampling, int seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const int n = finer.n();
  Log out;
  out.channels = finer.channels;
  for (const Trajectory& run : finer.runs) {
    Trajectory kept;
    kept.name = run.name;
    for (int k = 0; k < run.size(); k += kFiner) {
      int at = k;
      if (sampling == Sampling::jitter)
        at = std::clamp(k + static_cast<int>(kFiner * random.uniform(-kJitter, kJitter)), 0,
                        run.size() - 1);
      else if (random.uniform(0, 1) < kDropped)
        continue;
      kept.t.push_back(run.t[at]);
      kept.q.insert(kept.q.end(), &run.q[at * n], &run.q[at * n] + n);
    }
    out.runs.push_back(std::move(kept));
  }
  return out;
}

Log two_rates(Log log) {
  for (std::size_t r = 0; r < log.runs.size(); r += 2) {
    std::vector<int> kept;
    for (int k = 0; k < log.runs[r].size(); k += kFasterRate) kept.push_back(k);
    log.runs[r] = take_samples(log.runs[r], kept);
  }
  return log;
}

Log observed(const Case& c, int seed, ThreadPool& pool) {
  if (c.sampling == Sampling::even) return record_machine(c, c.noise, c.step, seed, pool).observed;
  if (c.sampling == Sampling::rates)
    return two_rates(record_machine(c, c.noise, c.step / kFasterRate, seed, pool).observed);
  return uneven(record_machine(c, c.noise, c.step / kFiner, seed, pool).observed, c.sampling, seed);
}

// The mean squared error.
double run(const Case& c, bool samples, ThreadPool& pool) {
  double sum = 0, squares = 0, parts = 0, size = 0;
  const std::clock_t start = std::clock();
  for (int seed = 0; seed < kSeeds; ++seed) {
    const Log log = observed(c, 100 + seed, pool);
    FitOptions options;
    options.family = c.family;
    options.quick = true;
    if (samples) options.step = c.step;
    if (c.acrobot) options.input_joints = {log.channels.joints[1]};
    options.seed = static_cast<std::uint64_t>(seed);
    const FitResult result = fit(log, {}, options, pool);
    const Simulation fresh = record_machine(c, 0, c.step, 200 + seed, pool);
    const MotionPoints points = motion_points(fresh.truth, InputAtSample::next);
    const double error = acceleration_mse(result.model, points, pool);
    sum += error / kSeeds;
    squares += error * error / kSeeds;
    size += zero_baseline(points).mse / kSeeds;
    parts += (result.knowledge.grid > 0 ? c.step / result.knowledge.grid : 1) / kSeeds;
  }
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / kSeeds;
  const double deviation = std::sqrt(std::max(0.0, squares - sum * sum) / (kSeeds - 1));
  fmt::print("| {} | {} | {} | {:.1f} | {:.2g} +- {:.1g} | {:.2g} | {:g} {}| {:.1f} |\n", c.name(),
             c.noise, c.step, parts, sum, deviation, std::sqrt(sum / size), c.most,
             sum <= c.most ? "" : "* ", seconds);
  std::fflush(stdout);
  return sum;
}

}  // namespace
}  // namespace mechfit

int main(int argc, char** argv) {
  using mechfit::Case;
  const std::string filter = argc > 1 ? argv[1] : "", equations = "double-pendulum-points";
  // The aims. Of the acrobot nothing is promised but that less noise is no harm.
  const Case cases[] = {{"trig", 1e-4, 0.02, 2e-5},
                        {"trig", 1e-3, 0.02, 2e-5},
                        {"trig", 0.01, 0.02, 2e-4},
                        {"trig", 0.01, 0.05, 6e-4},
                        {"trig", 0.01, 0.1, 6e-4},
                        {"trig", 0.01, 0.15, 3e-3},
                        {"trig", 0.1, 0.02, 7e-3},
                        {"trig", 0.1, 0.05, 0.022},
                        {"trig", 0.1, 0.1, 8e-3},
                        {"trig", 0.1, 0.15, 0.05},
                        {equations, 0.01, 0.02, 1e-5},
                        {equations, 0.01, 0.05, 2e-5},
                        {equations, 0.01, 0.1, 3e-5},
                        {equations, 0.01, 0.15, 2e-4},
                        {"trig", 0.01, 0.05, 1.2e-3, mechfit::Sampling::dropped},
                        {"trig", 0.01, 0.05, 1.2e-3, mechfit::Sampling::jitter},
                        {"trig", 0.01, 0.05, 6e-4, mechfit::Sampling::rates},
                        {"trig", 0.1, 0.01, mechfit::kInfinity, mechfit::Sampling::even, true},
                        {"trig", 0.01, 0.01, mechfit::kInfinity, mechfit::Sampling::even, true},
                        {"trig", 1e-3, 0.01, mechfit::kInfinity, mechfit::Sampling::even, true},
                        {"trig", 1e-4, 0.01, mechfit::kInfinity, mechfit::Sampling::even, true}};
  mechfit::ThreadPool pool(2);
  fmt::print(
      "| family | noise | step | inner steps | mean squared error | relative error | at most | "
      "seconds of a processor |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n");
  bool kept = true;
  std::vector<std::pair<Case, double>> done;
  for (const Case& c : cases) {
    if (fmt::format("{}, noise {}, step {}", c.name(), c.noise, c.step).find(filter) ==
        std::string::npos)
      continue;
    const double error = mechfit::run(c, argc > 2, pool);
    kept = kept && error <= c.most;
    for (const auto& [other, its_error] : done) {
      if (other.name() != c.name() || other.step != c.step) continue;
      const bool grows = other.noise > c.noise ? error > its_error : error < its_error;
      if (grows)
        fmt::print("{}, step {}: noise {} has a larger error than {}\n", c.name(), c.step,
                   std::min(c.noise, other.noise), std::max(c.noise, other.noise));
      kept = kept && !grows;
    }
    done.emplace_back(c, error);
  }
  return kept ? 0 : 1;
}
