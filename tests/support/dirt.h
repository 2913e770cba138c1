#pragma once

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "mechfit/base/random.h"
#include "mechfit/log/log.h"

// Defects that real logs have, made on purpose.
namespace mechfit::testing {

// One of 0 .. count - 1.
inline int pick(Random& random, std::size_t count) {
  const double x = random.uniform(0, static_cast<double>(count));
  return static_cast<int>(std::min(x, static_cast<double>(count) - 0.5));
}

using Spoiled = std::set<std::tuple<int, int, int>>;  // run, sample, joint

// Where and how much by chance: `count` samples are off by `least` to `most`.
inline Spoiled add_outliers(Log& log, int count, std::uint64_t seed, double least = 0.3,
                            double most = 1) {
  Random random(seed);
  Spoiled bad;
  const int n = log.n();
  while (static_cast<int>(bad.size()) < count) {
    const int r = pick(random, log.runs.size());
    const int k = pick(random, log.runs[r].t.size());
    const int j = pick(random, log.channels.joints.size());
    const double off = random.uniform(least, most) * (random.uniform(-1, 1) < 0 ? -1 : 1);
    if (bad.insert({r, k, j}).second) log.runs[r].q[static_cast<std::size_t>(k) * n + j] += off;
  }
  return bad;
}

// The first sample of each run is still the last one of the run before.
inline Spoiled stale_first_samples(Log& log) {
  Spoiled bad;
  const Log before = log;
  const int n = log.n(), runs = static_cast<int>(log.runs.size());
  for (int r = 0; r < runs; ++r)
    for (int j = 0; j < n; ++j) {
      const Trajectory& other = before.runs[(r + runs - 1) % runs];
      log.runs[r].q[j] = other.q[other.q.size() - n + j];
      bad.insert({r, 0, j});
    }
  return bad;
}

// Stretches of 2 to 10 equal samples, until a share of the log repeats the sample before.
inline Spoiled hold_values(Log& log, double share, std::uint64_t seed) {
  Random random(seed);
  Spoiled bad;
  const int n = log.n();
  while (static_cast<double>(bad.size()) < share * log.samples() * n) {
    const int r = pick(random, log.runs.size());
    Trajectory& run = log.runs[r];
    const int repeats = 1 + pick(random, 9);
    const int begin = pick(random, run.t.size() - static_cast<std::size_t>(repeats));
    for (int k = begin + 1; k <= begin + repeats; ++k)
      for (int j = 0; j < n; ++j) {
        run.q[static_cast<std::size_t>(k) * n + j] = run.q[static_cast<std::size_t>(begin) * n + j];
        bad.insert({r, k, j});
      }
  }
  return bad;
}

// Noise of Student's t distribution with four degrees of freedom and this standard deviation.
inline void add_heavy_noise(Log& log, double deviation, std::uint64_t seed) {
  Random random(seed);
  for (Trajectory& run : log.runs)
    for (double& q : run.q) {
      double square = 0;
      for (int i = 0; i < 4; ++i) square += std::pow(random.normal(), 2) / 4;
      q += deviation / std::sqrt(2.0) * random.normal() / std::sqrt(square);
    }
}

// What a sensor with steps of `resolution` shows.
inline void quantise(Log& log, double resolution) {
  for (Trajectory& run : log.runs)
    for (double& q : run.q) q = resolution * std::round(q / resolution);
}

}  // namespace mechfit::testing
