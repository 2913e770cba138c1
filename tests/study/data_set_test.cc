#include "mechfit/study/data_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

#include "mechfit/base/error.h"
#include "mechfit/files/csv.h"
#include "mechfit/files/number.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "mechfit/mechanics/point.h"
#include "mechfit/study/cell.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/shared_data.h"
#include "tests/support/studies.h"

namespace mechfit {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

StudyData simulated(std::vector<double> noises, int seeds = 2,
                    Pendulum pendulum = Pendulum::points) {
  ThreadPool pool(1);
  return simulate_study_data({{"undamped", "damped"}, noises, seeds}, pendulum, pool);
}

void write_files(const StudyData& data, const std::string& folder) {
  make_folders(folder);
  for (const std::string system : {"undamped", "damped"}) {
    const DataSet& set = data.find(system, 0.1);
    std::string observed = "trajectory,t,q1,q2,y1_0.1,y2_0.1\n";
    for (std::size_t r = 0; r < set.exact.runs.size(); ++r)
      for (int k = 0; k < set.exact.runs[r].size(); ++k) {
        observed += std::to_string(r);
        const auto &exact = set.exact.runs[r], &noisy = set.observed.runs[r];
        for (const double x :
             {exact.t[k], exact.q[2 * k], exact.q[2 * k + 1], noisy.q[2 * k], noisy.q[2 * k + 1]}) {
          observed += ',';
          append_number(observed, x);
        }
        observed += '\n';
      }
    write_file_atomically(folder + "/" + system + "_observed.csv", observed);
    write_file_atomically(folder + "/" + system + "_midpoint_truth.csv", format_csv(set.truth));
  }
}

void write_splits(const std::string& folder, const std::string& text) {
  write_file_atomically(folder + "/splits.json", text);
}

class Protocol : public ::testing::TestWithParam<Pendulum> {};
INSTANTIATE_TEST_SUITE_P(StudyData, Protocol, ::testing::Values(Pendulum::points, Pendulum::rods));

TEST_P(Protocol, IsThePapers) {
  const StudyData data = simulated({0.1}, 2, GetParam());
  EXPECT_EQ(data.sets[0].exact.runs[0].q[0], data.sets[1].exact.runs[0].q[0]);
  for (const DataSet& set : data.sets) {
    ASSERT_EQ(set.observed.runs.size(), 16u);
    EXPECT_EQ(make_system(set.equations).joints(), 2);
    double square = 0;
    int count = 0;
    for (int r = 0; r < 16; ++r) {
      const Trajectory &exact = set.exact.runs[r], &noisy = set.observed.runs[r],
                       &truth = set.truth.runs[r];
      ASSERT_EQ(exact.size(), 202);
      ASSERT_EQ(truth.size(), 201);
      EXPECT_EQ(set.smoothed.runs[r].size(), 202);
      EXPECT_NEAR(exact.t[201], 201 * 0.05, 1e-12);
      for (int i = 0; i < 2; ++i) {
        EXPECT_LE(std::fabs(exact.q[i]), std::numbers::pi / 2);
        EXPECT_NEAR(exact.q[i], exact.q[2 + i], 0.05);  // at rest
      }
      for (int i = 0; GetParam() == Pendulum::points && i < 2 * 201; ++i) {
        EXPECT_NEAR(truth.q[i], (exact.q[i] + exact.q[i + 2]) / 2, 1e-12);
        EXPECT_NEAR(truth.qd[i], (exact.q[i + 2] - exact.q[i]) / 0.05, 1e-10);
      }
      for (int i = 0; i < 2 * 202; ++i, ++count) square += std::pow(noisy.q[i] - exact.q[i], 2);
    }
    EXPECT_NEAR(std::sqrt(square / count), 0.1, 0.1 * 4 / std::sqrt(2.0 * count));
  }
}

// The data behind the published figures, when it is at hand: same protocol, same numbers.
TEST(StudyData, ReadsThePublishedData) {
  const std::string folder = testing::shared_data("paper");
  if (folder.empty()) GTEST_SKIP() << "the data of the published figures is not here";
  ThreadPool pool(1);
  const StudyData data = read_study_data({{"undamped", "damped"}, {0.05, 0.4}, 100}, folder, pool);
  EXPECT_EQ(data.splits.size(), 100u);
  for (const DataSet& set : data.sets) {
    EXPECT_EQ(set.observed.runs.size(), 16u);
    EXPECT_EQ(set.observed.runs[15].size(), 202);
    EXPECT_EQ(set.truth.runs[15].size(), 201);
  }
}

TEST(StudyData, DampedRunsLoseEnergyAndUndampedDoNot) {
  const StudyData data = simulated({0.1});
  const Model model{make_system("double-pendulum-points")};
  PointDynamics dynamics(model);
  for (const DataSet& set : data.sets) {
    const Trajectory& run = set.truth.runs[3];
    const auto energy = [&](int k) {
      return dynamics.energy(std::span(run.q).subspan(2 * k, 2),
                             std::span(run.qd).subspan(2 * k, 2));
    };
    const double lost = energy(0) - energy(200), least = -30.0;
    if (set.system == "damped")
      EXPECT_GT(lost, 0.8 * (energy(0) - least));
    else
      EXPECT_LT(std::fabs(lost), 0.1 * (energy(0) - least));
  }
}

TEST(StudyData, ALevelOfNoiseDoesNotDependOnTheOthers) {
  const StudyData one = simulated({0.4}), both = simulated({0.05, 0.4}, 5);
  EXPECT_EQ(one.find("damped", 0.4).fingerprint, both.find("damped", 0.4).fingerprint);
  EXPECT_NE(one.find("damped", 0.4).fingerprint, both.find("damped", 0.05).fingerprint);
  EXPECT_EQ(one.splits[1].train, both.splits[1].train);
}

TEST(StudyData, SplitsPermuteTheRuns) {
  const StudyData data = simulated({0.1}, 20);
  std::set<std::vector<int>> distinct;
  for (const SeedSplit& split : data.splits) {
    EXPECT_EQ(split.train.size(), 8u);
    EXPECT_EQ(split.validation.size(), 4u);
    EXPECT_EQ(split.test.size(), 4u);
    std::set<int> all;
    for (const auto* part : {&split.train, &split.validation, &split.test})
      all.insert(part->begin(), part->end());
    EXPECT_EQ(all.size(), 16u);
    distinct.insert(split.train);
  }
  EXPECT_GT(distinct.size(), 15u);
}

TEST(StudyData, ReadsWhatFilesSay) {
  const ScratchFolder folder("study");
  const StudyData data = simulated({0.1});
  write_files(data, folder.file("data"));
  write_splits(folder.file("data"),
               R"([{"seed":1,"train":[3],"validation":[5],"test":[4]},
                   {"seed":0,"train":[0,1],"validation":[2],"test":[15]}])");
  ThreadPool pool(1);
  const StudyData read =
      read_study_data({{"damped", "undamped"}, {0.1}, 2}, folder.file("data"), pool);
  EXPECT_EQ(read.find("damped", 0.1).fingerprint, data.find("damped", 0.1).fingerprint);
  EXPECT_EQ(read.find("undamped", 0.1).smoothed.runs[7].qdd,
            data.find("undamped", 0.1).smoothed.runs[7].qdd);
  EXPECT_EQ(read.splits[0].train, (std::vector<int>{0, 1}));
  EXPECT_EQ(read.splits[1].test, (std::vector<int>{4}));
}

