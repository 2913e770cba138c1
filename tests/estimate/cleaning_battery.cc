// Cleans simulated logs, good and spoiled ones, and counts what is found. Fails when a share of
// good samples is taken for bad, or of bad ones for good, that docs/logs.md does not promise.
//
//   build/release/tests/cleaning_battery [clean|smoothed|spoiled|fits|methods [SEED OF CLEAN LOGS]]
//   with EXPLAIN=1: each sample

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "mechfit/estimate/kalman/cleaning.h"
#include "mechfit/estimate/motion/contradictions.h"
#include "mechfit/evaluate/scores.h"
#include "mechfit/fit/fit.h"
#include "mechfit/integrate/simulate.h"
#include "tests/support/dirt.h"

namespace mechfit {
namespace {

using testing::Spoiled;

constexpr double kMostFalse = 0.001;  // of good samples

struct Recording {
  double h, noise;
  int runs = 12, samples = 301;
};

// Motion made with inner steps of at most 5 ms.
Simulation record(const AnalyticSystem& system, const Recording& how, std::uint64_t seed,
                  ThreadPool& pool) {
  SimulateOptions options;
  options.runs = how.runs;
  options.steps = how.samples - 1;
  options.h = how.h;
  options.substeps = static_cast<int>(std::ceil(how.h / 0.005 - 1e-9));
  options.integrator = Integrator::rk4;
  options.q0 = default_start(system);
  options.v0.assign(options.q0.size(), {0, 0});
  if (how.noise > 0) options.noise.assign(options.q0.size(), how.noise);
  options.seed = seed;
  if (system.inputs() > 0) {
    options.input.signal = InputSignal::sines;
    options.input.amplitude = system.name() == "furuta" ? 0.01 : 1;
  }
  return simulate(Model(system), system_channels(system), options, pool);
}

struct Count {
  long good = 0, bad = 0, taken = 0, found = 0;  // taken: good ones taken for bad
};

Count count(const Log& log, const std::vector<Defect>& defects, const Spoiled& bad) {
  Count c;
  c.bad = static_cast<long>(bad.size());
  c.good = static_cast<long>(log.samples()) * log.n() - c.bad;
  for (const Defect& d : defects) ++(bad.contains({d.run, d.sample, d.joint}) ? c.found : c.taken);
  return c;
}

int clean_logs(std::uint64_t seed, ThreadPool& pool) {
  int failures = 0;
  const auto judge = [&](const std::string& name, const Log& log) {
    const CleaningResult result = clean(log, pool);
    const Count c = count(log, result.defects, {});
    const double share = static_cast<double>(c.taken) / static_cast<double>(c.good);
    long held = 0;
    for (const Defect& d : result.defects) held += d.kind == DefectKind::held;
    if (c.taken > 0)
      fmt::print("{:60} {:6} of {:7}  {:.5f}  held {}\n", name, c.taken, c.good, share, held);
    if (std::getenv("EXPLAIN") != nullptr && share > kMostFalse)
      for (const Defect& d : result.defects)
        fmt::print("  run {} sample {} joint {}: {:.9g} for {:.9g}\n", d.run, d.sample, d.joint,
                   d.found, d.expected);
    failures += share > kMostFalse;
  };
  for (const SystemInfo& info : list_systems()) {
    const AnalyticSystem system = make_system(info.name);
    for (const double h : {0.005, 0.01, 0.02, 0.05, 0.1})
      for (const double noise : {0.0, 1e-4, 0.002, 0.01, 0.1}) {
        Log log = record(system, {h, noise}, seed, pool).observed;
        const std::string name = fmt::format("{} step {} noise {}", info.name, h, noise);
        judge(name, log);
        Log heavy = record(system, {h, 0}, seed, pool).observed;
        testing::add_heavy_noise(heavy, noise, seed);
        if (noise > 0) judge(name + " with heavy tails", heavy);
        for (const double resolution : {1e-4, 0.0015}) {
          Log coarse = log;
          testing::quantise(coarse, resolution);
          judge(fmt::format("{} in steps of {}", name, resolution), coarse);
        }
      }
  }
  for (const bool rods : {false, true})
    for (const bool damped : {false, true})
      for (const double noise : {0.0, 0.01, 0.1}) {
        PaperProtocol protocol = paper_protocol(rods, damped);
        protocol.options.noise.assign(2, noise);
        protocol.options.seed = seed;
        const Simulation data = simulate(Model(protocol.system), system_channels(protocol.system),
                                         protocol.options, pool);
        judge(fmt::format("paper {} {} noise {}", rods ? "rods" : "points",
                          damped ? "damped" : "undamped", noise),
              data.observed);
      }
  return failures;
}

// What the smoother's own noise says of good logs, which is all that the methods on smoothed data
// go by (contradictions.h).
int smoothed_logs(std::uint64_t seed, ThreadPool& pool) {
  int failures = 0;
  for (const SystemInfo& info : list_systems()) {
    const AnalyticSystem system = make_system(info.name);
    for (const double h : {0.005, 0.02, 0.1})
      for (const double noise : {1e-4, 0.01})
        for (const bool heavy : {false, true}) {
          Log log = record(system, {h, heavy ? 0 : noise}, seed, pool).observed;
          if (heavy) testing::add_heavy_noise(log, noise, seed);
          const CleaningResult cleaned = clean(log, pool);
          const auto found = find_contradictions(cleaned.log, smooth(cleaned.log, {}, pool), pool);
          const Count c = count(log, found, {});
          const double share = static_cast<double>(c.taken) / static_cast<double>(c.good);
          if (c.taken > 0)
            fmt::print("{} step {} noise {}{}: {} of {}  {:.5f}\n", info.name, h, noise,
                       heavy ? " with heavy tails" : "", c.taken, c.good, share);
          std::fflush(stdout);
          failures += !heavy && share > kMostFalse;
        }
  }
  return failures;
}

int spoiled_logs(ThreadPool& pool) {
  int failures = 0;
  const AnalyticSystem system = make_system("double-pendulum-points");
  const auto judge = [&](const std::string& name, const auto& spoil, double least) {
    Count sum;
    for (const std::uint64_t seed : {1, 2, 3}) {
      Log log = record(system, {0.02, 0.005}, seed, pool).observed;
      const Spoiled bad = spoil(log, seed);
      const auto defects = clean(log, pool).defects;
      const Count c = count(log, defects, bad);
      if (std::getenv("EXPLAIN") != nullptr) {
        Spoiled missed = bad;
        for (const Defect& d : defects) missed.erase({d.run, d.sample, d.joint});
        for (const auto& [r, k, j] : missed)
          fmt::print("  seed {} run {} sample {} joint {}: {:.4f}\n", seed, r, k, j,
                     log.runs[r].q[2 * k + j] -
                         record(system, {0.02, 0.005}, seed, pool).truth.runs[r].q[2 * k + j]);
      }
      sum = {sum.good + c.good, sum.bad + c.bad, sum.taken + c.taken, sum.found + c.found};
    }
    const double recall = static_cast<double>(sum.found) / static_cast<double>(sum.bad);
    const double taken = static_cast<double>(sum.taken) / static_cast<double>(sum.good);
    fmt::print("{:40} found {:5} of {:5} ({:.3f})  taken {:4} of {:6} ({:.5f})\n", name, sum.found,
               sum.bad, recall, sum.taken, sum.good, taken);
    failures += recall < least || taken > kMostFalse;
  };
  for (const int number : {1, 5, 22, 72})
    judge(
        fmt::format("{} outliers", number),
        [&](Log& log, std::uint64_t seed) { return testing::add_outliers(log, number, seed); },
        0.97);
  judge(
      "stale first samples",
      [](Log& log, std::uint64_t) { return testing::stale_first_samples(log); }, 0.9);
  judge(
      "held values in 5 %",
      [](Log& log, std::uint64_t seed) { return testing::hold_values(log, 0.05, seed); }, 0.9);
  return failures;
}

// Share of accelerations that a fit does not explain, on the true motion of other runs.
double unexplained(const Log& log, const Log& truth, const FitOptions& options, ThreadPool& pool) {
  const FitResult result = fit(log, std::nullopt, options, pool);
  const Scores scores = evaluate(result.model, truth, {}, pool);
  return scores.acceleration.mse / scores.acceleration_zero.mse;
}

// Fits of spoiled logs are hardly worse than those of the clean ones.
int fits(ThreadPool& pool) {
  int failures = 0;
  const AnalyticSystem system = make_system("double-pendulum-points");
  FitOptions options;
  options.family = "trig";
  options.quick = true;
  const auto judge = [&](const std::string& name, const auto& spoil, double most) {
    fmt::print("{:24}", name);
    for (const std::uint64_t seed : {1, 2, 3}) {
      Log log = record(system, {0.02, 0.005}, seed, pool).observed;
      const Log truth = record(system, {0.02, 0}, seed + 100, pool).truth;
      static std::map<std::uint64_t, double> clean_fit;
      if (!clean_fit.contains(seed)) clean_fit[seed] = unexplained(log, truth, options, pool);
      spoil(log, seed);
      const double share = unexplained(log, truth, options, pool), ratio = share / clean_fit[seed];
      fmt::print("  {:.2e} ({:.2f})", share, ratio);
      failures += !(ratio <= most);
    }
    fmt::print("  at most {}\n", most);
  };
  for (const int number : {1, 5, 22, 72})
    judge(
        fmt::format("{} outliers", number),
        [&](Log& log, std::uint64_t seed) { testing::add_outliers(log, number, seed); }, 1.5);
  judge(
      "stale first samples", [](Log& log, std::uint64_t) { testing::stale_first_samples(log); },
      1.5);
  judge(
      "held values in 5 %",
      [](Log& log, std::uint64_t seed) { testing::hold_values(log, 0.05, seed); }, 3);
  return failures;
}

constexpr double kMethodNoise = 0.005;

// The same of networks and of methods on smoothed data, which take longer: fewer logs, and fewer
// epochs than a fit has by default.
int methods(ThreadPool& pool) {
  int failures = 0;
  const AnalyticSystem system = make_system("double-pendulum-points");
  for (const auto& [method, epochs] :
       {std::pair(FitMethod::joint, 0), std::pair(FitMethod::del, 40),
        std::pair(FitMethod::acceleration, 40), std::pair(FitMethod::next_state, 40)}) {
    FitOptions options;
    options.family = "smm";
    options.quick = true;
    options.method = method;
    options.epochs = epochs;
    const std::uint64_t seed = 1;
    const Log good = record(system, {0.02, kMethodNoise}, seed, pool).observed;
    const Log truth = record(system, {0.02, 0}, seed + 100, pool).truth;
    const double clean_share = unexplained(good, truth, options, pool);
    fmt::print("networks, {:12} clean {:.2e}", name_of(method), clean_share);
    const auto judge = [&](const std::string& name, double most, const auto& spoil) {
      Log log = good;
      spoil(log);
      const double ratio = unexplained(log, truth, options, pool) / clean_share;
      fmt::print("  {} {:.2f}, at most {}", name, ratio, most);
      std::fflush(stdout);
      failures += !(ratio <= most);
    };
    judge("72 outliers", 1.5, [&](Log& log) { testing::add_outliers(log, 72, seed); });
    judge("72 small outliers", 1.5, [&](Log& log) {
      testing::add_outliers(log, 72, seed, 5 * kMethodNoise, 15 * kMethodNoise);
    });
    judge("stale", 1.5, [&](Log& log) { testing::stale_first_samples(log); });
    judge("held", 3, [&](Log& log) { testing::hold_values(log, 0.05, seed); });
    fmt::print("\n");
  }
  return failures;
}

}  // namespace
}  // namespace mechfit

int main(int argc, char** argv) {
  const std::string part = argc > 1 ? argv[1] : "";
  const std::uint64_t seed = argc > 2 ? std::stoull(argv[2]) : 1;
  mechfit::ThreadPool pool(2);
  int failures = 0;
  if (part.empty() || part == "clean") failures += mechfit::clean_logs(seed, pool);
  if (part.empty() || part == "smoothed") failures += mechfit::smoothed_logs(seed, pool);
  if (part.empty() || part == "spoiled") failures += mechfit::spoiled_logs(pool);
  if (part.empty() || part == "fits") failures += mechfit::fits(pool);
  if (part.empty() || part == "methods") failures += mechfit::methods(pool);
  fmt::print("{} failures\n", failures);
  return failures > 0;
}
