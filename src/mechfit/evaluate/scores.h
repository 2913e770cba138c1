#pragma once

#include <functional>
#include <optional>
#include <string>

#include "mechfit/evaluate/acceleration_error.h"
#include "mechfit/evaluate/coverage.h"
#include "mechfit/evaluate/ensemble.h"
#include "mechfit/evaluate/evaluation_data.h"
#include "mechfit/evaluate/model_checks.h"
#include "mechfit/evaluate/model_error.h"
#include "mechfit/evaluate/quality.h"
#include "mechfit/evaluate/rollout_error.h"
#include "mechfit/evaluate/start_states.h"
#include "mechfit/evaluate/torque_error.h"

namespace mechfit {

// The states that rollouts start from.
enum class StartKind {
  estimated,  // by the samples up to the start alone, see start_states.h
  logged,     // as the log has them
};
template <>
inline constexpr auto kNames<StartKind> = names<StartKind>({{StartKind::estimated, "estimated"},
                                                            {StartKind::logged, "logged"}});

struct EvaluateOptions {
  RolloutErrorOptions rollout;
  StartKind start = StartKind::estimated;
  int window = kStartWindow;                         // samples that an estimated start rests on
  SmoothMethod smoother = SmoothMethod::white_jerk;  // where the log has no velocities
  // Outliers, stale ends of runs, held values (cleaning.h) and observations that the model
  // contradicts (contradictions.h) judge it like all others; a log with velocities keeps all
  bool keep_all = false;
};

// What can be said about a model, given a log it was not fitted to.
struct Scores {
  int runs = 0, samples = 0;
  double seconds = 0;                 // of motion
  bool logged_velocities = false;     // of next states and baselines: as logged, or smoothed
  bool logged_accelerations = false;  // what accelerations are compared with, likewise

  AccelerationError acceleration, acceleration_zero, acceleration_mean;
  TorqueError torque;  // of driven joints; of an ensemble that of its model
  // The model's acceleration error as the observations show it. Not made where accelerations are
  // logged, which tell it better, and beyond four joints.
  std::optional<ModelError> model_error;
  StartKind start = StartKind::estimated;
  int window = 0;                // samples that an estimated start rests on
  int starts_without_model = 0;  // see StartEstimate
  RolloutScores rollout;
  NextStateScore next_state;
  DelScore del;
  MassRange mass;  // over the samples

  std::vector<BandCoverage> coverage;  // empty where nothing is known of the model's error

  // What joints count in: root mean squares of the motion that the model was fitted to, or of this
  // log where that is not known  [n]
  struct Units {
    std::vector<double> velocity, acceleration;
  } units;
  double outside = 0;  // share of the samples outside of the region that the model was fitted to
  // How good the model is here; then on further parts of the data, fitted without each of them.
  std::vector<Quality> parts;
  std::vector<std::string> notes;  // samples that were taken out of the log
};

// The log's qd and qdd are used where all runs have them, else smoothed ones. A log whose runs are
// too short for estimated starts falls back to logged ones. InputError when the log is of another
// machine, too short to be smoothed, or has no velocities to start from as asked.
Scores evaluate(const Model& model, const Log& observed, const EvaluateOptions& options,
                ThreadPool& pool);

// The same for an ensemble: accelerations and rollouts are those of the members' mean when these
// were fitted one by one, and the coverage of their bands is measured.
Scores evaluate(const Ensemble& ensemble, const Log& observed, const EvaluateOptions& options,
                ThreadPool& pool);

// The same on a log that is smoothed already; options.smoother is not used.
Scores evaluate(const Ensemble& ensemble, const EvaluationData& data,
                const EvaluateOptions& options, ThreadPool& pool);

// How good a model is, with the least work: for further parts of the data (Scores::parts).
Quality evaluate_part(const Ensemble& ensemble, const EvaluationData& data,
                      const EvaluateOptions& options, ThreadPool& pool);

// One JSON object with every figure: acceleration_mse, rollout ... Numbers that are not finite are
// null.
std::string scores_json(const Scores& scores);

}  // namespace mechfit
