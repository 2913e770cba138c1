#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace mechfit {
namespace {

using ::testing::HasSubstr;

std::string example_log() {
  std::string text = "run,t,th_deg,u1\n";
  for (int run = 0; run < 2; ++run)
    for (int k = 0; k < 200; ++k)
      text += "r" + std::to_string(run) + "," + std::to_string(0.01 * k) + "," +
              std::to_string(57.0 * std::sin(0.06 * k + run)) + "," + std::to_string(k % 7) + "\n";
  return text;
}

TEST(InspectCommand, PrintsJsonForMachines) {
  const ScratchFolder scratch("inspect");
  const std::string log = scratch.file("log.csv");
  write_file_atomically(log, example_log());
  const auto finished = run_mechfit("inspect --json '" + log + "'");
  EXPECT_EQ(finished.code, 0);
  EXPECT_EQ(finished.err, "");
  const auto json = nlohmann::json::parse(finished.out);
  EXPECT_EQ(json["samples"], 400);
  EXPECT_EQ(json["runs"].size(), 2u);
  EXPECT_EQ(json["runs"][1]["name"], "r1");
  EXPECT_EQ(json["joints"][0]["name"], "th");
  EXPECT_EQ(json["joints"][0]["unit"], "rad");
  EXPECT_NEAR(json["joints"][0]["highest"].get<double>(), 0.9948, 1e-3);
  EXPECT_NEAR(json["joints"][0]["frequency"].get<double>(), 6.0 / 6.283, 0.2);
  EXPECT_EQ(json["inputs"][0]["highest"], 6.0);
  EXPECT_TRUE(json["warnings"].empty());
  EXPECT_EQ(json["notes"].size(), 3u);
}

TEST(InspectCommand, PrintsTablesAndWarningsForPeople) {
  const ScratchFolder scratch("inspect");
  const std::string log = scratch.file("log.csv");
  write_file_atomically(log, "t,q1\n0,1\n1,1\n2,1\n");
  const auto finished = run_mechfit("inspect --q q1 '" + scratch.file("*.csv") + "'");
  EXPECT_EQ(finished.code, 0);
  EXPECT_THAT(finished.out, HasSubstr("1 run, 3 samples, 2 s, step 1 s"));
  EXPECT_THAT(finished.out, HasSubstr("warning: q1: never moves\n"));
  EXPECT_THAT(finished.err, HasSubstr("note: columns: time t; joints q1\n"));
}

TEST(InspectCommand, TellsHowManyRowsWereDropped) {
  const ScratchFolder scratch("inspect");
  const std::string log = scratch.file("log.csv");
  write_file_atomically(log, "t,q1\n0,1\n1,2\n2,bad\n3,1\n");
  const auto finished = run_mechfit("inspect --drop-bad-rows '" + log + "'");
  EXPECT_EQ(finished.code, 0);
  EXPECT_THAT(finished.err,
              HasSubstr("dropped 1 of 4 rows: 1 with text in a number (first on line 4)"));
}

}  // namespace
}  // namespace mechfit
