#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mechfit/base/error.h"
#include "mechfit/files/csv.h"
#include "mechfit/files/read_log.h"

namespace mechfit {
namespace {

TEST(Contents, OfACsvFileAreItsColumnsWithFirstValues) {
  EXPECT_EQ(csv_contents("# a comment\n\nstamp;\"angle one\";x\n0.5;1;\n", ""),
            "  stamp: first 0.5\n  angle one: first 1\n  x: first \n");
  EXPECT_EQ(csv_contents("1,2\n", ""), "  column 1: first 1\n  column 2: first 2\n");
  EXPECT_EQ(csv_contents("# t a\n1 2\n", ""), "  t: first 1\n  a: first 2\n");
  EXPECT_EQ(csv_contents("a,b", ""), "  a\n  b\n");
  EXPECT_EQ(csv_contents("", ""), "");
}

TEST(Contents, OfAMatFileAreItsVariables) {
  const std::string file = std::string(MECHFIT_TEST_DATA) + "/mat/structure.mat";
  EXPECT_EQ(log_contents({file}),
            file +
                "\n  joints: 2 text\n  log.names: 2 text\n  log.q: 12 x 2 numbers\n"
                "  log.time_ms: 12 numbers\n  log.torque: 12 numbers\n  note: 1 text\n");
}

TEST(Contents, AreWorthListingWhereAFileDoesNotSayWhatIsWanted) {
  EXPECT_THROW(read_log({std::string(MECHFIT_TEST_DATA) + "/mat/columns.mat"}), UnclearLog);
  std::vector<std::string> notes;
  EXPECT_THROW(parse_csv("a,b\n1,2\n", "log.csv", {}, notes), UnclearLog);
  EXPECT_THROW(parse_csv("t,b\n1,2\n", "log.csv", {}, notes), UnclearLog);
  EXPECT_THROW(parse_csv("1,2\n", "log.csv", {}, notes), UnclearLog);
}

}  // namespace
}  // namespace mechfit
