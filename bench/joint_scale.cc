// What joint estimation costs as logs grow: processor time and peak memory of fits in processes of
// their own, and the ratios that docs/performance.md promises.
//
//   build/release/bench/joint_scale [most samples [threads [fewest samples [iterations]]]]
//
// Few iterations tell the memory of a fit, not its time.

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "mechfit/base/random.h"
#include "mechfit/fit/candidates.h"
#include "mechfit/fit/fit.h"
#include "mechfit/fit/fit_data.h"
#include "mechfit/fit/joint/joint.h"
#include "tests/support/machines.h"

namespace mechfit {
namespace {

struct Cost {
  double seconds = 0, wall = 0, megabytes = 0;
  bool ended = false;
};

Cost cost_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  rusage used{};
  int status = 0;
  wait4(child, &status, 0, &used);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return {seconds(used.ru_utime) + seconds(used.ru_stime), wall.count(),
          static_cast<double>(used.ru_maxrss) / 1024, status == 0};
}

void print(const std::string& what, const Cost& cost) {
  fmt::print("{:<44} {:9.2f} {:9.2f} {:9.0f}{}\n", what, cost.seconds, cost.wall, cost.megabytes,
             cost.ended ? "" : "  did not end");
  std::fflush(stdout);
}

// Runs of 1,000 samples 0.05 s apart, noise 0.01 rad.
constexpr double kStep = 0.05;
constexpr int kRunSamples = 1000;

// Further runs of a long log are the first ones with other noise.
constexpr int kMotions = 100;

Log pendulum(int samples) {
  ThreadPool pool(1);
  const int runs = samples / kRunSamples;
  const double seconds = kStep * (kRunSamples - 1);
  Log log =
      testing::record(testing::kPoints, {0, kStep, seconds, std::min(runs, kMotions)}, 1, pool)
          .observed;
  const Log first = log;
  while (static_cast<int>(log.runs.size()) < runs)
    log.runs.push_back(first.runs[log.runs.size() % kMotions]);
  Random random(1);
  for (std::size_t r = 0; r < log.runs.size(); ++r) {
    log.runs[r].name = "run " + std::to_string(r);
    for (double& q : log.runs[r].q) q += 0.01 * random.normal();
  }
  return log;
}

// 16 runs of 201 samples 0.05 s apart.
Log chain(int joints) {
  ThreadPool pool(1);
  return testing::record({"chain", joints, {}, 0}, {0.01, 0.05, 10, 16}, 1, pool).observed;
}

FitOptions options_of(const std::string& family, int degree) {
  FitOptions options;
  options.family = family;
  options.degree = degree;
  options.quick = true;
  return options;
}

// The joint fit of one family alone, from smoothed motions.
void fit_alone(const Log& log, const FitOptions& options, int threads) {
  ThreadPool pool(threads);
  const FitData data = prepare_fit(log, {}, options, {}, pool);
  JointOptions joint;
  joint.motions = false;
  joint.iterations = options.epochs;
  fit_joint(candidates(data, options).back().start.model, data.joint, joint, pool);
}

void fit_all(const Log& log, const FitOptions& options, int threads) {
  ThreadPool pool(threads);
  fit(log, {}, options, pool);
}

void compare(int most, int threads, int fewest, int iterations) {
  FitOptions trig = options_of("trig", 1), network = options_of("smm", 0);
  trig.epochs = network.epochs = iterations;
  fmt::print("{:<44} {:>9} {:>9} {:>9}\n", "", "cpu s", "wall s", "MB");
  std::optional<Cost> first[2], second[2];
  for (int samples = fewest; samples <= most; samples *= 10) {
    const Log log = pendulum(samples);
    print(fmt::format("smoothing alone, {} samples", samples), cost_of([&] {
            ThreadPool pool(threads);
            prepare_fit(log, {}, trig, {}, pool);
          }));
    for (const int family : {0, 1}) {
      const FitOptions& options = family == 0 ? trig : network;
      const Cost cost = cost_of([&] { fit_alone(log, options, threads); });
      print(fmt::format("{}, {} samples", family == 0 ? "trig of degree 1" : "network", samples),
            cost);
      if (!first[family])
        first[family] = cost;
      else
        fmt::print("    {:.2f} times the time of {} samples a sample\n",
                   cost.seconds / first[family]->seconds * fewest / samples, fewest);
      if (samples == 100'000) second[family] = cost;
    }
    if (samples == 100'000) {
      FitOptions del = options_of("smm", 0);
      del.method = FitMethod::del;
      del.epochs = 100;
      const Cost cost = cost_of([&] { fit_all(log, del, threads); });
      print("100 DEL epochs, 100000 samples", cost);
      fmt::print("    network / DEL: {:.2f}\n", second[1]->seconds / cost.seconds);
    }
  }
  std::optional<Cost> two;
  for (const int joints : {2, 7}) {
    const Log log = chain(joints);
    const Cost cost = cost_of([&] { fit_alone(log, network, threads); });
    print(fmt::format("chain of {}, network", joints), cost);
    if (two) fmt::print("    {:.2f} times the chain of two\n", cost.seconds / two->seconds);
    two = cost;
  }
  for (int samples = 10'000; samples <= std::min(most, 100'000); samples *= 10) {
    const Log log = pendulum(samples);
    print(fmt::format("the default fit, {} samples", samples),
          cost_of([&] { fit_all(log, {}, threads); }));
  }
}

}  // namespace
}  // namespace mechfit

int main(int argc, char** argv) {
  mechfit::compare(argc > 1 ? std::stoi(argv[1]) : 100'000, argc > 2 ? std::stoi(argv[2]) : 1,
                   argc > 3 ? std::stoi(argv[3]) : 10'000, argc > 4 ? std::stoi(argv[4]) : 0);
}
