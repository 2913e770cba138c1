#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/evaluate/predictions.h"
#include "mechfit/evaluate/start_states.h"
#include "mechfit/integrate/rollout.h"
#include "mechfit/log/steps.h"
#include "mechfit/mechanics/point.h"
#include "mechfit/report/fit_members.h"
#include "mechfit/report/mechanism.h"

namespace mechfit {
namespace {

using nlohmann::json;

// Steps of Runge-Kutta's method per sample: the figure shows the model, not its integrator. On a
// double pendulum that turns over, 30 ms between samples, 2 and 4 draw the same curves for 2 s.
constexpr int kSubsteps = 2;

// What the model predicts from the first start of each run that is shown, all at once.
struct Predictions {
  Starts starts;
  std::vector<Rollout> model;       // one: of the model, or the mean of the members
  std::vector<Rollout> candidates;  // equally likely ones; empty: nothing is known of the error
};

void keep_first(int count, int n, int most_steps, Starts& starts) {
  starts.run.resize(count);
  starts.sample.resize(count);
  starts.steps.resize(count);
  starts.q.resize(static_cast<std::size_t>(count) * n);
  starts.v.resize(static_cast<std::size_t>(count) * n);
  for (int& steps : starts.steps) steps = std::min(steps, most_steps);
}

// q and v become the mean over the members, as far as all get.
Rollout mean_rollout(std::span<const Model> members, const RolloutRequest& request,
                     ThreadPool& pool) {
  Rollout out = roll_out(members[0], request, Integrator::rk4, pool);
  for (std::size_t k = 1; k < members.size(); ++k) {
    const Rollout own = roll_out(members[k], request, Integrator::rk4, pool);
    for (int b = 0; b < request.trajectories; ++b)
      out.completed[b] = std::min(out.completed[b], own.completed[b]);
    const double share = 1.0 / static_cast<double>(k + 1);
    for (auto values : {&Rollout::q, &Rollout::v})
      for (std::size_t at = 0; at < (out.*values).size(); ++at)
        (out.*values)[at] += share * ((own.*values)[at] - (out.*values)[at]);
  }
  return out;
}

Predictions predict(const FitView& view) {
  const Log& motion = view.held_out.motion();
  const Ensemble& ensemble = view.ensemble;
  const int n = ensemble.model.joints();
  Predictions out{run_starts(motion, kStartWindow), {}, {}};
  std::vector<Starts> drawn;
  if (out.starts.size() > 0) {
    estimate_states(ensemble.model, view.held_out.observed, kStartWindow, out.starts, view.pool,
                    kPredictions, &drawn, ensemble.grid());
  } else {
    out.starts = run_starts(motion, 0);
    if (out.starts.size() == 0) return out;
    take_logged_states(motion, out.starts);
    drawn.assign(kPredictions, out.starts);
  }
  const int count = std::min(kShownRuns, out.starts.size()), most = shown_samples(n) - 1;
  keep_first(count, n, most, out.starts);
  for (Starts& own : drawn) keep_first(count, n, most, own);
  RolloutSteps cut = rollout_steps(ensemble, 0, median_step(motion));
  cut.parts = std::max(kSubsteps, cut.parts);
  cut.control.longest = median_step(motion) / cut.parts;
  const StartArrays arrays = start_arrays(ensemble.model, motion, out.starts, cut);
  RolloutRequest request = arrays.request();
  request.contacts = ensemble.contacts;
  const std::span<const Model> models =
      ensemble.mean ? std::span(ensemble.members) : std::span(&ensemble.model, 1);
  out.model.push_back(mean_rollout(models, request, view.pool));
  if (view.has_bands()) out.candidates = predict_rollouts(ensemble, motion, drawn, cut, view.pool);
  return out;
}

// q or v of a joint k steps after start s; NaN where the rollout did not get.
double value_at(const Rollout& rollout, const std::vector<double>& values, int s, int k, int i) {
  const std::size_t row = static_cast<std::size_t>(s) * (rollout.steps + 1) + k;
  return k <= rollout.completed[s] ? values[row * rollout.n + i] : kNan;
}

// The predicted positions of a joint with their bands; infinite limits, where many predictions
// failed, are gaps.
json predicted_curve(const Predictions& predictions, int s, int i) {
  const Rollout& rollout = predictions.model[0];
  std::vector<double> y, low[kBandCount], high[kBandCount];
  std::vector<double> values(predictions.candidates.size());
  for (int k = 0; k <= predictions.starts.steps[s]; ++k) {
    y.push_back(value_at(rollout, rollout.q, s, k, i));
    if (values.empty()) continue;
    for (std::size_t c = 0; c < values.size(); ++c)
      values[c] = value_at(predictions.candidates[c], predictions.candidates[c].q, s, k, i);
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

bool is_stop(const Contact& contact) {
  return contact.shape == ContactShape::upper_stop || contact.shape == ContactShape::lower_stop;
}

// A joint's stops, and when it hits them or the machine anything that is none.
void add_contacts(const Contacts& contacts, const std::vector<ContactEvent>& events, int joint,
                  double end, json& out) {
  for (const Contact& contact : contacts)
    if (is_stop(contact) && contact.joint == joint)
      out["stops"].push_back({{"name", contact.name}, {"position", contact.position}});
  for (const ContactEvent& event : events) {
    const Contact& contact = contacts[event.contact];
    if (event.time <= end && (!is_stop(contact) || contact.joint == joint))
      out["impacts"].push_back(event.time);
  }
}

json rollout_run(const FitView& view, const Predictions& predictions, int s,
                 const std::vector<double>& motion) {
  const Trajectory& observed = view.held_out.observed.runs[predictions.starts.run[s]];
  const Rollout& rollout = predictions.model[0];
  const int n = rollout.n, from = predictions.starts.sample[s], steps = predictions.starts.steps[s];
  json joints = json::array();
  for (int i = 0; i < n; ++i) {
    std::vector<double> seen, measured;
    for (int k = from; k <= from + steps; ++k) {
      seen.push_back(observed.q[k * n + i]);
      measured.push_back(motion[k * n + i]);
    }
    joints.push_back({{"observed", seen},
                      {"measured", measured},
                      {"predicted", predicted_curve(predictions, s, i)}});
    if (!view.ensemble.contacts.empty())
      add_contacts(view.ensemble.contacts, rollout.events[s], i,
                   observed.t[from + steps] - observed.t[from], joints.back());
  }
  PointDynamics point(view.ensemble.model);
  std::vector<double> t, energy, q(n), v(n);
  for (int k = 0; k <= steps; ++k) {
    for (int i = 0; i < n; ++i) {
      q[i] = value_at(rollout, rollout.q, s, k, i);
      v[i] = value_at(rollout, rollout.v, s, k, i);
    }
    energy.push_back(std::isfinite(q[0]) && std::isfinite(v[0]) ? point.energy(q, v) : kNan);
    t.push_back(observed.t[from + k] - observed.t[from]);
  }
  return {{"name", part_name(view.held_out.observed, observed.name, observed.t[from])},
          {"t", t},
          {"joints", joints},
          {"energy", json::array({json{{"name", "rollout"}, {"y", energy}}})}};
}

// The first rollout as a mechanism in motion, for models that have a sketch.
void add_animation(const FitView& view, const Predictions& predictions,
                   const std::vector<double>& measured, json& page) {
  const Rollout& rollout = predictions.model[0];
  const int n = rollout.n, from = predictions.starts.sample[0], steps = predictions.starts.steps[0];
  if (rollout.completed[0] < steps) return;
  const Trajectory& run = view.held_out.motion().runs[predictions.starts.run[0]];
  Motion seen{"measured", {}}, learned{"learned", {}};
  std::vector<double> t;
  for (int k = 0; k <= steps; ++k) {
    t.push_back(run.t[from + k] - run.t[from]);
    for (int i = 0; i < n; ++i) {
      const std::size_t at = static_cast<std::size_t>(from + k) * n + i;
      seen.q.push_back(std::isnan(measured[at]) ? run.q[at] : measured[at]);  // no gaps
      learned.q.push_back(value_at(rollout, rollout.q, 0, k, i));
    }
  }
  if (auto animation = animate(view.ensemble.model, t, {seen, learned}))
    page["animation"] = *animation;
}

}  // namespace

void add_rollout_members(const FitView& view, json& page) {
  page["rollouts"] = json::array();
  const Predictions predictions = predict(view);
  for (int s = 0; s < predictions.starts.size(); ++s) {
    const auto measured = measured_positions(view, predictions.starts.run[s]);
    page["rollouts"].push_back(rollout_run(view, predictions, s, measured));
    if (s == 0) add_animation(view, predictions, measured, page);
  }
}

}  // namespace mechfit
