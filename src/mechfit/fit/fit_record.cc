#include "mechfit/fit/fit_record.h"

#include <algorithm>

namespace mechfit {

namespace {

// Smoothed before, unless the log has velocities and accelerations of its own.
EvaluationData data_of(const Log& observed, const Log* smoothed, ThreadPool& pool) {
  const bool logged =
      std::all_of(observed.runs.begin(), observed.runs.end(), [](const Trajectory& run) {
        return run.qd.size() == run.q.size() && run.qdd.size() == run.q.size();
      });
  return smoothed && !smoothed->runs.empty() && !logged
             ? evaluation_data(observed, *smoothed)
             : evaluation_data(observed, SmoothMethod::white_jerk, pool);
}

}  // namespace

EvaluationData held_out_data(const FitResult& result, ThreadPool& pool) {
  return data_of(result.validation, result.validation_smoothed.get(), pool);
}

ModelRecord fit_record(const FitResult& result, const FitOptions& options) {
  ModelRecord record{result.model,   result.channels,   {},
                     result.members, result.covariance, result.knowledge,
                     result.timing,  result.contacts};
  record.metadata = {{"method", name_of(result.method)},
                     {"seed", std::to_string(options.seed)},
                     {"epoch", std::to_string(result.history.selected)}};
  return record;
}

Scores score_fit(const ModelRecord& record, const EvaluationData& held_out, const FitResult& result,
                 ThreadPool& pool) {
  Scores scores = evaluate(ensemble_of(record), held_out, {}, pool);
  EvaluateOptions options;
  for (const HorizonScore& horizon : scores.rollout.horizons)
    options.rollout.horizons.push_back(horizon.seconds);
  for (const FitPart& part : result.parts) {
    const ModelRecord own{part.model,      record.channels,  {},           {},
                          part.covariance, record.knowledge, record.timing};
    scores.parts.push_back(evaluate_part(ensemble_of(own),
                                         data_of(part.validation, &part.validation_smoothed, pool),
                                         options, pool));
  }
  return scores;
}

void add_scores(const Scores& scores, const std::string& data, ModelRecord& record) {
  record.metadata["data"] = data;
  record.metadata["scores"] = scores_json(scores);
  if (record.knowledge && scores.model_error)
    keep_error(*scores.model_error, !record.members.empty() || !record.covariance.empty(),
               *record.knowledge);
}

}  // namespace mechfit
