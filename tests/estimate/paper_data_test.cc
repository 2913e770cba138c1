// Figures on the data of the published experiment, when it is at hand.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "mechfit/estimate/kalman/smoother.h"
#include "mechfit/files/read_log.h"
#include "tests/support/shared_data.h"

namespace mechfit {
namespace {

struct Errors {
  double q_rmse = 0, acceleration_mse = 0;
  SmoothResult result;
};

Errors errors(const std::string& folder, const std::string& kind, const std::string& noise,
              SmoothMethod method) {
  ReadOptions observed;
  observed.q = {"y1_" + noise, "y2_" + noise};
  const Log log = read_log({folder + "/" + kind + "_observed.csv"}, observed).log;
  ReadOptions true_q;
  true_q.q = {"q1", "q2"};
  const Log truth = read_log({folder + "/" + kind + "_observed.csv"}, true_q).log;
  const Log middle = read_log({folder + "/" + kind + "_midpoint_truth.csv"}, true_q).log;
  SmoothOptions options;
  options.method = method;
  ThreadPool pool(1);
  Errors out;
  out.result = smooth(log, options, pool);
  EXPECT_EQ(log.runs.size(), 16u);
  double q_sum = 0, q_count = 0, a_sum = 0, a_count = 0;
  for (std::size_t r = 0; r < log.runs.size(); ++r) {
    const Trajectory& run = out.result.log.runs[r];
    for (std::size_t i = 0; i < run.q.size(); ++i, ++q_count) {
      q_sum += std::pow(run.q[i] - truth.runs[r].q[i], 2);
    }
    const std::vector<double>& a = middle.runs[r].qdd;
    EXPECT_EQ(a.size() + 2, run.q.size());
    for (std::size_t i = 0; i < a.size(); ++i, ++a_count) {
      a_sum += std::pow((run.qdd[i] + run.qdd[i + 2]) / 2 - a[i], 2);
    }
  }
  out.q_rmse = std::sqrt(q_sum / q_count);
  out.acceleration_mse = a_sum / a_count;
  return out;
}

TEST(SmoothPaperData, PaperSmootherGivesTheReferenceFigures) {
  const std::string folder = testing::shared_data("paper");
  if (folder.empty()) GTEST_SKIP() << "needs the data of the published experiment";
  const Errors undamped = errors(folder, "undamped", "0.1", SmoothMethod::paper);
  EXPECT_NEAR(undamped.q_rmse, 0.107, 0.0005);
  EXPECT_NEAR(undamped.acceleration_mse, 73.3, 0.05);
  const Errors damped = errors(folder, "damped", "0.1", SmoothMethod::paper);
  EXPECT_NEAR(damped.acceleration_mse, 11.2, 0.05);
}

TEST(SmoothPaperData, WhiteJerkSmootherHalvesTheError) {
  const std::string folder = testing::shared_data("paper");
  if (folder.empty()) GTEST_SKIP() << "needs the data of the published experiment";
  const Errors undamped = errors(folder, "undamped", "0.1", SmoothMethod::white_jerk);
  EXPECT_LE(undamped.q_rmse, 0.0465);
  EXPECT_LE(undamped.acceleration_mse, 38);
  EXPECT_NEAR(undamped.result.at(0, 0).observation_sd, 0.1, 0.003);
  EXPECT_NEAR(undamped.result.at(0, 1).observation_sd, 0.1, 0.003);
  const Errors damped = errors(folder, "damped", "0.1", SmoothMethod::white_jerk);
  EXPECT_LE(damped.acceleration_mse, 7.6);
}

}  // namespace
}  // namespace mechfit
