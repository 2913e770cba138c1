#include <gtest/gtest.h>

#include <barrier>
#include <cmath>
#include <thread>

#include "mechfit/estimate/kalman/smoother.h"
#include "mechfit/evaluate/acceleration_error.h"
#include "mechfit/fit/data_scales.h"
#include "mechfit/fit/joint/joint.h"
#include "mechfit/fit/joint/joint_runs.h"
#include "mechfit/fit/smoothed/samples.h"
#include "mechfit/log/split.h"
#include "mechfit/mechanics/families/smm/smm.h"
#include "mechfit/mechanics/families/trig/trig.h"
#include "tests/support/machines.h"
#include "tests/support/pendulum_data.h"

namespace mechfit {
namespace {

Model trig_for(const Log& train, ThreadPool& pool) {
  TrigConfig config;
  config.joints = train.channels.joint_types;
  config.friction = true;
  config.scales =
      data_scales(magnitudes(make_samples(smooth(train, {}, pool).log)), config.joints, {}, false);
  return Model(Trig(config));
}

Model network_for(const Log& train, ThreadPool& pool) {
  SmmConfig config;
  config.joints = train.channels.joint_types;
  config.hidden = {6, 6};
  config.activations.assign(2, Activation::tanh);
  config.scales =
      data_scales(magnitudes(make_samples(smooth(train, {}, pool).log)), config.joints, {}, false);
  Smm smm(config);
  Random random(7);
  smm.initialise(random);
  return Model(std::move(smm));
}

// Runs of a double pendulum, 0.05 s apart.
Log runs_of(int runs, int samples, std::uint64_t seed) {
  ThreadPool pool(1);
  return testing::record(testing::kPoints, {0.05, 0.05, 0.05 * (samples - 1), runs}, seed, pool)
      .observed;
}

// One run, long and smooth.
Log long_log(int samples) {
  Log log;
  log.channels = {{"q1", "q2"}, {JointType::periodic, JointType::periodic}, {"", ""}, {}};
  Trajectory run;
  for (int k = 0; k < samples; ++k) {
    run.t.push_back(0.05 * k);
    run.q.push_back(0.3 * std::sin(0.15 * k));
    run.q.push_back(0.2 * std::cos(0.11 * k));
  }
  log.runs = {run};
  return log;
}

TEST(JointRuns, ALongRunIsEstimatedInPiecesThatMakeItUpAgain) {
  ThreadPool pool(2);
  const Log log = long_log(5000);
  const Model model(testing::system_of(testing::kPoints));
  JointRuns runs(model, log, log, pool);
  ASSERT_EQ(runs.size(), 3);
  EXPECT_EQ(runs.observation_count(), 10000);
  const MotionNoise noise{{0.05, 0.05}, {1, 1}};
  runs.solve(model, noise, {});
  std::vector<double> expected;
  int begin = 0;
  for (int k = 0; k < runs.size(); ++k) {
    EXPECT_EQ(runs.run_of(k), 0);
    const Trajectory piece = slice(log.runs[0], 2, 0, begin, begin + runs[k].samples());
    MotionRun run(model, piece, piece.q);
    run.solve(model, noise, {});
    expected.insert(expected.end(), run.q.begin(), run.q.end());
    begin += runs[k].samples();
  }
  EXPECT_EQ(runs.with_motions(log).runs[0].q, expected);
  EXPECT_NE(expected, log.runs[0].q);
}

TEST(JointRuns, APieceBeginsWithAnObservedSampleAndHasEnoughOfThem) {
  ThreadPool pool(1);
  Log log = long_log(9000);
  std::vector<double>& q = log.runs[0].q;
  std::fill(q.begin() + 2 * 2990, q.begin() + 2 * 3100, NAN);
  std::fill(q.begin() + 2 * 4300, q.end() - 4, NAN);  // too few behind to be a piece
  const Model model(testing::system_of(testing::kPoints));
  JointRuns runs(model, log, log, pool);
  ASSERT_EQ(runs.size(), 2);
  EXPECT_EQ(runs[0].samples(), 3100);
  EXPECT_FALSE(std::isnan(runs[1].y[0]));
}

TEST(JointRuns, AShareOfALongLogIsSpreadOverIt) {
  ThreadPool pool(1);
  const Log log = runs_of(20, 100, 3);
  const Model model(testing::system_of(testing::kPoints));
  JointRuns runs(model, log, log, pool);
  EXPECT_FALSE(runs.take_share(1500));  // saves little
  EXPECT_EQ(runs.observation_count(), 4000);
  ASSERT_TRUE(runs.take_share(500));
  EXPECT_EQ(runs.observation_count(), 1000);
  std::vector<int> visited;
  runs.each([&](MotionRun&, int k) { visited.push_back(k); });
  EXPECT_EQ(visited, (std::vector<int>{0, 4, 8, 12, 16}));
  runs.take_all();
  EXPECT_EQ(runs.observation_count(), 4000);
}

// Processes of a team as threads.
class ThreadTeam {
 public:
  explicit ThreadTeam(int size) : size_(size), barrier_(size), parts_(size) {}

