#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mechfit/base/thread_pool.h"
#include "mechfit/estimate/motion/motion_quadratic.h"
#include "mechfit/fit/contact/cut.h"
#include "mechfit/fit/fit_options.h"
#include "mechfit/fit/history.h"
#include "mechfit/fit/status.h"
#include "mechfit/log/log.h"
#include "mechfit/log/warning.h"
#include "mechfit/mechanics/contact.h"
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
  // Before the fit begins: FitResult::warnings.
  std::function<void(const std::vector<Warning>&)> warnings;
  // After every epoch or iteration; false ends the fit there.
  std::function<bool(const FitProgress&)> progress;
  // From time to time: what `resume` needs to go on to the identical result.
  std::function<void(const FitState&, const FitHistory&)> checkpoint;
  const FitState* resume = nullptr;
  // Processes that make this fit together, all with the same data: joint estimation spreads its
  // runs over them. `progress` has to say the same in all of them.
  class Team* team = nullptr;
};

// The family that was kept, fitted again for a further part of the cross-validation.
struct FitPart {
  Model model;
  std::vector<double> covariance;  // of theta [p][p]
  Log validation;                  // the observed runs that it has not seen
  Log validation_smoothed;         // the same, without runs where the fit has not smoothed them so
};

struct FitResult {
  explicit FitResult(Model start) : model(std::move(start)) {}

  FitStatus status = FitStatus::finished;
  FitMethod method = FitMethod::joint;  // by which the model was made
  Model model;                          // where the fit started when none was found
  Channels channels;
  Log train, validation;                           // the observed runs on either side
  std::shared_ptr<const Log> validation_smoothed;  // where the fit smoothed it, else null
  Knowledge knowledge;  // of the training runs: the region they cover, and the size of their motion
  InputTiming timing;   // of the inputs; the runs' inputs act so
  // What the machine hits, where contacts were looked for and found; then the runs on either side
  // are the parts of the log's between impacts.
  Contacts contacts;
  std::vector<Impact> impacts;  // in the observed log, then in that to validate on where given
  Log struck;                   // with contacts: that log, uncut
  FitHistory history;           // of the model that was kept
  std::shared_ptr<const FitState> state;  // at the end
  std::vector<std::string> notes;
  // What would spoil the fit (inspect_log) and samples that were taken out, in the order of harm.
  std::vector<Warning> warnings;

  // Of joint estimation:
  // Each training run is held out by one of them, so that together with `model` on `validation` the
  // family can be scored on all runs. Empty without cross-validation: networks, `quick`, runs to
  // validate on given.
  std::vector<FitPart> parts;
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
