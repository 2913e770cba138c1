#include "mechfit/report/study_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "mechfit/report/page.h"
#include "mechfit/study/summary.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/studies.h"

namespace mechfit {
namespace {

TEST(StudyReport, HoldsBarsPairsFailuresAndTrajectories) {
  const ScratchFolder folder("study");
  run_study(FakeStudy().options(folder.file("s")), 1);
  const nlohmann::json document = study_document(folder.file("s"));
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

// Lines of a CSV file without its header, split at commas.
std::vector<std::vector<std::string>> csv_rows(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  std::string line, field;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    rows.emplace_back();
    std::istringstream fields(line);
    while (std::getline(fields, field, ',')) rows.back().push_back(field);
  }
  return rows;
}

TEST(StudyReport, ValuesAreThoseOfTheCsvFilesToTheLastBit) {
  const ScratchFolder folder("study");
  const FakeStudy fake;
  run_study(fake.options(folder.file("s")), 1);
  const nlohmann::json document = study_document(folder.file("s"));
  const auto records = read_records(folder.file("s"));
  const StudySummary summary = summarise(records, {"quick", "fragile"}, false);

  const auto bars = csv_rows(summary_csv(summary));
  ASSERT_EQ(bars.size(), document["bars"].size());
  for (std::size_t k = 0; k < bars.size(); ++k) {
    const nlohmann::json& shown = document["bars"][k];
    EXPECT_EQ(shown["method"], bars[k][2]);
    EXPECT_EQ(shown["mean"].get<double>(), std::stod(bars[k][4]));
    EXPECT_EQ(shown["error"].get<double>(), std::stod(bars[k][5]));
    EXPECT_EQ(std::to_string(shown["failed"].get<int>()), bars[k][8]);
  }
  const auto pairs = csv_rows(paired_csv(summary));
  std::size_t known = 0;
  for (const auto& pair : pairs) {
    if (pair[7] == "0") continue;
    EXPECT_EQ(document["paired"][known]["difference"].get<double>(), std::stod(pair[5]));
    ++known;
  }
  EXPECT_EQ(known, document["paired"].size());
  // Every number of the summary stands in the page as it is, for programs to read.
  const std::string page = render_page(document);
  for (const auto& bar : bars) EXPECT_NE(page.find("value=\"" + bar[4] + "\""), std::string::npos);
}

}  // namespace
}  // namespace mechfit
