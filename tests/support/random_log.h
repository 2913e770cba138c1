#pragma once

#include <bit>
#include <cmath>
#include <iterator>
#include <string>

#include "mechfit/base/random.h"
#include "mechfit/files/number.h"
#include "mechfit/log/log.h"

namespace mechfit {

// A double of any sign and of any size that a log may have, now and then an awkward one.
inline double any_finite(Random& random) {
  constexpr double kAwkward[] = {0.0,
                                 -0.0,
                                 5e-324,
                                 -2.2250738585072014e-308,
                                 kLargestNumber,
                                 0.1,
                                 1.0 / 3.0,
                                 9007199254740993.0};
  if (random.below(8) == 0) return kAwkward[random.below(std::size(kAwkward))];
  for (;;) {
    const double x = std::bit_cast<double>(random.bits());
    if (std::fabs(x) <= kLargestNumber) return x;
  }
}

// Runs with values of every size, so steps between samples are large: joints are plain.
inline Log random_log(Random& random, bool derivatives) {
  Log log;
  const int n = 1 + static_cast<int>(random.below(3)), m = static_cast<int>(random.below(3));
  for (int i = 0; i < n; ++i) {
    log.channels.joints.push_back("q" + std::to_string(i + 1));
    log.channels.joint_types.push_back(JointType::plain);
    log.channels.units.push_back(random.below(2) == 0 ? "" : "mm");
  }
  for (int i = 0; i < m; ++i) log.channels.inputs.push_back("u" + std::to_string(i + 1));
  const int runs = 1 + static_cast<int>(random.below(3));
  for (int r = 0; r < runs; ++r) {
    Trajectory& run = log.runs.emplace_back();
    run.name = "run " + std::to_string(r) + (random.below(3) == 0 ? ", \"quoted\"" : "");
    const int samples = 3 + static_cast<int>(random.below(20));
    double t = random.uniform(-5.0, 5.0);
    for (int k = 0; k < samples; ++k) {
      run.t.push_back(t);
      t += random.uniform(0.01, 0.02);
      const auto fill = [&](std::vector<double>& to, int count) {
        for (int i = 0; i < count; ++i) to.push_back(any_finite(random));
      };
      fill(run.q, n);
      fill(run.u, m);
      if (!derivatives) continue;
      for (auto* array : {&run.qd, &run.qdd, &run.q_sd, &run.qd_sd, &run.qdd_sd}) fill(*array, n);
    }
  }
  return log;
}

}  // namespace mechfit
