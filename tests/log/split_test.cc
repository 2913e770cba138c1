#include "mechfit/log/split.h"

#include <gtest/gtest.h>

#include <map>

#include "mechfit/base/error.h"
#include "tests/support/logs.h"

namespace mechfit {
namespace {

// Runs whose samples are all different: q is the number of the sample in the whole log.
Log numbered(int runs, int samples) {
  Log log = testing::empty_log(1);
  double number = 0;
  for (int r = 0; r < runs; ++r) {
    Trajectory run;
    run.name = "run " + std::to_string(r);
    for (int k = 0; k < samples; ++k) {
      run.t.push_back(0.1 * k + 0.01 * (k % 3));
      run.q.push_back(number++);
    }
    log.runs.push_back(std::move(run));
  }
  return log;
}

void count(const Log& log, std::map<double, int>& times) {
  for (const auto& run : log.runs)
    for (double q : run.q) ++times[q];
}

class Parts : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Runs, Parts, ::testing::Values(1, 2, 3, 4, 5, 6, 8, 17));

TEST_P(Parts, HoldEverySampleOutExactlyOnceAndTrainOnAllOthers) {
  const Log log = numbered(GetParam(), 83);
  for (const std::uint64_t seed : {0, 1, 2}) {
    const Split split = split_runs(log, seed);
    EXPECT_EQ(split.others.size() + 1,
              static_cast<std::size_t>(GetParam() == 1 ? 4 : std::min(4, GetParam())));
    std::map<double, int> held_out;
    count(split.validation, held_out);
    for (const SplitPart& part : split.others) {
      const Log validation = gather(part.validation, split.train, split.validation);
      count(validation, held_out);
      std::map<double, int> all;
      count(validation, all);
      count(gather(part.train, split.train, split.validation), all);
      EXPECT_EQ(static_cast<int>(all.size()), log.samples());
      for (const auto& [sample, times] : all) EXPECT_EQ(times, 1) << "sample " << sample;
    }
    EXPECT_EQ(static_cast<int>(held_out.size()), log.samples());
    for (const auto& [sample, times] : held_out) EXPECT_EQ(times, 1) << "sample " << sample;
  }
}

TEST_P(Parts, AreOfNearlyEqualSize) {
  const Split split = split_runs(numbered(GetParam(), 83), 0);
  std::size_t least = 1000, most = 0;
  for (const SplitPart& part : split.others) {
    least = std::min(least, part.validation.size());
    most = std::max(most, part.validation.size());
  }
  EXPECT_LE(most, least + 1);
}

TEST(Gather, CutsRunsThatWereThinnedAtTheSameTimes) {
  const Split split = split_runs(numbered(1, 160), 0);
  const auto every_second = [](const Log& log) {
    Log out;
    out.channels = log.channels;
    for (const auto& run : log.runs) {
      Trajectory thin;
      for (int k = 0; k < run.size(); k += 2) {
        thin.t.push_back(run.t[k]);
        thin.q.push_back(run.q[k]);
      }
      out.runs.push_back(std::move(thin));
    }
    return out;
  };
  const Log train = every_second(split.train), validation = every_second(split.validation);
  for (const SplitPart& part : split.others) {
    const Log whole = gather(part.validation, split.train, split.validation);
    const Log thinned = gather(part.validation, train, validation);
    ASSERT_EQ(whole.runs.size(), thinned.runs.size());
    for (std::size_t r = 0; r < whole.runs.size(); ++r) {
      EXPECT_EQ(thinned.runs[r].size(), 10);
      EXPECT_GE(thinned.runs[r].q.front(), whole.runs[r].q.front());
      EXPECT_LE(thinned.runs[r].q.back(), whole.runs[r].q.back());
    }
  }
}

}  // namespace
}  // namespace mechfit
