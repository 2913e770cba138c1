#pragma once

#include <vector>

#include "mechfit/integrate/rollout.h"
#include "mechfit/log/log.h"

// Samples of a log that rollouts start from, and the states there.
namespace mechfit {

struct Starts {
  std::vector<int> run, sample;  // [B]
  std::vector<int> steps;        // [B] of the log to the horizon, or to the end of the run
  std::vector<double> q, v;      // [B][n] states, once they are known

  int size() const { return static_cast<int>(run.size()); }
};

// The sample nearest to `seconds` after sample `from`, or -1 when the run ends before.
int sample_near(const Trajectory& run, int from, double seconds);

// The first sample of a run whose state can be estimated from `window` samples that end there; from
// the first half of a run that is shorter than two windows. window 0: the first sample. -1 when the
// run is too short.
int first_start(const Trajectory& run, int window);

// Starts with at least one step ahead and a window behind, `every` seconds apart, or evenly spread
// over all samples when that is 0; at most `most` of them.
Starts choose_starts(const Log& log, double longest_horizon, double every, int most,
                     int window = 0);

// The first possible start of every run that has one.
Starts run_starts(const Log& log, int window);

// States as logged; the runs must have qd.
void take_logged_states(const Log& log, Starts& starts);

// What a batch of rollouts from these starts needs. Starts that end early have their last step
// repeated.
struct StartArrays {
  int trajectories = 0, steps = 0, substeps = 1;
  StepControl control;
  std::vector<double> q0, v0, h;
  std::vector<double> u;      // what acts on the steps [B][steps][m], or with
  bool inner_inputs = false;  // on the inner ones  [B][steps][substeps][m]

  RolloutRequest request() const;
};
StartArrays start_arrays(const Model& model, const Log& log, const Starts& starts,
                         const RolloutSteps& cut = {});

}  // namespace mechfit
