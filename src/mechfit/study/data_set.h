#pragma once

#include <string>
#include <vector>

#include "mechfit/base/thread_pool.h"
#include "mechfit/log/log.h"

namespace mechfit {

// The data of one system at one level of noise. Runs of the four logs correspond.
struct DataSet {
  std::string system;
  std::string equations;  // the built-in system that has the true ones
  double noise = 0;
  Log observed;  // noisy positions
  Log smoothed;  // what the paper's smoother makes of them: q, qd, qdd
  Log exact;     // positions without noise, at the same times (read from files: q alone)
  Log truth;     // q, qd, qdd without noise at the midpoints of the steps: for the test error
  std::string fingerprint;  // of observed and truth
};

// Numbers of runs.
struct SeedSplit {
  std::vector<int> train, validation, test;
};

struct StudyData {
  std::vector<DataSet> sets;
  std::vector<SeedSplit> splits;  // by seed

  const DataSet& find(const std::string& system, double noise) const;
};

enum class Pendulum {
  points,  // point masses and absolute angles: the published figures
  rods     // uniform rods and a relative second angle: the paper's appendix
};
template <>
inline constexpr auto kNames<Pendulum> = names<Pendulum>({{Pendulum::points, "points"},
                                                          {Pendulum::rods, "rods"}});

struct StudyDataRequest {
  std::vector<std::string> systems;
  std::vector<double> noises;
  int seeds = 0;
};

// Simulated by the paper's protocol (integrate/simulate.h): runs of all systems start alike, runs
// of all levels of noise are the same motions. Each seed's permutation of the 16 runs is cut into 8
// to train, 4 to test and 4 to validate.
StudyData simulate_study_data(const StudyDataRequest& request, Pendulum pendulum, ThreadPool& pool);

// The same from files: SYSTEM_observed.csv with trajectory, t, q1, q2 and y1_NOISE, y2_NOISE for
// each level of noise, SYSTEM_midpoint_truth.csv with trajectory, t, q1, q2, qd1, qd2, qdd1, qdd2,
// and splits.json, a list of {"seed", "train", "validation", "test"}.
StudyData read_study_data(const StudyDataRequest& request, const std::string& folder,
                          ThreadPool& pool);

// Some runs of a log.
Log pick_runs(const Log& log, const std::vector<int>& runs);

}  // namespace mechfit
