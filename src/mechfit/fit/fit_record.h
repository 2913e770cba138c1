#pragma once

#include <string>

#include "mechfit/evaluate/scores.h"
#include "mechfit/fit/fit.h"
#include "mechfit/mechanics/model_file.h"

namespace mechfit {

// The held-out runs of a fit as evaluate() and the report want them, smoothed at most once.
EvaluationData held_out_data(const FitResult& result, ThreadPool& pool);

// What a model file keeps of a fit: the model or models, what is known of their parameters, and
// where they come from. `data` is the fingerprint of the log, `scores` are those of the held-out
// runs.
ModelRecord fit_record(const FitResult& result, const FitOptions& options);
// Scores of the held-out runs, and how good the family is on the other parts of the log.
Scores score_fit(const ModelRecord& record, const EvaluationData& held_out, const FitResult& result,
                 ThreadPool& pool);
void add_scores(const Scores& scores, const std::string& data, ModelRecord& record);

}  // namespace mechfit
