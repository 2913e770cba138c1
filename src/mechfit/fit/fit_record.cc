#include "mechfit/fit/fit_record.h"

#include <algorithm>

namespace mechfit {

EvaluationData held_out_data(const FitResult& result, ThreadPool& pool) {
  const auto& runs = result.validation.runs;
  const bool logged = std::all_of(runs.begin(), runs.end(), [](const Trajectory& run) {
    return run.qd.size() == run.q.size() && run.qdd.size() == run.q.size();
  });
  return result.validation_smoothed && !logged
             ? evaluation_data(result.validation, *result.validation_smoothed)
             : evaluation_data(result.validation, SmoothMethod::white_jerk, pool);
}

ModelRecord fit_record(const FitResult& result, const FitOptions& options) {
  ModelRecord record{result.model,   result.channels,   {},
                     result.members, result.covariance, result.knowledge};
  record.metadata = {{"method", name_of(options.method)},
                     {"seed", std::to_string(options.seed)},
                     {"epoch", std::to_string(result.history.selected)}};
  return record;
}

Scores score_fit(const ModelRecord& record, const EvaluationData& held_out, const FitResult&,
                 ThreadPool& pool) {
  return evaluate(ensemble_of(record), held_out, {}, pool);
}

void add_scores(const Scores& scores, const std::string& data, ModelRecord& record) {
  record.metadata["data"] = data;
  record.metadata["scores"] = scores_json(scores);
  if (record.knowledge && scores.model_error)
    keep_error(*scores.model_error, !record.members.empty() || !record.covariance.empty(),
               *record.knowledge);
}

}  // namespace mechfit
