#pragma once

#include <span>
#include <string>
#include <vector>

#include "mechfit/base/thread_pool.h"
#include "mechfit/evaluate/observed_error.h"
#include "mechfit/evaluate/starts.h"
#include "mechfit/log/log.h"
#include "mechfit/mechanics/model.h"

// How far the model's motion is from the logged one, some time after it was started at a logged
// state.
namespace mechfit {

// Errors of each joint in its unit, and over all joints.
struct JointErrors {
  std::vector<double> joint;  // [n] root mean square
  double overall = 0;         // root mean square over joints too
};

struct HorizonScore {
  double seconds = 0;
  int starts = 0;                              // rollouts that fit into their run
  JointErrors variational, rk4;                // of the model
  JointErrors velocity, stay;                  // baselines: constant velocity; nothing moves
  int variational_failed = 0, rk4_failed = 0;  // of the starts

  // The same against the observations, the noise's share taken off; empty where options name none.
  ObservedErrors variational_observed, rk4_observed, velocity_observed, stay_observed;
  // What the uncertainty of the starts' states alone makes of the rollouts; empty where it was not
  // asked for.
  JointErrors start;
  // Standard errors of the squares of variational_observed.joint, by noise and by starts that share
  // their samples  [n]
  std::vector<double> chance2;
  // False where noise hides the difference between the better baseline and the truth, so that this
  // horizon says nothing about any model.
  bool judgeable = true;
};

struct RolloutErrorOptions {
  std::vector<double> horizons;  // [s], rising; empty: default_horizons
  double start_every = 0;        // [s]; 0: as often as `most_starts` allows
  // Errors from 256 starts were within 22 % of those from 1024, from 64 within 62 % (simulated
  // double pendulums and a cart-pole).
  int most_starts = 256;
  int substeps = 0;     // inner steps per step of the log; 0: as `control` says
  StepControl control;  // without a tolerance one inner step per step of the log
  // Observations to compare with besides the log, run for run and sample for sample, and their
  // standard deviation [n].
  const Log* observed = nullptr;
  std::vector<double> noise;
  // The same starts with their states drawn as uncertain as they are.
  std::span<const Starts> drawn;
  int window = 0;                     // samples that a start rests on
  std::span<const Contact> contacts;  // what the machine touches
};

struct RolloutScores {
  std::vector<HorizonScore> horizons;
  std::string first_failure;  // what stopped the first rollout that failed, "" when none did
  double energy_drift = 0;    // of the variational rollouts, see energy_balance.h
};

// From the starts' states, with the log's own steps and inputs (held). Errors are those of q at the
// sample nearest to the horizon; angles count as they are, a turn too many is an error of 2 pi. The
// baselines start from the log's own q and qd. A rollout that fails before it gets there counts
// with the worse baseline's error and is reported: leaving it out would flatter the model. Horizons
// that fit into no run are left out.
RolloutScores rollout_error(const Model& model, const Log& log, const Starts& starts,
                            const RolloutErrorOptions& options, ThreadPool& pool);

// The same for the mean of several models' rollouts; the energy drift is that of the first.
RolloutScores rollout_error(std::span<const Model> models, const Log& log, const Starts& starts,
                            const RolloutErrorOptions& options, ThreadPool& pool);

// From states (q, qd) of many samples.
RolloutScores rollout_error(const Model& model, const Log& log, const RolloutErrorOptions& options,
                            ThreadPool& pool);

// Five times around the time scale of the motion (rms velocity over rms acceleration of the fastest
// joint), from 1, 2.5, 5 times powers of ten, at least two steps and at most half the longest run.
// The runs must have qd and qdd.
std::vector<double> default_horizons(const Log& log);

}  // namespace mechfit
