#pragma once

#include <cmath>
#include <limits>
#include <string>

#include "mechfit/base/random.h"
#include "mechfit/estimate/kalman/smoother.h"
#include "tests/support/logs.h"

namespace mechfit::test {

inline constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

using testing::empty_log;

// Runs of a two-joint swing with noise, uneven steps when asked.
inline Log swings(int runs, int samples, double noise, bool uneven, std::uint64_t seed) {
  Log log = empty_log(2);
  Random random(seed);
  for (int r = 0; r < runs; ++r) {
    Trajectory run;
    run.name = std::to_string(r);
    double t = 0;
    const double phase = random.uniform(0, 6);
    for (int k = 0; k < samples + 3 * r; ++k) {
      run.t.push_back(t);
      run.q.push_back(std::sin(2 * t + phase) + noise * random.normal());
      run.q.push_back(0.5 * std::cos(3 * t + phase) + noise * random.normal());
      t += uneven ? random.uniform(0.02, 0.08) : 0.05;
    }
    log.runs.push_back(std::move(run));
  }
  return log;
}

inline SmoothResult run_smoother(const Log& log, SmoothMethod method, int threads = 1) {
  SmoothOptions options;
  options.method = method;
  ThreadPool pool(threads);
  return smooth(log, options, pool);
}

}  // namespace mechfit::test
