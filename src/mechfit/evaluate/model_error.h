#pragma once

#include <vector>

#include "mechfit/base/thread_pool.h"
#include "mechfit/evaluate/ensemble.h"
#include "mechfit/log/log.h"
#include "mechfit/mechanics/model.h"

namespace mechfit {

// How wrong a model's accelerations are along a log's motion, seen in the observed positions alone.
struct ModelError {
  std::vector<double> joint;  // root mean square of the acceleration error  [n] [unit/s^2]
  double overall = 0;         // and over the joints too
  double low = 0, high = 0;   // that hold the overall one with a probability of 90 %
  double seen = 0;  // share of the mean square that the observations show; the rest is what their
                    // noise can hide
  std::vector<double> acceleration;  // root mean square of the motion's own accelerations   [n]
  std::vector<double> spread;        // of the members' predictions, empty without members   [n]
  std::vector<double> noise;         // standard deviation of an observation                 [n]
  std::vector<double> tau;           // time over which the error changes                    [n] [s]
  // The pieces of motion looked at, as the observations and the model make them most likely, with
  // q, qd, qdd and u, less their ends; and the model's errors there, predicted less true
  // acceleration: the most likely ones, in which noise hides a part, and ones drawn as they may be.
  Log motion;
  std::vector<std::vector<double>> residual, drawn;  // [runs][T][n]
  int runs = 0, without_model = 0;  // pieces of motion looked at; of these: those where M is not
                                    // positive definite, which are left out

  // 1 - mean over the joints that move of squared error / mean square of the accelerations: joints
  // may have different units. Negative for a model that is worse than none.
  double explained() const;
};

// A smoother's accelerations are too slow and too noisy to judge a good model. Here the motion is
// integrated out: with y = q + N(0, sigma^2) and errors e(q) of the model's discrete equation that
// are a smooth random process of deviation s and time scale tau (correlated_motion.h), sigma, s and
// tau are the most likely ones; the errors are then drawn given the observations and s. A bad model
// has a large s, which frees the motion from it. docs/verdicts.md derives and measures this.
//
// The equation is taken on a grid fine enough for the midpoint rule, whatever the log's steps. Of a
// long log evenly spread pieces serve. Errors are infinite when the model has no positive definite
// M on any of them. InputError when the log is too short to be smoothed or has too few
// observations. Bits do not depend on the number of threads.
ModelError model_error(const Model& model, const Log& observed, ThreadPool& pool);

// The same where equally likely models are known: draws from the covariance of the parameters, or
// members of an ensemble, whose first is judged. Where noise hides the error, their spread tells
// it.
ModelError model_error(const Ensemble& ensemble, const Log& observed, ThreadPool& pool);

// What a model keeps of it: the error that the members' spread does not tell already, where there
// are members.
void keep_error(const ModelError& error, bool members, Knowledge& knowledge);

}  // namespace mechfit
