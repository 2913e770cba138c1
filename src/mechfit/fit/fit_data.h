#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mechfit/estimate/kalman/cleaning.h"
#include "mechfit/fit/fit_options.h"
#include "mechfit/fit/joint/joint.h"
#include "mechfit/log/split.h"
#include "mechfit/log/warning.h"

namespace mechfit {

// Observations that have no weight in a fit, because its own model contradicts them.
struct Contradicted {
  std::vector<Defect> train, validation;

  std::size_t size() const { return train.size() + validation.size(); }
};

// What a fit knows of its log, made once and handed on.
struct FitData {
  Channels channels;
  std::shared_ptr<const Log> observed_train, observed_validation;
  std::shared_ptr<const Log> train, validation;  // the same without what a model contradicts
  std::shared_ptr<const SmoothResult> train_smoothed;
  std::shared_ptr<const Log> validation_smoothed;  // null where joint estimation has no use for it
  Magnitudes size;                                 // of the smoothed training runs
  bool full_turns = false;                         // some joint goes round in a training run
  double grid = 0;  // step of the motions where it is finer than the samples', else 0 [s]
  // Step of the samples that are kept (thin.h) [s]; 0: every one is; none: not known yet
  std::optional<double> thinned;
  InputTiming timing;              // of the inputs
  JointData sampled;               // thinned; empty for the other methods
  JointData joint;                 // the same on the steps of the motions
  std::vector<SplitPart> parts;    // of a cross-validation beside the split; empty: there is none
  std::vector<std::string> notes;  // for the user
  Contradicted contradicted;
  int weighed = 0;                // times that it was set
  std::vector<Warning> warnings;  // what would spoil the fit, and samples that were taken out
};

// The runs of a part, with what smoothing made of them on their side of the split.
JointData part_data(const SplitPart& part, const JointData& data);

// Puts the motions on steps of about `step`, finer than the samples'.
void refine_motions(double step, ThreadPool& pool, FitData& data);

// Smooths and thins the observed runs, on the steps that motions have so far. InputError when they
// are too short.
void prepare_motions(const FitOptions& options, ThreadPool& pool, FitData& data);

// Splits, smooths and thins. InputError when the log is too short or does not fit the options.
FitData prepare_fit(const Log& observed, const std::optional<Log>& validation,
                    const FitOptions& options, const InputTiming& timing, ThreadPool& pool);

}  // namespace mechfit
