#include "mechfit/log/continue_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mechfit/log/arrange.h"

namespace mechfit {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Trajectory run(const std::string& name, std::vector<double> t) {
  Trajectory out;
  out.name = name;
  out.q = t;
  out.t = std::move(t);
  return out;
}

TEST(ContinueRuns, JoinsFilesWhoseStampsGoOnInWhateverOrder) {
  Log log;
  log.channels = {{"q"}, {}, {""}, {}};
  log.runs = {run("c", {6, 7, 8}), run("a", {0, 1, 2}), run("b", {3, 4, 5}), run("z", {40, 41})};
  log.runs[1].qd = {1, 1, 1};
  std::vector<std::string> notes;
  continue_runs(log, notes);
  ASSERT_THAT(log.runs, SizeIs(2));
  EXPECT_EQ(log.runs[0].name, "a");
  EXPECT_THAT(log.runs[0].t, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_EQ(log.runs[0].q, log.runs[0].t);
  EXPECT_THAT(log.runs[0].qd, IsEmpty());  // not all files have it
  EXPECT_THAT(notes, ElementsAre("4 files are 2 runs: their stamps go on"));
}

TEST(ContinueRuns, LeavesRunsThatOverlapOrGoBack) {
  Log log;
  log.channels = {{"q"}, {}, {""}, {}};
  log.runs = {run("a", {0, 1, 2}), run("b", {2, 3, 4}), run("back", {3, 2, 1}),
              run("far", {20, 21})};
  std::vector<std::string> notes;
  continue_runs(log, notes);
  EXPECT_THAT(log.runs, SizeIs(4));
  EXPECT_THAT(notes, IsEmpty());
}

TEST(ArrangeAs, PutsJointsAndInputsInTheOrderOfTheirNames) {
  Log log;
  log.channels = {{"b", "a"}, {JointType::plain, JointType::periodic}, {"m", "rad"}, {"v", "u"}};
  log.runs = {run("", {0, 1})};
  log.runs[0].q = {10, 20, 11, 21};
  log.runs[0].u = {1, 2, 3, 4};
  arrange_as({{"a", "b"}, {}, {}, {"u", "v"}}, log);
  EXPECT_THAT(log.channels.joints, ElementsAre("a", "b"));
  EXPECT_THAT(log.channels.units, ElementsAre("rad", "m"));
  EXPECT_THAT(log.channels.joint_types, ElementsAre(JointType::periodic, JointType::plain));
  EXPECT_THAT(log.runs[0].q, ElementsAre(20, 10, 21, 11));
  EXPECT_THAT(log.runs[0].u, ElementsAre(2, 1, 4, 3));
  const Log before = log;
  arrange_as({{"a", "c"}, {}, {}, {"u"}}, log);  // other names
  EXPECT_EQ(log.runs[0].q, before.runs[0].q);
}

}  // namespace
}  // namespace mechfit
