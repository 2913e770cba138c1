#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/scratch_folder.h"
#include "tests/support/studies.h"

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
  const ScratchFolder folder("study");
  EXPECT_EQ(run_study(small(folder.file("one")), 1).finished, 6);
  EXPECT_EQ(run_study(small(folder.file("three")), 3).finished, 6);
  EXPECT_EQ(results(folder.file("one")), results(folder.file("three")));
  for (const CellRecord& record : read_records(folder.file("one"))) {
    ASSERT_TRUE(record.result);
    EXPECT_TRUE(std::isfinite(record.result->test_error)) << cell_text(record.cell);
    EXPECT_TRUE(std::isfinite(record.result->validation_error));
    EXPECT_GE(record.result->selected_epoch, 1);
    EXPECT_LE(record.result->selected_epoch, 3);
  }
}

}  // namespace
}  // namespace mechfit
