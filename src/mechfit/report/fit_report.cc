#include "mechfit/report/fit_report.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "mechfit/mechanics/model_file.h"
#include "mechfit/report/fit_members.h"

namespace mechfit {
namespace {

using nlohmann::json;

// Of a prediction, against the motion where it was logged, else against the observations less their
// noise. Nothing where noise hides it.
json rollout_row(const Scores& scores, const char* name, const JointErrors HorizonScore::*logged,
                 const ObservedErrors HorizonScore::*observed) {
  json values = json::array();
  for (const auto& horizon : scores.rollout.horizons) {
    const ObservedErrors& seen = horizon.*observed;
    const bool hidden = !seen.joint.empty() && !(horizon.judgeable && seen.overall > 0);
    values.push_back(hidden               ? json()
                     : seen.joint.empty() ? json((horizon.*logged).overall)
                                          : json(seen.overall));
  }
  return {{"name", name}, {"rmse", values}};
}

// From root mean squares of the joints.
AccelerationError mean_squares(const std::vector<double>& joints) {
  AccelerationError error;
  for (const double x : joints) {
    error.joint_mse.push_back(x * x);
    error.mse += x * x / static_cast<double>(joints.size());
  }
  return error;
}

json score_tables(const Scores& s) {
  json tables;
  auto row = [](const char* name, const AccelerationError& error) {
    return json{{"name", name}, {"mse", error.mse}, {"joints", error.joint_mse}};
  };
  AccelerationError model = s.acceleration, nothing = s.acceleration_zero;
  if (s.model_error) {  // as the observations show it: a smoother's accelerations say less
    model = mean_squares(s.model_error->joint);
    nothing = mean_squares(s.model_error->acceleration);
  }
  tables["acceleration"] = json::array({row("this model", model), row("predict nothing", nothing)});
  if (s.rollout.horizons.empty()) return tables;
  json horizons = json::array();
  for (const auto& horizon : s.rollout.horizons) horizons.push_back(horizon.seconds);
  using H = HorizonScore;
  tables["rollout"] = {
      {"horizons", horizons},
      {"rows",
       {rollout_row(s, "this model", &H::variational, &H::variational_observed),
        rollout_row(s, "predict nothing", &H::stay, &H::stay_observed),
        rollout_row(s, "constant velocity", &H::velocity, &H::velocity_observed)}}};
  return tables;
}

json learning(const FitHistory& history) {
  json epochs = json::array(), loss = json::array(), validation = json::array();
  for (const auto& record : history.records) {
    epochs.push_back(record.step);
    loss.push_back(record.objective);
    // Smaller is better in the figure.
    validation.push_back(history.criterion == Criterion::error ? record.validation
                                                               : -record.validation);
  }
  return {{"epoch", epochs},
          {"series", json::array({json{{"name", "training"}, {"y", loss}},
                                  json{{"name", "validation"}, {"y", validation}}})},
          {"selected", history.selected}};
}

// As the model file will have it: with the error that its held-out runs show.
Ensemble ensemble_of_fit(const FitResult& result, const Scores& scores) {
  ModelRecord record{result.model, result.channels, {}, result.members, result.covariance,
                     {},           result.timing};
  record.contacts = result.contacts;
  if (result.knowledge.region.q_low.empty()) return ensemble_of(record);
  record.knowledge = result.knowledge;
  if (scores.model_error)
    keep_error(*scores.model_error, !record.members.empty() || !record.covariance.empty(),
               *record.knowledge);
  return ensemble_of(record);
}

json coverage(const Scores& scores) {
  const auto number = [](double x) { return std::isnan(x) ? json() : json(x); };
  json out = json::array();
  for (const BandCoverage& band : scores.coverage) {
    json horizons = json::array();
    for (std::size_t k = 0; k < band.horizons.size(); ++k)
      horizons.push_back(
          {{"seconds", scores.rollout.horizons[k].seconds}, {"share", number(band.horizons[k])}});
    out.push_back({{"band", band.band},
                   {"acceleration", number(band.acceleration)},
                   {"rollout", number(band.rollout)},
                   {"horizons", horizons}});
  }
  return out;
}

}  // namespace

json fit_document(const FitResult& result, const EvaluationData& held_out, const Scores& scores,
                  const std::string& title,
                  const std::vector<std::pair<std::string, std::string>>& settings,
                  ThreadPool& pool) {
  json page = {
      {"kind", "fit"}, {"title", title}, {"settings", json::array()}, {"joints", json::array()}};
  for (const auto& [name, value] : settings)
    page["settings"].push_back({{"name", name}, {"value", value}});
  if (!result.timing.as_logged())
    page["settings"].push_back(
        {{"name", "How inputs act"}, {"value", describe_timing(result.timing)}});
  for (int i = 0; i < result.channels.n(); ++i)
    page["joints"].push_back(
        {{"name", result.channels.joints[i]}, {"unit", result.channels.units[i]}});
  page["scores"] = score_tables(scores);
  page["verdict"] = verdict_member(scores);
  if (!result.warnings.empty()) page["warnings"] = texts_of(result.warnings);
  if (!scores.coverage.empty()) page["coverage"] = coverage(scores);
  if (!result.history.records.empty()) page["learning"] = learning(result.history);
  const FitView view{ensemble_of_fit(result, scores), held_out, scores, pool};
  add_acceleration_members(view, page);
  add_rollout_members(view, page);
  add_region_member(view, page);
  if (!result.contacts.empty()) page["contacts"] = contact_member(result);
  page["landscape"] = landscape_member(result.model, held_out.motion());
  page["scale"] = result.model.scale_is_free() ? "free" : "physical";
  return page;
}

}  // namespace mechfit