TEST(StudyData, FilesThatDoNotFitAreNamed) {
  const ScratchFolder folder("study");
  write_files(simulated({0.1}), folder.file("data"));
  ThreadPool pool(1);
  const auto read = [&](double noise, int seeds) {
    return [&pool, &folder, noise, seeds] {
      read_study_data({{"damped"}, {noise}, seeds}, folder.file("data"), pool);
    };
  };
  const std::string good = R"({"seed":0,"train":[0],"validation":[2],"test":[15]})";
  write_splits(folder.file("data"), "[" + good + "]");
  EXPECT_NO_THROW(read(0.1, 1)());
  EXPECT_THAT(read(0.2, 1), ThrowsMessage<InputError>(HasSubstr("y1_0.2")));
  EXPECT_THAT(read(0.1, 2), ThrowsMessage<InputError>(HasSubstr("no split of seed 1")));
  write_splits(folder.file("data"), R"([{"seed":0,"train":[0],"validation":[2],"test":[16]}])");
  EXPECT_THAT(read(0.1, 1),
              ThrowsMessage<InputError>(HasSubstr("'test': found 16, expected 0 to 15")));
  write_splits(folder.file("data"), R"([{"seed":0,"train":[0],"validation":[2],"test":[0]}])");
  EXPECT_THAT(read(0.1, 1), ThrowsMessage<InputError>(HasSubstr("a run is named twice")));
  write_splits(folder.file("data"), "{");
  EXPECT_THAT(read(0.1, 1), ThrowsMessage<InputError>(HasSubstr("splits.json")));
}

}  // namespace
}  // namespace mechfit
