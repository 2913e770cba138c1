#pragma once

#include <limits>
#include <variant>
#include <vector>

#include "mechfit/estimate/motion/motion_quadratic.h"
#include "mechfit/fit/history.h"
#include "mechfit/fit/smoothed/adam.h"

// What the engines of joint estimation need to go on as if they had never stopped.
namespace mechfit {

using Motions = std::vector<std::vector<double>>;  // of all runs, q [T][n] each

// The best of a fit so far.
struct JointBest {
  double score = -std::numeric_limits<double>::infinity();  // held-out log-likelihood per number
  std::vector<double> theta;                                // empty: none yet
  MotionNoise noise;
  Motions motions, held_out;
};

struct GaussNewtonState {
  int iteration = 0;
  bool done = false;   // nothing but the result is left to make
  bool share = false;  // only a share of the runs takes part yet
  std::vector<double> theta;
  Motions motions, held_out;
  MotionNoise noise;
  double damping = 0;              // of the next step
  std::vector<double> precisions;  // of the free parameters' priors
  double mass_weight = 0;          // of the prior on M
  bool settled = false;            // the last step promised little
  int quiet = 0;                   // iterations in a row in which nothing happened
  int pruned = -1;                 // rounds of pruning; -1: not begun
  double highest = -std::numeric_limits<double>::infinity();  // score
  JointBest best;
  FitHistory history{Criterion::log_likelihood};
};

struct NetworkState {
  int step = 0;
  double rate_factor = 1;  // halved when the fit is taken back
  std::vector<double> theta, last_theta;
  Adam adam{0};
  double last_objective = 0;
  double length = 1;  // of the steps on theta
  Motions motions, last_motions, held_out;
  JointBest best;
  FitHistory history{Criterion::log_likelihood};
};

using JointState = std::variant<GaussNewtonState, NetworkState>;

}  // namespace mechfit
