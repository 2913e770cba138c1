#include "mechfit/estimate/kalman/cleaning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/estimate/logs.h"
#include "tests/support/dirt.h"

namespace mechfit {
namespace {

using ::testing::HasSubstr;

CleaningResult cleaned(const Log& log, int threads = 1) {
  ThreadPool pool(threads);
  return clean(log, pool);
}

testing::Spoiled places(const std::vector<Defect>& defects) {
  testing::Spoiled out;
  for (const Defect& d : defects) out.insert({d.run, d.sample, d.joint});
  return out;
}

// Equal to the bit, NaN where the other is NaN.
bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

TEST(Cleaning, ACleanLogStaysAsItIs) {
  for (const double noise : {0.0, 0.001, 0.1})
    for (const bool uneven : {false, true}) {
      const Log log = test::swings(6, 200, noise, uneven, 3);
      const CleaningResult result = cleaned(log);
      EXPECT_TRUE(result.clean()) << noise << uneven;
      for (std::size_t r = 0; r < log.runs.size(); ++r)
        EXPECT_EQ(result.log.runs[r].q, log.runs[r].q);
    }
}

TEST(Cleaning, OutliersBecomeMissingAndNothingElseChanges) {
  for (const bool uneven : {false, true}) {
    Log log = test::swings(6, 200, 0.003, uneven, 4);
    const auto bad = testing::add_outliers(log, 40, 5);
    const CleaningResult result = cleaned(log);
    EXPECT_EQ(places(result.defects), bad);
    for (int r = 0; r < 6; ++r)
      for (int k = 0; k < log.runs[r].size(); ++k)
        for (int j = 0; j < 2; ++j) {
          const double before = log.runs[r].q[2 * k + j], after = result.log.runs[r].q[2 * k + j];
          if (bad.contains({r, k, j}))
            EXPECT_TRUE(std::isnan(after));
          else
            EXPECT_EQ(before, after);
        }
    for (const Defect& d : result.defects) {
      EXPECT_EQ(d.found, log.runs[d.run].q[2 * d.sample + d.joint]);
      EXPECT_GT(std::abs(d.found - d.expected), 0.2);
    }
  }
}

TEST(Cleaning, StaleFirstAndLateLastSamplesAreFound) {
  Log log = test::swings(5, 150, 0.002, false, 6);
  for (Trajectory& run : log.runs) {
    run.q[0] += 0.4;
    run.q[run.q.size() - 1] -= 0.3;
  }
  int first = 0, last = 0;
  for (const Defect& d : cleaned(log).defects) {
    first += d.kind == DefectKind::first;
    last += d.kind == DefectKind::last;
    EXPECT_TRUE(d.sample == 0 || d.sample == log.runs[d.run].size() - 1);
  }
  // The other joint's were logged with them.
  EXPECT_EQ(first, 10);
  EXPECT_EQ(last, 10);
}

TEST(Cleaning, HeldValuesAreFoundButNotRestNorACoarseSensor) {
  Log log = test::swings(6, 200, 0.003, false, 7);
  const auto bad = testing::hold_values(log, 0.05, 8);
  const auto found = places(cleaned(log).defects);
  std::vector<std::tuple<int, int, int>> both;
  std::set_intersection(bad.begin(), bad.end(), found.begin(), found.end(),
                        std::back_inserter(both));
  EXPECT_GT(both.size(), 0.9 * static_cast<double>(bad.size()));
  EXPECT_LE(found.size() - both.size(), 2);

  Log resting = test::swings(4, 200, 0, false, 9);
  for (Trajectory& run : resting.runs)  // starts from rest after 50 samples
    for (int k = 0; k < run.size(); ++k)
      for (int j = 0; j < 2; ++j) {
        const double t = std::max(0.0, run.t[k] - run.t[50]);
        run.q[2 * k + j] = 1 - std::cos((2 + j) * t);
      }
  EXPECT_TRUE(cleaned(resting).clean());
  Log coarse = test::swings(6, 200, 0.0, false, 10);
  testing::quantise(coarse, 0.02);
  EXPECT_TRUE(cleaned(coarse).clean());
}

TEST(Cleaning, ThreadsDoNotMatter) {
  Log log = test::swings(6, 200, 0.003, true, 11);
  testing::add_outliers(log, 20, 12);
  testing::hold_values(log, 0.03, 13);
  const CleaningResult one = cleaned(log, 1), three = cleaned(log, 3);
  ASSERT_FALSE(one.clean());
  EXPECT_EQ(places(one.defects), places(three.defects));
  for (std::size_t r = 0; r < log.runs.size(); ++r)
    EXPECT_TRUE(same(one.log.runs[r].q, three.log.runs[r].q));
}

TEST(Cleaning, LinesNameJointRunTimeFoundAndExpected) {
  Log log = test::swings(3, 200, 0.001, false, 14);
  log.runs[1].q[2 * 60] += 1;
  const CleaningResult result = cleaned(log);
  const auto lines = describe_defects(result.log, result.defects, true);
  ASSERT_EQ(lines.size(), 1);
  EXPECT_EQ(lines[0].kind, WarningKind::outliers);
  EXPECT_THAT(lines[0].text,
              HasSubstr(log.channels.joints[0] + ": 1 outlier is taken out: run 1 at 3 s"));
  EXPECT_THAT(lines[0].text, HasSubstr("is expected"));
  Log read = log;
  read.runs[1].origin = {"b.csv", Origin::Place::line, {{0, 2}}};
  EXPECT_THAT(describe_defects(read, result.defects, true)[0].text, HasSubstr(": b.csv:62 ("));
}

}  // namespace
}  // namespace mechfit
