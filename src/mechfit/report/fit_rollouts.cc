#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/evaluate/predictions.h"
#include "mechfit/evaluate/start_states.h"
#include "mechfit/integrate/runge_kutta.h"
#include "mechfit/mechanics/point.h"
#include "mechfit/report/fit_members.h"
#include "mechfit/report/mechanism.h"

namespace mechfit {
namespace {

using nlohmann::json;

// Steps of Runge-Kutta's method per sample: the figure shows the model, not its integrator.
constexpr int kSubsteps = 4;

// Where rollouts start: the first state of each run that the samples before it tell.
struct DrawnStarts {
  Starts starts;
  std::vector<Starts> drawn;  // as likely as these; empty for logged states

  DrawnStates at(int s, int n) const {
    DrawnStates out;
    for (const Starts& own : drawn) {
      out.q.emplace_back(&own.q[s * n], &own.q[s * n] + n);
      out.v.emplace_back(&own.v[s * n], &own.v[s * n] + n);
    }
    return out;
  }
};

DrawnStarts first_starts(const FitView& view) {
  const Log& motion = view.held_out.motion();
  DrawnStarts out{run_starts(motion, kStartWindow), {}};
  if (out.starts.size() > 0) {
    estimate_states(view.ensemble.model, view.held_out.observed, kStartWindow, out.starts,
                    view.pool, kPredictions, &out.drawn);
  } else {
    out.starts = run_starts(motion, 0);
    take_logged_states(motion, out.starts);
  }
  return out;
}

// A run's motion as the model predicts it from a start on.
struct Prediction {
  int from;
  std::vector<double> t;            // since there
  Rollout rollout;                  // of the model, or the mean of the members
  std::vector<Rollout> candidates;  // equally likely ones; empty: nothing is known of the error
};

// q and v become the mean over the members, as far as all get.
void average(std::span<const Model> members, const RolloutRequest& request, ThreadPool& pool,
             Rollout& out) {
  for (auto values : {&Rollout::q, &Rollout::v})
    std::fill((out.*values).begin(), (out.*values).end(), 0.0);
  for (const Model& member : members) {
    const Rollout own = runge_kutta_rollout(member, request, Integrator::rk4, pool);
    out.completed[0] = std::min(out.completed[0], own.completed[0]);
    for (auto values : {&Rollout::q, &Rollout::v})
      for (std::size_t k = 0; k < (out.*values).size(); ++k)
        (out.*values)[k] += (own.*values)[k] / static_cast<double>(members.size());
  }
}

Prediction predict(const FitView& view, const Trajectory& run, const DrawnStarts& starts, int s) {
  const Model& model = view.ensemble.model;
  const int n = model.joints(), m = model.inputs(), from = starts.starts.sample[s];
  RolloutRequest request;
  request.trajectories = 1;
  request.steps = std::min(run.size() - from, shown_samples(n)) - 1;
  request.q0 = std::span(starts.starts.q).subspan(s * n, n);
  request.v0 = std::span(starts.starts.v).subspan(s * n, n);
  std::vector<double> h, t;
  for (int k = from; k < from + request.steps; ++k) h.push_back(run.t[k + 1] - run.t[k]);
  for (int k = from; k <= from + request.steps; ++k) t.push_back(run.t[k] - run.t[from]);
  request.substeps = kSubsteps;
  request.h = h;
  request.u = std::span(run.u).subspan(from * m, static_cast<std::size_t>(request.steps) * m);
  Prediction out{
      from, std::move(t), runge_kutta_rollout(model, request, Integrator::rk4, view.pool), {}};
  if (view.ensemble.mean) average(view.ensemble.members, request, view.pool, out.rollout);
  if (view.has_bands())
    out.candidates = predict_rollouts(view.ensemble, request, starts.at(s, n), view.pool);
  return out;
}

// The predicted positions of a joint with their bands; infinite limits, where many predictions
// failed, are gaps.
json predicted_curve(const Prediction& prediction, int n, int i) {
  const Rollout& rollout = prediction.rollout;
  std::vector<double> y, low[kBandCount], high[kBandCount];
  std::vector<double> values(prediction.candidates.size());
  for (int k = 0; k <= rollout.steps; ++k) {
    y.push_back(k <= rollout.completed[0] ? rollout.q[k * n + i] : kNan);
    if (values.empty()) continue;
    for (std::size_t c = 0; c < values.size(); ++c) {
      const Rollout& own = prediction.candidates[c];
      values[c] = k <= own.completed[0] ? own.q[k * n + i] : kNan;
    }
    BandLimits limits[kBandCount];
    bands_of(values, limits);
    for (int b = 0; b < kBandCount; ++b) {
      low[b].push_back(limits[b].low);
      high[b].push_back(limits[b].high);
    }
  }
  json out = {{"y", y}};
  if (!values.empty())
    out.update(
        json{{"inner_low", low[0]}, {"inner_high", high[0]}, {"low", low[1]}, {"high", high[1]}});
  return out;
}

json rollout_run(const FitView& view, int r, const Prediction& prediction,
                 const std::vector<double>& motion) {
  const Trajectory& observed = view.held_out.observed.runs[r];
  const Model& model = view.ensemble.model;
  const int n = model.joints();
  const Rollout& out = prediction.rollout;
  json joints = json::array();
  for (int i = 0; i < n; ++i) {
    std::vector<double> seen, measured;
    for (int k = prediction.from; k <= prediction.from + out.steps; ++k) {
      seen.push_back(observed.q[k * n + i]);
      measured.push_back(motion[k * n + i]);
    }
    joints.push_back({{"observed", seen},
                      {"measured", measured},
                      {"predicted", predicted_curve(prediction, n, i)}});
  }
  PointDynamics point(model);
  std::vector<double> energy;
  for (int k = 0; k <= out.steps; ++k) {
    const auto q = std::span(out.q).subspan(k * n, n), v = std::span(out.v).subspan(k * n, n);
    energy.push_back(k <= out.completed[0] && std::isfinite(v[0]) ? point.energy(q, v) : kNan);
  }
  return {{"name", part_name(view.held_out.observed, observed.name, observed.t[prediction.from])},
          {"t", prediction.t},
          {"joints", joints},
          {"energy", json::array({json{{"name", "rollout"}, {"y", energy}}})}};
}

}  // namespace

void add_rollout_members(const FitView& view, json& page) {
  const Log& motion = view.held_out.motion();
  const int n = view.ensemble.model.joints();
  page["rollouts"] = json::array();
  const DrawnStarts starts = first_starts(view);
  for (int s = 0; s < std::min(kShownRuns, starts.starts.size()); ++s) {
    const int r = starts.starts.run[s];
    const Prediction prediction = predict(view, motion.runs[r], starts, s);
    const std::vector<double> measured = measured_positions(view, r);
    page["rollouts"].push_back(rollout_run(view, r, prediction, measured));
    if (s > 0 || prediction.rollout.completed[0] < prediction.rollout.steps) continue;
    std::vector<double> shown;  // without gaps
    for (std::size_t k = 0; k < prediction.rollout.q.size(); ++k) {
      const std::size_t at = static_cast<std::size_t>(prediction.from) * n + k;
      shown.push_back(std::isnan(measured[at]) ? motion.runs[r].q[at] : measured[at]);
    }
    const std::vector<Motion> motions = {{"measured", shown}, {"learned", prediction.rollout.q}};
    if (auto animation = animate(view.ensemble.model, prediction.t, motions))
      page["animation"] = *animation;
  }
}

}  // namespace mechfit
