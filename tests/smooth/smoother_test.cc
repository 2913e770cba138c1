#include "mechfit/smooth/smoother.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mechfit/base/error.h"
#include "mechfit/base/random.h"

namespace mechfit {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

Log make_log(int joints) {
  Log log;
  for (int j = 0; j < joints; ++j) {
    log.channels.joints.push_back("q" + std::to_string(j + 1));
    log.channels.joint_types.push_back(JointType::plain);
    log.channels.units.push_back("rad");
  }
  return log;
}

// Runs of a two-joint swing with noise, uneven steps when asked.
Log swings(int runs, int samples, double noise, bool uneven, std::uint64_t seed) {
  Log log = make_log(2);
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

SmoothResult run_smoother(const Log& log, SmoothMethod method, int threads = 1) {
  SmoothOptions options;
  options.method = method;
  ThreadPool pool(threads);
  return smooth(log, options, pool);
}

TEST(Smooth, EmNeverLowersTheLikelihood) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Log log = swings(3, 60, 0.02 * static_cast<double>(seed * seed), seed % 2 == 0, seed);
    SmoothOptions options;
    options.method = SmoothMethod::paper;
    options.em_iterations = 40;
    ThreadPool pool(1);
    const SmoothResult result = smooth(log, options, pool);
    for (const SmoothSeries& series : result.series) {
      ASSERT_EQ(series.history.size(), 41u);
      EXPECT_GT(series.history.back(), series.history.front() + 1);
      for (std::size_t i = 1; i < series.history.size(); ++i) {
        EXPECT_GE(series.history[i], series.history[i - 1] - 1e-9) << "seed " << seed;
      }
      EXPECT_EQ(series.log_likelihood, series.history.back());
    }
  }
}

TEST(Smooth, ThreadsDoNotChangeABit) {
  const Log log = swings(5, 300, 0.05, true, 4);
  for (SmoothMethod method : {SmoothMethod::paper, SmoothMethod::white_jerk}) {
    const SmoothResult one = run_smoother(log, method, 1);
    for (int threads : {2, 3, 7}) {
      const SmoothResult many = run_smoother(log, method, threads);
      for (std::size_t r = 0; r < log.runs.size(); ++r) {
        const Trajectory &a = one.log.runs[r], &b = many.log.runs[r];
        EXPECT_EQ(a.q, b.q);
        EXPECT_EQ(a.qd, b.qd);
        EXPECT_EQ(a.qdd, b.qdd);
        EXPECT_EQ(a.q_sd, b.q_sd);
        EXPECT_EQ(a.qdd_sd, b.qdd_sd);
      }
      for (std::size_t i = 0; i < one.series.size(); ++i) {
        EXPECT_EQ(one.series[i].log_likelihood, many.series[i].log_likelihood);
        EXPECT_EQ(one.series[i].intensity, many.series[i].intensity);
      }
    }
  }
}

}  // namespace
}  // namespace mechfit
