#include "mechfit/report/study_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "mechfit/report/page.h"
#include "tests/study/studies.h"

namespace mechfit {
namespace {

TEST(StudyReport, HoldsBarsPairsFailuresAndTrajectories) {
  const TemporaryFolder folder;
  run_study(FakeStudy().options(folder / "s"), 1);
  const nlohmann::json document = study_document(folder / "s");
  EXPECT_EQ(document["counts"]["planned"], 18);
  EXPECT_EQ(document["counts"]["finished"], 16);
  EXPECT_EQ(document["failures"].size(), 2u);
  EXPECT_EQ(document["failures"][0]["reason"], "out of luck");
  EXPECT_EQ(document["seeds"], nlohmann::json({0, 1, 2}));
  EXPECT_EQ(document["trajectories"].size(), 2u);
  ASSERT_EQ(document["bars"].size(), 6u);
  const nlohmann::json& fragile = document["bars"][0];
  EXPECT_EQ(fragile["method"], "fragile");
  EXPECT_FALSE(fragile.contains("rate"));
  EXPECT_EQ(fragile["failed"], 1);
  EXPECT_EQ(fragile["mean"], 10.0);
  EXPECT_EQ(fragile["values"], nlohmann::json({0.0, nullptr, 20.0}));
  EXPECT_EQ(document["bars"][1]["rate"], "1e-3");
  EXPECT_NE(render_page(document).find("out of luck"), std::string::npos);
}

}  // namespace
}  // namespace mechfit
