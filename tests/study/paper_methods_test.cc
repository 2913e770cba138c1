#include <gtest/gtest.h>

#include <cmath>

#include "tests/study/studies.h"

namespace mechfit {
namespace {

StudyOptions small(const std::string& folder) {
  StudyOptions o;
  o.name = "paper";
  o.grid.noises = {0.1};
  o.grid.methods = {"del", "acceleration", "next-state"};
  o.grid.rates = {1e-2};
  o.grid.seeds = 1;
  o.settings.epochs = 3;
  o.methods = paper_methods();
  o.folder = folder;
  return o;
}

TEST(PaperMethods, LearnSomethingAndDoNotDependOnTheNumberOfJobs) {
  const TemporaryFolder folder;
  EXPECT_EQ(run_study(small(folder / "one"), 1).finished, 6);
  EXPECT_EQ(run_study(small(folder / "three"), 3).finished, 6);
  EXPECT_EQ(results(folder / "one"), results(folder / "three"));
  for (const CellRecord& record : read_records(folder / "one")) {
    ASSERT_TRUE(record.result);
    EXPECT_TRUE(std::isfinite(record.result->test_error)) << cell_text(record.cell);
    EXPECT_TRUE(std::isfinite(record.result->validation_error));
    EXPECT_GE(record.result->selected_epoch, 1);
    EXPECT_LE(record.result->selected_epoch, 3);
  }
}

}  // namespace
}  // namespace mechfit
