#pragma once

#include <vector>

#include "mechfit/data/trajectory.h"
#include "mechfit/integrate/rollout.h"

// Samples of a log that rollouts start from.
namespace mechfit {

struct Starts {
  std::vector<int> run, sample;  // [B]
  std::vector<int> steps;        // [B] of the log to the horizon, or to the end of the run

  int size() const { return static_cast<int>(run.size()); }
};

// The sample nearest to `seconds` after sample `from`, or -1 when the run ends before.
int sample_near(const Trajectory& run, int from, double seconds);

// Starts with at least one step ahead, `every` seconds apart, or evenly spread over all samples
// when that is 0; at most `most` of them.
Starts choose_starts(const Log& log, double longest_horizon, double every, int most);

// What a batch of rollouts from these starts needs. Starts that end early have their last step
// repeated.
struct StartArrays {
  int trajectories = 0, steps = 0;
  std::vector<double> q0, v0, h, u;

  RolloutRequest request() const;
};
StartArrays start_arrays(const Model& model, const Log& log, const Starts& starts);

}  // namespace mechfit
