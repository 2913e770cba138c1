#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>

#include "mechfit/files/csv.h"
#include "mechfit/files/files.h"
#include "mechfit/files/npz_log.h"
#include "mechfit/files/read_log.h"
#include "tests/support/random_log.h"
#include "tests/support/scratch_folder.h"

namespace mechfit {
namespace {

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

void expect_same(const Log& a, const Log& b) {
  ASSERT_EQ(a.runs.size(), b.runs.size());
  EXPECT_EQ(a.n(), b.n());
  EXPECT_EQ(a.m(), b.m());
  EXPECT_EQ(a.channels.units, b.channels.units);
  for (std::size_t r = 0; r < a.runs.size(); ++r) {
    EXPECT_EQ(a.runs[r].name, b.runs[r].name);
    for (const auto array :
         {&Trajectory::t, &Trajectory::q, &Trajectory::u, &Trajectory::qd, &Trajectory::qdd,
          &Trajectory::q_sd, &Trajectory::qd_sd, &Trajectory::qdd_sd})
      EXPECT_TRUE(same_bits(a.runs[r].*array, b.runs[r].*array));
  }
}

RC_GTEST_PROP(RoundTrip, CsvLosesNoBitOfADouble, (std::uint64_t seed, bool derivatives)) {
  Random random(seed);
  const Log log = random_log(random, derivatives);
  std::vector<std::string> notes;
  expect_same(parse_csv(format_csv(log), "log.csv", {}, notes), log);
  RC_ASSERT(!::testing::Test::HasFailure());
}

RC_GTEST_PROP(RoundTrip, NpzLosesNoBitOfADouble, (std::uint64_t seed, bool derivatives)) {
  Random random(seed);
  Log log = random_log(random, derivatives);
  log.runs[0].name = "Läufer \xF0\x9D\x84\x9E";
  std::vector<std::string> notes;
  const Log back = parse_npz_log(format_npz_log(log), "log.npz", {}, notes);
  expect_same(back, log);
  RC_ASSERT(back.channels.joints == log.channels.joints);
  RC_ASSERT(back.channels.inputs == log.channels.inputs);
  RC_ASSERT(back.channels.joint_types == log.channels.joint_types);
  RC_ASSERT(!::testing::Test::HasFailure());
}

TEST(RoundTrip, FilesOfBothKindsComeBackThroughTheFacade) {
  const ScratchFolder scratch("round-trip");
  Random random(11);
  const Log log = random_log(random, true);
  ReadOptions options;
  options.joint_types = {JointType::plain};
  for (const char* name : {"log.csv", "log.npz"}) {
    write_log(scratch.file(name), log);
    expect_same(read_log({scratch.file(name)}, options).log, log);
  }
}

// Whole numbers so far apart would be taken for milliseconds.
TEST(RoundTrip, WholeSecondsAreToldAsSecondsAndStayThem) {
  const ScratchFolder scratch("whole-seconds");
  Random random(5);
  for (const double step : {0.02, 1.0, 2.0, 30.0}) {
    Log log = random_log(random, false);
    for (Trajectory& run : log.runs)
      for (int k = 0; k < run.size(); ++k) run.t[k] = step * k;
    ReadOptions options;
    options.joint_types = {JointType::plain};
    for (const char* name : {"log.csv", "log.npz"}) {
      write_log(scratch.file(name), log);
      const ReadResult back = read_log({scratch.file(name)}, options);
      expect_same(back.log, log);
      EXPECT_EQ(back.log.channels.time_unit, step > 1 ? "s" : "") << name << " " << step;
    }
  }
}

TEST(RoundTrip, TheSameLogGivesTheSameBytes) {
  Random random(3);
  const Log log = random_log(random, true);
  EXPECT_EQ(format_npz_log(log), format_npz_log(log));
}

}  // namespace
}  // namespace mechfit
