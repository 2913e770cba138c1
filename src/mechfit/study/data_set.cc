#include "mechfit/study/data_set.h"

#include <algorithm>
#include <numeric>

#include "mechfit/base/error.h"
#include "mechfit/base/random.h"
#include "mechfit/estimate/kalman/smoother.h"
#include "mechfit/integrate/simulate.h"
#include "mechfit/log/fingerprint.h"
#include "mechfit/study/cell.h"
#include "mechfit/study/data_files.h"

namespace mechfit {
namespace {

constexpr int kTrain = 8, kTest = 4;  // the others validate
// Seed of starts and observation noise. Any would do; results are comparable while it stays.
constexpr std::uint64_t kDataSeed = 20;

DataSet simulate_set(const std::string& system, double noise, Pendulum pendulum, ThreadPool& pool) {
  PaperProtocol paper = paper_protocol(pendulum == Pendulum::rods, system == "damped");
  paper.options.noise = {noise, noise};
  paper.options.seed = kDataSeed;
  Channels channels = system_channels(paper.system);
  // The paper's networks see the angles themselves, not their sines.
  std::fill(channels.joint_types.begin(), channels.joint_types.end(), JointType::plain);
  Simulation made = simulate(Model(paper.system), channels, paper.options, pool);
  return {system,
          paper.system.name(),
          noise,
          std::move(made.observed),
          {},
          std::move(made.truth),
          std::move(made.midpoints),
          ""};
}

SeedSplit make_split(int seed, int count) {
  std::vector<int> runs(count);
  std::iota(runs.begin(), runs.end(), 0);
  Random random(static_cast<std::uint64_t>(seed), 0x5b117);
  random.shuffle(runs);
  const auto test = runs.begin() + kTrain, validation = test + kTest;
  return {{runs.begin(), test}, {validation, runs.end()}, {test, validation}};
}

DataSet finish(DataSet set, ThreadPool& pool) {
  SmoothOptions smoothing;
  smoothing.method = SmoothMethod::paper;
  set.smoothed = smooth(set.observed, smoothing, pool).log;
  Log motion = set.truth;  // all three of q, qd, qdd count
  for (Trajectory& run : motion.runs) {
    run.q.insert(run.q.end(), run.qd.begin(), run.qd.end());
    run.q.insert(run.q.end(), run.qdd.begin(), run.qdd.end());
  }
  set.fingerprint = fingerprint(set.observed) + fingerprint(motion);
  return set;
}

}  // namespace

const DataSet& StudyData::find(const std::string& system, double noise) const {
  for (const DataSet& set : sets)
    if (set.system == system && set.noise == noise) return set;
  MECHFIT_CHECK(false, system + " " + noise_text(noise));
}

StudyData simulate_study_data(const StudyDataRequest& request, Pendulum pendulum,
                              ThreadPool& pool) {
  StudyData data;
  for (const std::string& system : request.systems)
    for (const double noise : request.noises)
      data.sets.push_back(finish(simulate_set(system, noise, pendulum, pool), pool));
  const int runs = static_cast<int>(data.sets.at(0).observed.runs.size());
  for (int seed = 0; seed < request.seeds; ++seed) data.splits.push_back(make_split(seed, runs));
  return data;
}

StudyData read_study_data(const StudyDataRequest& request, const std::string& folder,
                          ThreadPool& pool) {
  StudyData data;
  int runs = 0;
  for (const std::string& system : request.systems)
    for (const double noise : request.noises) {
      data.sets.push_back(finish(read_data_set(folder, system, noise), pool));
      const int found = static_cast<int>(data.sets.back().observed.runs.size());
      runs = runs == 0 ? found : std::min(runs, found);
    }
  data.splits = read_splits(folder, request.seeds, runs);
  return data;
}

Log pick_runs(const Log& log, const std::vector<int>& runs) {
  Log picked;
  picked.channels = log.channels;
  for (const int run : runs) {
    MECHFIT_CHECK(run >= 0 && run < static_cast<int>(log.runs.size()));
    picked.runs.push_back(log.runs[run]);
  }
  return picked;
}

}  // namespace mechfit
