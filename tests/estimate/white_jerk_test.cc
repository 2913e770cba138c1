#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/estimate/kalman/series_model.h"
#include "tests/estimate/logs.h"
#include "tests/estimate/oracle.h"

namespace mechfit {
namespace {

using test::empty_log;
using test::run_smoother;
using test::swings;

// A motion of the very model: white noise of the given intensity on the jerk.
struct Motion {
  Log log;                // observed
  std::vector<double> x;  // true [T][3]
};

Motion model_motion(int samples, double step, double intensity, double noise, std::uint64_t seed) {
  Motion motion;
  motion.log = empty_log(1);
  motion.log.runs.resize(1);
  Trajectory& run = motion.log.runs[0];
  Random random(seed);
  Eigen::Vector3d x(1, 2, 3);
  double t = 5;
  for (int k = 0; k < samples; ++k) {
    run.t.push_back(t);
    run.q.push_back(x(0) + noise * random.normal());
    for (int i = 0; i < 3; ++i) motion.x.push_back(x(i));
    const double h = step * random.uniform(0.5, 1.5);
    const Eigen::Matrix3d factor = test::white_jerk_noise(intensity, h).llt().matrixL();
    const Eigen::Vector3d white(random.normal(), random.normal(), random.normal());
    x = test::transition(h) * x + factor * white;
    t += h;
  }
  return motion;
}

TEST(WhiteJerk, FindsNoiseAndIntensityAndKnowsItsErrors) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const double intensity = std::pow(10.0, static_cast<double>(seed)), noise = 0.03;
    const Motion motion = model_motion(3000, 0.05, intensity, noise, seed);
    const SmoothResult result = run_smoother(motion.log, SmoothMethod::white_jerk);
    const Trajectory& run = result.log.runs[0];
    EXPECT_NEAR(result.at(0, 0).observation_sd / noise, 1, 0.06) << seed;
    EXPECT_NEAR(std::log(result.at(0, 0).intensity / intensity), 0, 0.4) << seed;
    // Errors in units of the standard deviations given with them.
    double square[3] = {0, 0, 0};
    for (int k = 0; k < run.size(); ++k) {
      const double* x = &motion.x[k * 3];
      square[0] += std::pow((run.q[k] - x[0]) / run.q_sd[k], 2) / run.size();
      square[1] += std::pow((run.qd[k] - x[1]) / run.qd_sd[k], 2) / run.size();
      square[2] += std::pow((run.qdd[k] - x[2]) / run.qdd_sd[k], 2) / run.size();
    }
    for (double s : square) EXPECT_NEAR(s, 1, 0.25) << seed;
  }
}

// The likelihood of all runs of joint 0, ratios of intensity to R changed by a factor each.
double likelihood(const std::vector<Series>& series, const ModelFit& fit, double r_factor,
                  double ratio_factor, std::size_t which) {
  double sum = 0;
  for (std::size_t i = 0; i < series.size(); ++i) {
    LaneParameters parameters = fit.family;
    parameters.r[0] = 1;
    parameters.intensity[0] = fit.models[i].intensity * (i == which ? ratio_factor : 1);
    LaneSummary summary;
    LaneKalman({&series[i], 1}).filter(parameters, {&fit.models[i].prior, 1}, {&summary, 1});
    sum += summary.log_likelihood(fit.models[i].scale * r_factor);
  }
  return sum;
}

TEST(WhiteJerk, LikelihoodIsHighestAtTheResult) {
  const Log log = swings(4, 150, 0.05, true, 2);
  std::vector<Series> series;
  for (const Trajectory& run : log.runs) {
    series.push_back({run.t.data(), run.q.data(), 2, run.size(), 0.05});
  }
  ThreadPool pool(1);
  const std::vector<int> joint(series.size(), 0);
  const ModelFit fit = fit_white_jerk_models(series, joint, pool, {});
  const double best = likelihood(series, fit, 1, 1, 0);
  for (double factor : {0.5, 0.9, 1.1, 2.0}) {
    EXPECT_LT(likelihood(series, fit, factor, 1, 0), best);
    for (std::size_t i = 0; i < series.size(); ++i) {
      EXPECT_LT(likelihood(series, fit, 1, factor, i), best) << factor << " run " << i;
    }
  }
}

