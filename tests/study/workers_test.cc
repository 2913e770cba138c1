#include "mechfit/study/workers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mechfit/base/error.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/studies.h"

namespace mechfit {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Study, HandsOutTheMostExpensiveCellsFirst) {
  const ScratchFolder folder("study");
  const Study study(FakeStudy().options(folder.file("s")));
  const std::vector<int> open = study.prepare();
  ASSERT_EQ(open.size(), 2 * (2 * 3 + 3));
  for (std::size_t i = 1; i < open.size(); ++i)
    EXPECT_GE(study.cost(open[i - 1]), study.cost(open[i]));
  EXPECT_EQ(study.cells()[open.front()].method, "fragile");
  EXPECT_EQ(study.cells()[open.front()].system, "damped");
}

TEST(Study, AFailingCellIsReportedAndDoesNotStopTheOthers) {
  const ScratchFolder folder("study");
  const FakeStudy fake;
  const StudyProgress progress = run_study(fake.options(folder.file("s")), 2);
  EXPECT_EQ(progress.failed, 2);
  EXPECT_EQ(progress.finished, 16);
  EXPECT_DOUBLE_EQ(progress.fraction, 1.0);
  int failures = 0;
  for (const CellRecord& record : read_records(folder.file("s")))
    if (!record.result) {
      ++failures;
      EXPECT_EQ(record.failure, "out of luck");
      EXPECT_EQ(record.cell.method, "fragile");
      EXPECT_EQ(record.cell.seed, 1);
    }
  EXPECT_EQ(failures, 2);
}

TEST(Study, ASecondRunSkipsWhatIsFinishedAndTriesFailuresAgain) {
  const ScratchFolder folder("study");
  const FakeStudy fake;
  run_study(fake.options(folder.file("s")), 1);
  const auto before = results(folder.file("s"));
  *fake.calls = 0;
  *fake.broken = false;
  const StudyProgress progress = run_study(fake.options(folder.file("s")), 1);
  EXPECT_EQ(*fake.calls, 2);
  EXPECT_EQ(progress.finished, 2);
  const auto after = results(folder.file("s"));
  EXPECT_EQ(after.size(), before.size());
  for (const auto& [name, bytes] : after) {
    EXPECT_FALSE(name.ends_with(".failed"));
    if (before.contains(name)) {
      EXPECT_EQ(bytes, before.at(name));
    }
  }
}

TEST(Study, ALargerGridAddsToTheFolder) {
  const ScratchFolder folder("study");
  const FakeStudy fake;
  *fake.broken = false;
  StudyOptions small = fake.options(folder.file("s"));
  small.grid.seeds = 1;
  run_study(small, 1);
  *fake.calls = 0;
  run_study(fake.options(folder.file("s")), 1);
  EXPECT_EQ(*fake.calls, 18 - 6);
  run_study(fake.options(folder.file("whole")), 1);
  EXPECT_EQ(results(folder.file("s")), results(folder.file("whole")));
}

TEST(Study, ResultsDoNotDependOnTheNumberOfJobs) {
  const ScratchFolder folder("study");
  FakeStudy fake;
  run_study(fake.options(folder.file("one")), 1);
  run_study(fake.options(folder.file("five")), 5);
  EXPECT_EQ(results(folder.file("one")).size(), 18u);
  EXPECT_EQ(results(folder.file("one")), results(folder.file("five")));
}

TEST(Study, RefusesResultsOfOtherSettings) {
  const ScratchFolder folder("study");
  const FakeStudy fake;
  run_study(fake.options(folder.file("s")), 1);
  StudyOptions other = fake.options(folder.file("s"));
  other.settings.epochs = 3;
  EXPECT_THAT([&] { run_study(other, 1); },
              ThrowsMessage<InputError>(HasSubstr("holds a study with epochs 500, expected 3")));
  other = fake.options(folder.file("s"));
  other.pendulum = Pendulum::rods;
  EXPECT_THAT([&] { run_study(other, 1); }, ThrowsMessage<InputError>(HasSubstr("pendulum")));
}

TEST(Study, RefusesAResultOfOtherData) {
  const ScratchFolder folder("study");
  const FakeStudy fake;
  run_study(fake.options(folder.file("s")), 1);
  const std::string path = folder.file("s/cells/undamped_0.1_quick_1e-3_0.json");
  std::string bytes = read_file(path);
  const auto digits = bytes.find("\"data\": \"") + 9;
  bytes[digits] = bytes[digits] == '0' ? '1' : '0';
  write_file_atomically(path, bytes);
  EXPECT_THAT([&] { run_study(fake.options(folder.file("s")), 1); },
              ThrowsMessage<InputError>(AllOf(HasSubstr(path), HasSubstr("data is"))));
}

TEST(Study, RefusesAFolderThatIsNoStudy) {
  const ScratchFolder folder("study");
  make_folders(folder.file("s"));
  write_file_atomically(folder.file("s/thesis.txt"), "precious");
  EXPECT_THAT([&] { run_study(FakeStudy().options(folder.file("s")), 1); },
              ThrowsMessage<InputError>(HasSubstr("is not the folder of a study")));
}

TEST(Workers, AQueueThatFailsEndsTheWork) {
  const ScratchFolder folder("study");
  const Study study(FakeStudy().options(folder.file("s")));
  EXPECT_THROW(run_workers(study, 3,
                           [&](const Delivery& delivery) -> int {
                             if (delivery.cell >= 0) throw InputError("disk full");
                             return 0;
                           }),
               InputError);
}

}  // namespace
}  // namespace mechfit
