// What unobserved nodes cost: a fit of N samples with K steps for each of theirs, to one of K N
// samples on their own steps. Processor time and memory of one thread, same number of iterations,
// each fit in a process of its own.
//
//   build/release/bench/grid_cost [K]

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "mechfit/fit/fit.h"
#include "tests/support/machines.h"

namespace mechfit {
namespace {

struct Cost {
  double seconds = 0, megabytes = 0;
};

// 16 runs of 10 s of a double pendulum of point masses.
void fit_pendulum(double sample_step, double step) {
  ThreadPool pool(1);
  const Simulation data = testing::record(testing::kPoints, {0.01, sample_step, 10, 16}, 1, pool);
  FitOptions options;
  options.family = "trig";
  options.degree = 1;
  options.quick = true;
  options.keep_all = true;
  options.epochs = 12;
  options.step = step;
  fit(data.observed, {}, options, pool);
}

template <class F>
Cost cost_of(const F& work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  rusage used{};
  wait4(child, nullptr, 0, &used);
  return {
      static_cast<double>(used.ru_utime.tv_sec) + 1e-6 * static_cast<double>(used.ru_utime.tv_usec),
      static_cast<double>(used.ru_maxrss) / 1024};
}

void compare(int parts) {
  const double h = 0.05;
  const Cost inner = cost_of([&] { fit_pendulum(h, h / parts); });
  const Cost samples = cost_of([&] { fit_pendulum(h / parts, h / parts); });
  fmt::print(
      "K = {:2}: {:.2f} s, {:.0f} MB; {} times as many samples: {:.2f} s, {:.0f} MB; ratio {:.2f}, "
      "{:.2f}\n",
      parts, inner.seconds, inner.megabytes, parts, samples.seconds, samples.megabytes,
      inner.seconds / samples.seconds, inner.megabytes / samples.megabytes);
}

}  // namespace
}  // namespace mechfit

int main(int argc, char** argv) {
  if (argc > 1) {
    mechfit::compare(std::stoi(argv[1]));
    return 0;
  }
  for (const int parts : {2, 4, 8}) mechfit::compare(parts);
}
