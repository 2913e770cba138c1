#pragma once

#include "mechfit/fit/fit.h"
#include "mechfit/fit/fit_data.h"
#include "mechfit/fit/gain.h"
#include "mechfit/mechanics/families/start.h"

// Fits a family with few parameters again for the further parts of a cross-validation.
namespace mechfit {

struct CrossValidation {
  std::vector<JointResult> parts;  // one for each of FitData's; fewer when it was interrupted
  FitStatus status = FitStatus::finished;  // or interrupted
};

// Every part as the split itself is fitted, from the start, so that nothing is known of the runs it
// holds out. (To begin with what the split's fit found takes half the time, but the motions of
// held-out runs and the coefficients that were taken out are then known: on 144 fits of precise,
// coarse logs 26 ended with another held-out log-likelihood by more than 5.) `progress` as in
// JointHooks, with the number of the part, 2 for the first.
CrossValidation cross_validate(const Start& start, const FitData& data, int iterations,
                               ThreadPool& pool,
                               const std::function<bool(const FitRecord&, int, int)>& progress,
                               Team* team = nullptr);

// Of the split itself and of the further parts; minus infinity where no model was found.
std::vector<HeldOutScore> part_scores(const JointResult& fitted,
                                      const std::vector<JointResult>& parts);

// For the result of a fit: empty unless every part has a model.
std::vector<FitPart> make_parts(const std::vector<JointResult>& parts, const FitData& data,
                                const FitOptions& options);

}  // namespace mechfit
