#pragma once

#include <functional>
#include <string>

#include "mechfit/evaluate/acceleration_error.h"
#include "mechfit/evaluate/model_checks.h"
#include "mechfit/evaluate/rollout_error.h"
#include "mechfit/smooth/smoother.h"

namespace mechfit {

struct EvaluateOptions {
  RolloutErrorOptions rollout;
  SmoothMethod smoother = SmoothMethod::white_jerk;  // where the log has no velocities
};

// What can be said about a model, given a log it was not fitted to.
struct Scores {
  int runs = 0, samples = 0;
  double seconds = 0;                 // of motion
  bool logged_velocities = false;     // starts of rollouts: as logged, or smoothed
  bool logged_accelerations = false;  // what accelerations are compared with, likewise

  AccelerationError acceleration, acceleration_zero, acceleration_mean;
  RolloutScores rollout;
  NextStateScore next_state;
  DelScore del;
  MassRange mass;  // over the samples
};

// The log's qd and qdd are used where all runs have them, else smoothed ones. InputError when the
// log is of another machine, or too short to be smoothed.
Scores evaluate(const Model& model, const Log& observed, const EvaluateOptions& options,
                ThreadPool& pool);

// One JSON object with every figure: acceleration_mse, rollout ... Numbers that are not finite are
// null.
std::string scores_json(const Scores& scores);

}  // namespace mechfit
