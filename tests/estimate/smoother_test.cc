#include "mechfit/estimate/kalman/smoother.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mechfit/base/error.h"
#include "mechfit/base/random.h"
#include "tests/estimate/logs.h"

namespace mechfit {
namespace {

using test::kMissing;
using test::run_smoother;
using test::swings;

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

TEST(Smooth, CovariancesAgreeWithStandardDeviations) {
  const Log log = swings(2, 50, 0.05, true, 9);
  for (SmoothMethod method : {SmoothMethod::paper, SmoothMethod::white_jerk}) {
    SmoothOptions options;
    options.method = method;
    options.covariances = true;
    ThreadPool pool(2);
    const SmoothResult result = smooth(log, options, pool);
    for (int r = 0; r < 2; ++r) {
      const Trajectory& run = result.log.runs[r];
      for (int j = 0; j < 2; ++j) {
        const std::vector<double>& p = result.at(r, j).covariance;
        ASSERT_EQ(p.size(), run.t.size() * 6);
        for (int k = 0; k < run.size(); ++k) {
          const double sd[3] = {run.q_sd[k * 2 + j], run.qd_sd[k * 2 + j], run.qdd_sd[k * 2 + j]};
          EXPECT_NEAR(p[k * 6], sd[0] * sd[0], 1e-12 * p[k * 6]);
          EXPECT_NEAR(p[k * 6 + 3], sd[1] * sd[1], 1e-12 * p[k * 6 + 3]);
          EXPECT_NEAR(p[k * 6 + 5], sd[2] * sd[2], 1e-12 * p[k * 6 + 5]);
          EXPECT_LT(std::abs(p[k * 6 + 1]), sd[0] * sd[1]);
          EXPECT_LT(std::abs(p[k * 6 + 2]), sd[0] * sd[2]);
          EXPECT_LT(std::abs(p[k * 6 + 4]), sd[1] * sd[2]);
        }
      }
    }
  }
}

TEST(Smooth, MissingSamplesCountAsIfTheyWereNotThere) {
  const Log full = swings(1, 120, 0.05, false, 12);
  Log missing = full, removed = full;
  Trajectory& run = removed.runs[0];
  run.t.clear();
  run.q.clear();
  for (int k = 0; k < full.runs[0].size(); ++k) {
    if (k % 7 == 2 || (k > 40 && k < 46)) {
      missing.runs[0].q[2 * k] = missing.runs[0].q[2 * k + 1] = kMissing;
    } else {
      run.t.push_back(full.runs[0].t[k]);
      run.q.push_back(full.runs[0].q[2 * k]);
      run.q.push_back(full.runs[0].q[2 * k + 1]);
    }
  }
  const SmoothResult a = run_smoother(missing, SmoothMethod::white_jerk);
  const SmoothResult b = run_smoother(removed, SmoothMethod::white_jerk);
  for (int j = 0; j < 2; ++j) {
    EXPECT_NEAR(a.at(0, j).observation_sd, b.at(0, j).observation_sd, 1e-9);
    EXPECT_NEAR(a.at(0, j).log_likelihood, b.at(0, j).log_likelihood, 1e-7);
  }
  int i = 0;
  for (int k = 0; k < full.runs[0].size(); ++k) {
    for (int j = 0; j < 2; ++j) {
      EXPECT_TRUE(std::isfinite(a.log.runs[0].q[2 * k + j]));
      EXPECT_TRUE(std::isfinite(a.log.runs[0].qdd_sd[2 * k + j]));
      if (std::isnan(missing.runs[0].q[2 * k])) continue;
      EXPECT_NEAR(a.log.runs[0].q[2 * k + j], b.log.runs[0].q[2 * i + j], 1e-9);
      EXPECT_NEAR(a.log.runs[0].qdd[2 * k + j], b.log.runs[0].qdd[2 * i + j], 1e-7);
      EXPECT_NEAR(a.log.runs[0].qd_sd[2 * k + j], b.log.runs[0].qd_sd[2 * i + j], 1e-8);
    }
    if (!std::isnan(missing.runs[0].q[2 * k])) ++i;
  }
  const SmoothResult paper = run_smoother(missing, SmoothMethod::paper);
  for (double q : paper.log.runs[0].q) EXPECT_TRUE(std::isfinite(q));
}

TEST(Smooth, KeepsWhatItDoesNotEstimate) {
  Log log = swings(2, 30, 0.05, true, 3);
  log.channels.inputs = {"u1"};
  for (Trajectory& run : log.runs) run.u.assign(run.t.size(), 0.5);
  const SmoothResult result = run_smoother(log, SmoothMethod::white_jerk);
  EXPECT_EQ(result.log.channels.joints, log.channels.joints);
  EXPECT_EQ(result.log.runs[1].name, log.runs[1].name);
  EXPECT_EQ(result.log.runs[1].t, log.runs[1].t);
  EXPECT_EQ(result.log.runs[1].u, log.runs[1].u);
}

TEST(Smooth, ReportsProgressUpToTheEnd) {
  for (SmoothMethod method : {SmoothMethod::paper, SmoothMethod::white_jerk}) {
    std::vector<double> told;
    SmoothOptions options;
    options.method = method;
    options.progress = [&](double fraction) { told.push_back(fraction); };
    ThreadPool pool(2);
    (void)smooth(swings(9, 40, 0.05, true, 3), options, pool);
    ASSERT_GT(told.size(), 3u);
    EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
    EXPECT_EQ(told.back(), 1.0);
  }
}

TEST(Smooth, RefusesWhatCannotBeSmoothed) {
  ThreadPool pool(1);
  const auto message = [&](const Log& log) {
    try {
      (void)smooth(log, {}, pool);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  Log log = swings(1, 4, 0.05, false, 1);
  EXPECT_EQ(message(log), "joint 'q1': the longest run has 4 observed samples, smoothing needs 5");
  log = swings(2, 20, 0.05, false, 1);
  for (int k = 0; k < log.runs[1].size(); ++k) log.runs[1].q[2 * k + 1] = kMissing;
  EXPECT_EQ(message(log), "run '1': joint 'q2' has no observed sample");
  log = swings(1, 20, 0.05, false, 1);
  log.runs[0].t[5] = log.runs[0].t[4];
  EXPECT_THROW((void)smooth(log, {}, pool), CheckError);
}

}  // namespace
}  // namespace mechfit
