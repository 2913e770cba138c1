#include "mechfit/report/fit_report.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "mechfit/base/constants.h"
#include "mechfit/evaluate/start_states.h"
#include "mechfit/files/number.h"
#include "mechfit/integrate/variational.h"
#include "mechfit/mechanics/point.h"
#include "mechfit/report/mechanism.h"

namespace mechfit {
namespace {

using nlohmann::json;

// How much a page shows. Chosen by eye for pages that stay below a megabyte.
constexpr int kScatterPoints = 500;   // of predicted against measured accelerations, about
constexpr int kRollouts = 3;          // runs that are drawn
constexpr int kRolloutSamples = 250;  // of each
constexpr int kLandscapePoints = 73;  // of M and V along a joint: every 5 degrees of a full turn

json curve_over_horizons(const Scores& scores, const JointErrors HorizonScore::*member) {
  json values = json::array();
  for (const auto& horizon : scores.rollout.horizons) values.push_back((horizon.*member).overall);
  return values;
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
  auto rollout = [&](const char* name, const JointErrors HorizonScore::*member) {
    return json{{"name", name}, {"rmse", curve_over_horizons(s, member)}};
  };
  tables["rollout"] = {
      {"horizons", horizons},
      {"rows", json::array({rollout("this model", &HorizonScore::variational),
                            rollout("predict nothing", &HorizonScore::stay),
                            rollout("constant velocity", &HorizonScore::velocity)})}};
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

json scatter(const Model& model, const Log& smoothed) {
  const int n = model.joints(), m = model.inputs();
  PointDynamics point(model);
  const MotionPoints points = motion_points(smoothed, InputAtSample::mean);
  std::vector<json> measured(n, json::array()), predicted(n, json::array());
  std::vector<double> a(n);
  const int stride = std::max(1, points.size() / kScatterPoints);
  for (int k = 0; k < points.size(); k += stride) {
    const auto row = [&](const std::vector<double>& x, int width) {
      return std::span(x).subspan(static_cast<std::size_t>(k) * width, width);
    };
    if (!point.acceleration(row(points.q, n), row(points.v, n), row(points.u, m), a)) continue;
    for (int i = 0; i < n; ++i) {
      measured[i].push_back(points.a[k * n + i]);
      predicted[i].push_back(a[i]);
    }
  }
  json joints = json::array();
  for (int i = 0; i < n; ++i)
    joints.push_back({{"measured", measured[i]}, {"predicted", predicted[i]}});
  return joints;
}

// A run's motion as the model predicts it from the first start on.
struct Prediction {
  int from;
  std::vector<double> t;  // since there
  Rollout rollout;
};

Prediction predict(const Model& model, const Trajectory& run, const Starts& starts, int s,
                   ThreadPool& pool) {
  const int n = model.joints(), m = model.inputs(), from = starts.sample[s];
  RolloutRequest request;
  request.trajectories = 1;
  request.steps = std::min(run.size() - from, kRolloutSamples) - 1;
  request.q0 = std::span(starts.q).subspan(s * n, n);
  request.v0 = std::span(starts.v).subspan(s * n, n);
  std::vector<double> h, t;
  for (int k = from; k < from + request.steps; ++k) h.push_back(run.t[k + 1] - run.t[k]);
  for (int k = from; k <= from + request.steps; ++k) t.push_back(run.t[k] - run.t[from]);
  request.h = h;
  request.u = std::span(run.u).subspan(from * m, static_cast<std::size_t>(request.steps) * m);
  return {from, std::move(t), variational_rollout(model, request, pool)};
}

json rollout_figure(const Model& model, const Trajectory& run, const Trajectory& observed,
                    const Prediction& prediction) {
  const int n = model.joints();
  const Rollout& out = prediction.rollout;
  json joints = json::array();
  for (int i = 0; i < n; ++i) {
    json seen = json::array(), measured = json::array(), predicted = json::array();
    for (int k = 0; k <= out.steps; ++k) {
      seen.push_back(observed.q[(prediction.from + k) * n + i]);
      measured.push_back(run.q[(prediction.from + k) * n + i]);
      const double q = out.q[k * n + i];
      predicted.push_back(std::isfinite(q) ? json(q) : json(nullptr));
    }
    joints.push_back({{"observed", seen}, {"measured", measured}, {"predicted", predicted}});
  }
  PointDynamics point(model);
  json energy = json::array();
  for (int k = 0; k <= out.steps; ++k) {
    const auto q = std::span(out.q).subspan(k * n, n), v = std::span(out.v).subspan(k * n, n);
    const bool known = k <= out.completed[0] && std::isfinite(v[0]);
    energy.push_back(known ? json(point.energy(q, v)) : json(nullptr));
  }
  const double start = run.t[prediction.from] - run.t[0];
  return {{"name", "run " + run.name + ", from " + fmt::format("{:.4g}", start) + " s"},
          {"t", prediction.t},
          {"joints", joints},
          {"energy", json::array({json{{"name", "rollout"}, {"y", energy}}})}};
}

// Eigenvalues of M and V along each joint, the others at their mean.
json landscape(const Model& model, const Log& log) {
  const int n = model.joints();
  std::vector<double> low(n, kInfinity), high(n, -kInfinity), mean(n, 0.0);
  for (const auto& run : log.runs)
    for (std::size_t k = 0; k < run.q.size(); ++k) {
      low[k % n] = std::min(low[k % n], run.q[k]);
      high[k % n] = std::max(high[k % n], run.q[k]);
      mean[k % n] += run.q[k] / log.samples();
    }
  PointDynamics point(model);
  json joints = json::array();
  for (int i = 0; i < n; ++i) {
    json q = json::array(), v = json::array();
    std::vector<json> eigenvalues(n, json::array());
    for (int k = 0; k < kLandscapePoints; ++k) {
      std::vector<double> at = mean;
      at[i] = low[i] + (high[i] - low[i]) * k / (kLandscapePoints - 1);
      Eigen::MatrixXd m(n, n);
      point.mass(at, std::span(m.data(), static_cast<std::size_t>(n * n)));
      const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(m, Eigen::EigenvaluesOnly);
      q.push_back(at[i]);
      v.push_back(point.potential(at));
      for (int j = 0; j < n; ++j) eigenvalues[j].push_back(solver.eigenvalues()[j]);
    }
    joints.push_back({{"q", q}, {"eigenvalues", eigenvalues}, {"V", v}});
  }
  return joints;
}

void add_rollout_figures(const Model& model, const EvaluationData& held_out, ThreadPool& pool,
                         json& page) {
  const Log& motion = held_out.motion();
  page["rollouts"] = json::array();
  Starts starts = run_starts(motion, kStartWindow);
  if (starts.size() > 0) {
    estimate_states(model, held_out.observed, kStartWindow, starts, pool);
  } else {
    starts = run_starts(motion, 0);
    take_logged_states(motion, starts);
  }
  for (int s = 0; s < std::min(kRollouts, starts.size()); ++s) {
    const int r = starts.run[s];
    const Prediction prediction = predict(model, motion.runs[r], starts, s, pool);
    page["rollouts"].push_back(
        rollout_figure(model, motion.runs[r], held_out.observed.runs[r], prediction));
    if (s > 0 || prediction.rollout.completed[0] < prediction.rollout.steps) continue;
    const auto first = motion.runs[r].q.begin() + prediction.from * model.joints();
    const auto count = static_cast<std::ptrdiff_t>(prediction.rollout.q.size());
    const std::vector<Motion> motions = {{"measured", {first, first + count}},
                                         {"learned", prediction.rollout.q}};
    if (auto animation = animate(model, prediction.t, motions)) page["animation"] = *animation;
  }
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
  for (int i = 0; i < result.channels.n(); ++i)
    page["joints"].push_back(
        {{"name", result.channels.joints[i]}, {"unit", result.channels.units[i]}});
  page["scores"] = score_tables(scores);
  for (const BandCoverage& band : scores.coverage)
    page["coverage"].push_back(
        {{"band", band.band},
         {"acceleration", band.acceleration},
         {"rollout", std::isnan(band.rollout) ? json() : json(band.rollout)}});
  if (!result.history.records.empty()) page["learning"] = learning(result.history);
  page["accelerations"] = scatter(result.model, held_out.motion());
  add_rollout_figures(result.model, held_out, pool, page);
  page["landscape"] = landscape(result.model, held_out.motion());
  page["scale"] = result.model.inputs() > 0 ? "physical" : "free";
  return page;
}

}  // namespace mechfit