  class Member : public Team {
   public:
    Member(ThreadTeam& team, int rank) : team_(team), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return team_.size_; }
    void exchange(std::span<double> values, std::span<const long> begins) override {
      team_.parts_[rank_] = values;
      team_.barrier_.arrive_and_wait();
      for (int r = 0; r < team_.size_; ++r)
        if (r != rank_)
          std::copy(team_.parts_[r].begin() + begins[r], team_.parts_[r].begin() + begins[r + 1],
                    values.begin() + begins[r]);
      team_.barrier_.arrive_and_wait();
    }

   private:
    ThreadTeam& team_;
    int rank_;
  };

 private:
  int size_;
  std::barrier<> barrier_;
  std::vector<std::span<double>> parts_;
};

struct Outcome {
  std::vector<double> theta, motion;
  double score = 0;

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome outcome_of(const JointResult& result) {
  const auto theta = result.model.parameters();
  return {{theta.begin(), theta.end()}, result.train.runs.back().q, result.validation_score};
}

std::vector<Outcome> fit_by(int processes, const Model& start, const JointData& data,
                            int iterations) {
  ThreadTeam team(processes);
  std::vector<Outcome> outcomes(processes);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < processes; ++rank)
    threads.emplace_back([&, rank] {
      ThreadPool pool(1);
      ThreadTeam::Member member(team, rank);
      JointHooks hooks;
      hooks.team = &member;
      JointOptions options;
      options.iterations = iterations;
      outcomes[rank] = outcome_of(fit_joint(start, data, options, pool, hooks));
    });
  for (auto& thread : threads) thread.join();
  return outcomes;
}

TEST(Team, GivesTheSameBitsWhateverItsSize) {
  ThreadPool pool(1);
  const JointData data = joint_data(runs_of(9, 60, 4), runs_of(3, 60, 5), pool);
  for (const auto& [model, iterations] :
       {std::pair{trig_for(*data.train, pool), 12}, {network_for(*data.train, pool), 60}}) {
    JointOptions options;
    options.iterations = iterations;
    const Outcome alone = outcome_of(fit_joint(model, data, options, pool));
    for (const int processes : {1, 2, 4})
      for (const Outcome& outcome : fit_by(processes, model, data, iterations))
        EXPECT_EQ(outcome, alone) << processes;
  }
}

// A log long enough for its fit to begin with a share of it.
TEST(JointFit, OfALongLogIsAsGoodAsItsNumbersAllow) {
  ThreadPool pool(2);
  const JointData data = joint_data(runs_of(120, 100, 6), runs_of(8, 100, 7), pool);
  const Model start = trig_for(*data.train, pool);
  const JointResult result = fit_joint(start, data, {}, pool);
  ASSERT_EQ(result.status, FitStatus::finished);
  const double all = acceleration_mse(result.model, testing::pendulum_data(0, 0, 8).test, pool);
  JointData part = data;
  Log few = *data.train;
  few.runs.resize(12);
  part = joint_data(few, *data.validation, pool);
  const JointResult small = fit_joint(start, part, {}, pool);
  EXPECT_LT(all, 0.5 * acceleration_mse(small.model, testing::pendulum_data(0, 0, 8).test, pool));
  ThreadPool one(1);
  EXPECT_EQ(outcome_of(fit_joint(start, data, {}, one)), outcome_of(result));
}

}  // namespace
}  // namespace mechfit
