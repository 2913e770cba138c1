// A fit's choice and verdict must not hang on which runs its seed holds out.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "mechfit/evaluate/verdict.h"
#include "mechfit/fit/fit.h"
#include "mechfit/fit/fit_record.h"
#include "tests/support/still_joint.h"

namespace mechfit {
namespace {

// One run of six hardly moves joint 2, so which one is held out matters.
int most_frequent_choice(const Log& log, const std::string& family) {
  ThreadPool pool(2);
  std::map<std::pair<int, Grade>, int> times;  // by number of parameters and grade
  for (int seed = 0; seed < 10; ++seed) {
    FitOptions options;
    options.family = family;
    options.seed = static_cast<std::uint64_t>(seed);
    const FitResult result = fit(log, std::nullopt, options, pool);
    const ModelRecord record = fit_record(result, options);
    const Scores scores = score_fit(record, held_out_data(result, pool), result, pool);
    ++times[{result.model.parameter_count(), judge(scores).grade}];
  }
  int most = 0;
  for (const auto& [choice, count] : times) most = std::max(most, count);
  return most;
}

TEST(Seeds, ChooseTheSameFamilyAndGradeNearlyAlways) {
  EXPECT_GE(most_frequent_choice(testing::still_joint_log(60, 0.05, 7), "auto"), 9);
}

// On the samples' own steps degree 2 follows the midpoint rule's error; with one part held out
// seven seeds chose degree 1 and three degree 2.
TEST(Seeds, ChooseTheSameDegreeAndGradeNearlyAlways) {
  const Log log = testing::still_joint_log(100, 0.001, 7, Integrator::rk4);
  EXPECT_GE(most_frequent_choice(log, "trig"), 9);
}

}  // namespace
}  // namespace mechfit
