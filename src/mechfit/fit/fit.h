#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mechfit/base/thread_pool.h"
#include "mechfit/estimate/motion/motion_quadratic.h"
#include "mechfit/fit/fit_options.h"
#include "mechfit/fit/history.h"
#include "mechfit/fit/status.h"
#include "mechfit/log/log.h"
#include "mechfit/mechanics/knowledge.h"

namespace mechfit {

// All that a fit needs to go on as if it had never stopped (state.h, checkpoint.h).
struct FitState;

struct FitProgress {
  const FitRecord& record;
  int steps;  // at most
  Criterion criterion;
  double best;       // validation so far; NaN: none yet
  std::string what;  // is being fitted, where there is more than one: trig, smm ...
};

struct FitHooks {
  // After every epoch or iteration; false ends the fit there.
  std::function<bool(const FitProgress&)> progress;
  // From time to time: what `resume` needs to go on to the identical result.
  std::function<void(const FitState&, const FitHistory&)> checkpoint;
  const FitState* resume = nullptr;
};

struct FitResult {
  explicit FitResult(Model start) : model(std::move(start)) {}

  FitStatus status = FitStatus::finished;
  Model model;  // where the fit started when none was found
  Channels channels;
  Log train, validation;                           // the observed runs on either side
  std::shared_ptr<const Log> validation_smoothed;  // where the fit smoothed it, else null
  Knowledge knowledge;  // of the training runs: the region they cover, and the size of their motion
  FitHistory history;   // of the model that was kept
  std::shared_ptr<const FitState> state;  // at the end
  std::vector<std::string> notes;

  // Of joint estimation:
  std::vector<Model> members;           // of an ensemble, `model` the first; else empty
  std::vector<double> covariance;       // of theta [p][p], for families with few parameters
  std::vector<double> standard_errors;  // [p], infinite where the data do not tell
  MotionNoise noise;                    // of the observations and of the model
  Log train_motion, validation_motion;  // estimated q, qd, qdd of the samples that were used, with
                                        // their deviations
};

// From a log of observed positions to a model: holds runs out (unless `validation` is given),
// smooths, fits and selects. The same log, options and seed give the same bits whatever the number
// of threads. InputError when log and options do not fit; what numerics refuse is in the status.
FitResult fit(const Log& observed, const std::optional<Log>& validation, const FitOptions& options,
              ThreadPool& pool, const FitHooks& hooks = {});

}  // namespace mechfit
