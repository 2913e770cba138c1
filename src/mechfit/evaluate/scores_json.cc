#include <cmath>
#include <nlohmann/json.hpp>

#include "mechfit/evaluate/scores.h"
#include "mechfit/evaluate/verdict.h"

namespace mechfit {
namespace {

using nlohmann::json;

// nlohmann writes numbers that are not finite as null.
json to_json(const JointErrors& errors) {
  return {{"overall", errors.overall}, {"joints", errors.joint}};
}

// In the observations, the noise's share taken off.
json to_json(const ObservedErrors& errors) {
  return {{"overall", errors.overall},
          {"joints", errors.joint},
          {"mean_square", errors.mean_square},
          {"standard_error", errors.standard_error}};
}

// `driven` are the numbers of the joints that inputs push, from 0.
json to_json(const TorqueError& error) {
  return {{"overall", error.overall},
          {"joints", error.nmse},
          {"driven", error.joints},
          {"rms", error.rms},
          {"window_s", error.window},
          {"friction_only", {{"overall", error.friction_overall}, {"joints", error.friction}}}};
}

json to_json(const HorizonScore& score) {
  json out = {{"seconds", score.seconds},
              {"starts", score.starts},
              {name_of(Integrator::variational), to_json(score.variational)},
              {name_of(Integrator::rk4), to_json(score.rk4)},
              {"constant_velocity", to_json(score.velocity)},
              {"stay_put", to_json(score.stay)},
              {"variational_failed", score.variational_failed},
              {"rk4_failed", score.rk4_failed}};
  if (score.variational_observed.joint.empty()) return out;
  out["judgeable"] = score.judgeable;
  out["observed"] = {{name_of(Integrator::variational), to_json(score.variational_observed)},
                     {name_of(Integrator::rk4), to_json(score.rk4_observed)},
                     {"constant_velocity", to_json(score.velocity_observed)},
                     {"stay_put", to_json(score.stay_observed)}};
  return out;
}

// Root mean squares: as the observations show them, or against logged accelerations.
json acceleration_error(const Scores& scores) {
  if (const auto& error = scores.model_error)
    return {{"overall", error->overall},
            {"joints", error->joint},
            {"interval", {error->low, error->high}},
            {"seen", error->seen}};
  std::vector<double> joints;
  for (const double mse : scores.acceleration.joint_mse) joints.push_back(std::sqrt(mse));
  return {{"overall", std::sqrt(scores.acceleration.mse)}, {"joints", joints}};
}

}  // namespace

std::string scores_json(const Scores& scores) {
  json rollout = json::array();
  for (const HorizonScore& score : scores.rollout.horizons) rollout.push_back(to_json(score));
  json parts = json::array();
  for (const Quality& part : scores.parts) {
    json horizons = json::array();
    for (const Quality::Horizon& horizon : part.horizons)
      horizons.push_back({{"seconds", horizon.seconds},
                          {"relative_error", horizon.relative()},
                          {"judgeable", horizon.judgeable}});
    parts.push_back({{"relative_error", part.relative()}, {"rollout", horizons}});
  }
  const Verdict verdict = judge(scores);
  const auto source = [](bool logged) { return logged ? "logged" : "smoothed"; };
  json out = {
      {"runs", scores.runs},
      {"samples", scores.samples},
      {"seconds", scores.seconds},
      {"velocities", source(scores.logged_velocities)},
      {"accelerations", source(scores.logged_accelerations)},
      {"acceleration_error", acceleration_error(scores)},
      {"acceleration_mse", scores.acceleration.mse},
      {"acceleration_mse_joints", scores.acceleration.joint_mse},
      {"acceleration_mse_zero", scores.acceleration_zero.mse},
      {"acceleration_mse_mean", scores.acceleration_mean.mse},
      {"points_without_positive_mass", scores.acceleration.not_positive},
      {"starts", name_of(scores.start)},
      {"start_window", scores.window},
      {"starts_without_model", scores.starts_without_model},
      {"rollout", rollout},
      {"rollout_failure", scores.rollout.first_failure},
      {"energy_drift", scores.rollout.energy_drift},
      {"next_state",
       {{"steps", scores.next_state.steps},
        {"failed", scores.next_state.failed},
        {"q", to_json(scores.next_state.q)},
        {"v", to_json(scores.next_state.v)},
        {"q_constant_velocity", to_json(scores.next_state.q_baseline)},
        {"v_constant_velocity", to_json(scores.next_state.v_baseline)}}},
      {"del",
       {{"triples", scores.del.triples},
        {"rho", scores.del.rho},
        {"acceleration", to_json(scores.del.acceleration)}}},
      {"mass_eigenvalues", {{"smallest", scores.mass.smallest}, {"largest", scores.mass.largest}}},
      {"verdict",
       {{"grade", name_of(verdict.grade)},
        {"explained", verdict.explained},
        {"reliable_until", verdict.reliable_until},
        {"words", verdict.words},
        {"good_for", verdict.good_for},
        {"limits", verdict.limits},
        {"advice", verdict.advice}}},
      {"outside", scores.outside},
      {"parts", parts}};
  if (!scores.torque.joints.empty()) out["torque_nmse"] = to_json(scores.torque);
  if (scores.model_error) out["noise"] = scores.model_error->noise;
  if (!scores.coverage.empty()) {
    json coverage = json::array();
    for (const BandCoverage& band : scores.coverage)
      coverage.push_back({{"band", band.band},
                          {"acceleration", band.acceleration},
                          {"rollout", band.rollout},
                          {"horizons", band.horizons}});
    out["coverage"] = coverage;
  }
  return out.dump(2, ' ', false, json::error_handler_t::replace);
}

}  // namespace mechfit