TEST(WhiteJerk, OtherUnitsGiveTheSameMotionInOtherUnits) {
  const Log log = swings(3, 150, 0.02, true, 6);
  const SmoothResult one = run_smoother(log, SmoothMethod::white_jerk);
  for (const auto& [length, time] : {std::pair{180 / M_PI, 1.0}, {1.0, 1000.0}, {1e-7, 1e4}}) {
    Log other = log;
    for (Trajectory& run : other.runs) {
      for (double& q : run.q) q *= length;
      for (double& t : run.t) t *= time;
    }
    const SmoothResult two = run_smoother(other, SmoothMethod::white_jerk);
    for (std::size_t r = 0; r < log.runs.size(); ++r) {
      const Trajectory &a = one.log.runs[r], &b = two.log.runs[r];
      for (std::size_t i = 0; i < a.q.size(); ++i) {
        EXPECT_NEAR(b.q[i] / length, a.q[i], 1e-10);
        EXPECT_NEAR(b.qd[i] / length * time, a.qd[i], 1e-9);
        EXPECT_NEAR(b.qdd[i] / length * time * time, a.qdd[i], 1e-8);
        EXPECT_NEAR(b.qdd_sd[i] / length * time * time, a.qdd_sd[i], 1e-8);
      }
    }
    for (int j = 0; j < 2; ++j) {
      EXPECT_NEAR(
          two.at(0, j).intensity * std::pow(time, 5) / (length * length) / one.at(0, j).intensity,
          1, 1e-9);
    }
  }
}

TEST(WhiteJerk, FollowsDataWithoutNoise) {
  Log log = swings(1, 400, 0.0, false, 1);
  const SmoothResult result = run_smoother(log, SmoothMethod::white_jerk);
  const Trajectory &before = log.runs[0], &after = result.log.runs[0];
  for (int k = 5; k + 5 < before.size(); ++k) {
    for (int j = 0; j < 2; ++j) {
      const int i = 2 * k + j;
      EXPECT_NEAR(after.q[i], before.q[i], 1e-4);
      // Both joints swing harmonically.
      const double omega = j == 0 ? 2 : 3;
      EXPECT_NEAR(after.qdd[i], -omega * omega * before.q[i], 0.05);
    }
  }
}

TEST(WhiteJerk, RestsOnDataThatNeverMoves) {
  for (double level : {0.0, 3.7, 1e9}) {
    Log log = empty_log(1);
    log.runs.resize(1);
    for (int k = 0; k < 100; ++k) {
      log.runs[0].t.push_back(0.01 * k);
      log.runs[0].q.push_back(level);
    }
    const SmoothResult result = run_smoother(log, SmoothMethod::white_jerk);
    for (int k = 0; k < 100; ++k) {
      EXPECT_NEAR(result.log.runs[0].q[k], level, 1e-12 * level);
      EXPECT_NEAR(result.log.runs[0].qd[k], 0, 1e-6 * level);
      EXPECT_TRUE(std::isfinite(result.log.runs[0].qdd_sd[k]));
      EXPECT_LE(result.log.runs[0].q_sd[k], 1e-12 * level + 1e-100);
    }
    EXPECT_TRUE(std::isfinite(result.at(0, 0).log_likelihood));
  }
}

TEST(WhiteJerk, ShortRunsShareAnIntensity) {
  Log log = swings(1, 200, 0.05, false, 8);
  for (int samples : {3, 6, 12}) {
    Trajectory run = log.runs[0];
    run.t.resize(samples);
    run.q.resize(samples * 2);
    log.runs.push_back(run);
  }
  const SmoothResult result = run_smoother(log, SmoothMethod::white_jerk);
  for (int j = 0; j < 2; ++j) {
    EXPECT_EQ(result.at(2, j).intensity, result.at(3, j).intensity);
    EXPECT_NE(result.at(0, j).intensity, result.at(3, j).intensity);
    for (int r = 0; r < 4; ++r) {
      EXPECT_EQ(result.at(r, j).observation_sd, result.at(0, j).observation_sd);
    }
  }
  for (const Trajectory& run : result.log.runs) {
    for (double a : run.qdd) EXPECT_TRUE(std::isfinite(a));
    for (double a : run.qdd_sd) EXPECT_TRUE(std::isfinite(a));
  }
}

TEST(WhiteJerk, HandlesALongLogAtOneKilohertzWithTinyNoise) {
  Log log = empty_log(1);
  log.runs.resize(1);
  Random random(5);
  const int samples = 40000;
  for (int k = 0; k < samples; ++k) {
    log.runs[0].t.push_back(100 + 0.001 * k);
    log.runs[0].q.push_back(std::sin(0.004 * k) + 0.3 * std::sin(0.011 * k) +
                            2e-6 * random.normal());
  }
  const SmoothResult result = run_smoother(log, SmoothMethod::white_jerk);
  EXPECT_NEAR(result.at(0, 0).observation_sd, 2e-6, 0.1e-6);
  double square = 0;
  for (int k = 100; k + 100 < samples; ++k) {
    const double a = -16 * std::sin(0.004 * k) - 0.3 * 121 * std::sin(0.011 * k);
    square += std::pow(result.log.runs[0].qdd[k] - a, 2) / samples;
    ASSERT_GT(result.log.runs[0].qdd_sd[k], 0);
  }
  EXPECT_LT(std::sqrt(square), 0.3);
}

}  // namespace
}  // namespace mechfit
