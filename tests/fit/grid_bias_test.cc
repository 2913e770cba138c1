#include "mechfit/fit/joint/grid_bias.h"

#include <gtest/gtest.h>

#include "mechfit/fit/candidates.h"
#include "mechfit/fit/fit_data.h"
#include "mechfit/log/refine.h"
#include "tests/support/machines.h"

namespace mechfit {
namespace {

// From 1,001 to 4,001 nodes a run: more than a piece of a run may have samples (joint_runs.cc).
TEST(GridBias, FallsWithTheFourthPowerOfTheStepHoweverManyNodesARunHas) {
  constexpr double kSampled = 0.02, kStep = 0.005;
  ThreadPool pool(2);
  const Log log = testing::record(testing::kPoints, {0.01, kSampled, 10, 4}, 7, pool).observed;
  FitOptions options;
  options.family = "double-pendulum-points";
  options.quick = true;
  options.step = kStep;
  const FitData data = prepare_fit(log, {}, options, {}, pool);
  const Model start = candidates(data, options)[0].start.model;
  const JointResult fitted = fit_joint(start, data.joint, {}, pool);
  const auto bias = [&](double step) {
    return grid_bias(fitted, *data.joint.train, refine(*data.sampled.train, step), {}, pool);
  };
  // The rule's error is c h^2, so motions on steps of h / k say c h^2 (1 - 1 / k^2).
  const double half = bias(kStep / 2), quarter = bias(kStep / 4);
  EXPECT_GT(half, 0);
  EXPECT_NEAR(quarter / half, 1.5625, 0.15);  // (15 / 16)^2 / (3 / 4)^2
}

}  // namespace
}  // namespace mechfit
