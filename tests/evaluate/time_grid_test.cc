#include "mechfit/evaluate/time_grid.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mechfit/log/refine.h"

namespace mechfit {
namespace {

Log ramp(int samples, double h) {
  Log log;
  log.channels.joints = {"q"};
  log.channels.joint_types = {JointType::plain};
  log.channels.units = {"rad"};
  log.channels.inputs = {"u"};
  Trajectory run;
  for (int k = 0; k < samples; ++k) {
    run.t.push_back(k * h);
    run.q.push_back(3 * k * h);
    run.u.push_back(k);
  }
  log.runs.push_back(run);
  return log;
}

TEST(TimeGrid, PutsUnobservedSamplesBetween) {
  const TimeGrid grid = time_grid(ramp(20, 0.1), 0.03, 16);
  const Trajectory& run = grid.log.runs[0];
  EXPECT_EQ(grid.pooled, 1);
  ASSERT_EQ(run.size(), 19 * 4 + 1);
  for (int k = 0; k < run.size(); ++k) {
    EXPECT_NEAR(run.t[k], 0.025 * k, 1e-12);
    EXPECT_EQ(std::isnan(run.q[k]), k % 4 != 0);
    EXPECT_EQ(run.u[k], k / 4);  // held
  }
  EXPECT_EQ(time_grid(ramp(20, 0.1), 0.03, 2).log.runs[0].size(), 19 * 2 + 1);
}

TEST(TimeGrid, PoolsAnOddNumberOfCloseSamples) {
  Log log = ramp(100, 0.01);
  log.runs[0].q[4] = NAN;
  const TimeGrid grid = time_grid(log, 0.045, 16);
  const Trajectory& run = grid.log.runs[0];
  EXPECT_EQ(grid.pooled, 3);
  ASSERT_EQ(run.size(), 33);
  for (int k = 0; k < run.size(); ++k) {
    EXPECT_NEAR(run.t[k], 0.01 + 0.03 * k, 1e-12);
    if (k == 1)
      EXPECT_TRUE(std::isnan(run.q[k]));
    else
      EXPECT_NEAR(run.q[k], 3 * run.t[k], 1e-12);
    // The mean until the next middle; the last one acts from its own on.
    EXPECT_NEAR(run.u[k], k + 1 < run.size() ? 3 * k + 2 : 3 * k + 1, 1e-12);
  }
}

TEST(Interpolate, IsExactForCubics) {
  const auto cubic = [](double t) { return t * t * t - 2 * t * t + 0.5; };
  std::vector<double> from, q, to;
  for (int k = 0; k < 9; ++k) {
    from.push_back(0.3 * k + 0.02 * (k % 2));
    q.push_back(cubic(from.back()));
  }
  for (int k = 0; k < 50; ++k) to.push_back(2.4 * k / 49);
  const std::vector<double> out = interpolate(from, q, 1, to);
  for (int k = 0; k < 50; ++k) EXPECT_NEAR(out[k], cubic(to[k]), 1e-12);
}

}  // namespace
}  // namespace mechfit
