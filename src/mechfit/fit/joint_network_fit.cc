#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "mechfit/base/error.h"
#include "mechfit/fit/joint_network.h"
#include "mechfit/smooth/model_smoother.h"

namespace mechfit {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// s falls from the first to the last of these, in units of the accelerations, then stays. The most
// likely s, right for families with few parameters, would follow a network into overfitting.
constexpr double kFirstS = 0.6, kLastS = 0.1;
constexpr double kRate = 1e-2, kLastRate = 0.06;  // of Adam; at the end of a fall, relative
constexpr double kRest = 0.2;                     // share of the steps at the last s, rates to zero
constexpr double kSlowest = 0.05;
constexpr int kSteps = 1000, kFirstSteps = 150;  // the latter on the smoothed motions alone
constexpr int kScoreEvery = 25;
// Precise data have more to teach: a round that still raised the held-out log-likelihood by kWorth
// in its last part is followed by a longer one with a lower s.
constexpr double kWorth = 30, kLastPart = 0.5, kFurtherS = 0.3;
constexpr double kReach = 5;  // such gains at most may lie between it and another family
constexpr int kMostSteps = 8000;
constexpr double kMassWeight = 100;
constexpr int kPriorPoints = 128;
// A fall of the held-out log-likelihood below the best by more than this takes the fit back.
constexpr double kDrop = 50;
constexpr MotionRun::Options kFirstSolve{10, 1e-3}, kHeldOutSolve{8, 1e-2};

// The prior's scale where nothing settles it.
std::unique_ptr<MassPrior> make_prior(const Model& model, const Log& smoothed) {
  const SmmConfig& config = model.as<Smm>()->config();
  std::vector<double> q, unit = config.scales.v;
  for (const auto& run : smoothed.runs) q.insert(q.end(), run.q.begin(), run.q.end());
  for (double& v : unit) v /= std::sqrt(config.scales.energy);
  const bool free_scale = model.inputs() == 0 || config.input_map != InputMap::fixed;
  return std::make_unique<MassPrior>(model, spread_points(config.joints, q, kPriorPoints), unit,
                                     free_scale, kMassWeight);
}

double score(JointRuns& held_out, const std::vector<std::vector<double>>& start, const Model& model,
             const MotionNoise& noise) {
  held_out.solve(model, noise, kHeldOutSolve);
  if (held_out.linearise(model, RunDerivatives::configurations))
    return likelihood_score(held_out, noise);
  held_out.set_motions(start);
  return -kInfinity;
}

// Steps begin + 1 .. end, over which s and the rate fall.
struct Round {
  int begin, end;
  double first_s, last_s;

  Round next() const { return {end, end + 2 * (end - begin), last_s, kFurtherS * last_s}; }
  int falling() const { return std::max(1, static_cast<int>((1 - kRest) * (end - begin))); }
  double s_at(int step) const {
    const double part = std::min(1.0, static_cast<double>(step - begin) / falling());
    return first_s * std::pow(last_s / first_s, part);
  }
  double rate_at(int step) const {
    if (step - begin < falling())
      return std::pow(kLastRate, static_cast<double>(step - begin) / falling());
    const double left = static_cast<double>(end - step) / (end - begin - falling() + 1);
    return kLastRate * std::max(kSlowest, left);
  }
};

// Whether the last part of a round made the held-out runs more likely by kWorth, and the rival is
// within reach.
bool worth_more(const Round& round, const std::vector<JointRecord>& history, double numbers,
                double rival) {
  double early = -kInfinity, late = -kInfinity;
  const double from = round.end - kLastPart * (round.end - round.begin);
  for (const JointRecord& record : history) {
    double& best = record.iteration <= from ? early : late;
    if (!std::isnan(record.validation)) best = std::max(best, record.validation);
  }
  return (late - early) * numbers > kWorth && late + kReach * (late - early) > rival &&
         round.next().end <= kMostSteps;
}

// How far a fit has come: what is best so far, and where it stands.
struct Standing {
  int step = 0, end = 0;
  double factor = 1;  // of the rate, halved when the fit is taken back
  double best = -kInfinity;
  std::vector<double> theta;
  MotionNoise noise;
  std::vector<std::vector<double>> motions, held_out;
};

void save_motions(const std::string& name, const std::vector<std::vector<double>>& q,
                  JointState& state) {
  for (std::size_t k = 0; k < q.size(); ++k) state[name + std::to_string(k)] = q[k];
}

std::vector<std::vector<double>> load_motions(const std::string& name, int count,
                                              const JointState& state) {
  std::vector<std::vector<double>> q;
  for (int k = 0; k < count; ++k) q.push_back(state.at(name + std::to_string(k)));
  return q;
}

JointState to_state(const JointNetwork& solver, const JointRuns& runs, const JointRuns& held_out,
                    const Standing& at, const std::vector<JointRecord>& history) {
  JointState state;
  solver.save(state);
  state["standing"] = {static_cast<double>(at.step), at.factor, at.best,
                       static_cast<double>(at.end)};
  state["best"] = at.theta;
  state["best_sigma"] = at.noise.sigma;
  state["best_s"] = at.noise.s;
  save_motions("motion_", runs.motions(), state);
  save_motions("held_out_", held_out.motions(), state);
  save_motions("best_motion_", at.motions, state);
  save_motions("best_held_out_", at.held_out, state);
  for (const JointRecord& record : history) {
    state["objective"].push_back(record.objective);
    state["validation"].push_back(record.validation);
  }
  return state;
}

Standing from_state(const JointState& state, JointNetwork& solver, JointRuns& runs,
                    JointRuns& held_out) {
  solver.restore(state);
  const std::vector<double>& standing = state.at("standing");
  Standing at;
  at.step = static_cast<int>(standing.at(0));
  at.factor = standing.at(1);
  at.best = standing.at(2);
  at.end = static_cast<int>(standing.at(3));
  at.theta = state.at("best");
  at.noise = {state.at("best_sigma"), state.at("best_s")};
  at.motions = load_motions("best_motion_", runs.size(), state);
  at.held_out = load_motions("best_held_out_", held_out.size(), state);
  runs.set_motions(load_motions("motion_", runs.size(), state));
  held_out.set_motions(load_motions("held_out_", held_out.size(), state));
  return at;
}

}  // namespace

JointResult fit_joint_network(const Model& start, const Log& train, const Log& train_smoothed,
                              const Log& validation, const Log& validation_smoothed,
                              const MotionNoise& first_noise, const JointOptions& options,
                              ThreadPool& pool, const JointHooks& hooks) {
  JointRuns runs(start, train, train_smoothed, pool);
  JointRuns held_out(start, validation, validation_smoothed, pool);
  const auto held_out_start = held_out.motions();
  const auto prior = make_prior(start, train_smoothed);
  JointNetwork solver(start, runs, prior.get());
  const double first_rate = options.learning_rate > 0 ? options.learning_rate : kRate;
  const bool open_end = options.iterations == 0;
  const int steps = open_end ? kSteps : options.iterations;
  std::vector<Round> rounds = {{0, steps, kFirstS, kLastS}};
  const auto noise_at = [&](int step) {
    const auto round = std::find_if(rounds.begin(), rounds.end() - 1,
                                    [&](const Round& r) { return step <= r.end; });
    MotionNoise noise = first_noise;
    for (double& s : noise.s) s *= round->s_at(step);
    return noise;
  };

  JointResult result(start);
  Standing at;
  if (hooks.resume) {
    at = from_state(*hooks.resume, solver, runs, held_out);
    const auto& J = hooks.resume->at("objective");
    const auto& scores = hooks.resume->at("validation");
    while (rounds.back().end < at.end) rounds.push_back(rounds.back().next());
    for (int k = 0; k < at.step; ++k)
      result.history.push_back({k + 1, at.end, J.at(k), scores.at(k), noise_at(k + 1)});
  } else {
    for (int k = 0; k < std::min(kFirstSteps, steps); ++k)
      solver.step_parameters(first_noise, first_rate);
    solver.restart();
    runs.solve(solver.model(), noise_at(0), kFirstSolve);
  }
  while (at.step < rounds.back().end && result.finished) {
    const int k = ++at.step;
    const MotionNoise noise = noise_at(k);
    const double J = solver.step(noise, at.factor * first_rate * rounds.back().rate_at(k));
    JointRecord record{k, rounds.back().end, J, kNan, noise};
    const bool ends = k == rounds.back().end, looks = k % kScoreEvery == 0 || ends;
    if (looks) {
      record.validation = score(held_out, held_out_start, solver.model(), noise);
      if (record.validation > at.best) {
        const auto theta = solver.model().parameters();
        at = {k,
              at.end,
              at.factor,
              record.validation,
              {theta.begin(), theta.end()},
              noise,
              runs.motions(),
              held_out.motions()};
      } else if (!((at.best - record.validation) * held_out.numbers() <= kDrop) &&
                 !at.theta.empty()) {
        solver.restart(at.theta);
        runs.set_motions(at.motions);
        held_out.set_motions(at.held_out);
        at.factor *= 0.5;
      }
      solver.renew();
    }
    result.history.push_back(record);
    if (ends && open_end &&
        worth_more(rounds.back(), result.history, held_out.numbers(), options.rival))
      rounds.push_back(rounds.back().next());
    at.end = rounds.back().end;
    if (hooks.progress && !hooks.progress(record)) result.finished = k == at.end;
    if (hooks.checkpoint && looks)
      hooks.checkpoint(to_state(solver, runs, held_out, at, result.history));
  }
  if (at.theta.empty() && !result.finished) {
    const auto theta = solver.model().parameters();
    at.theta.assign(theta.begin(), theta.end());
    at.noise = noise_at(at.step);
    at.motions = runs.motions();
  }
  if (at.theta.empty()) throw InputError("no model was found that explains the held-out runs");
  result.model.set_parameters(at.theta);
  result.noise = at.noise;
  result.validation_score = at.best;
  result.validation_numbers = held_out.numbers();
  runs.set_motions(at.motions);
  if (runs.linearise(result.model, RunDerivatives::configurations))
    result.log_likelihood = runs.log_likelihood(at.noise) / runs.numbers();
  if (!at.held_out.empty()) held_out.set_motions(at.held_out);
  result.train =
      smooth_with_model(result.model, train, runs.with_motions(train_smoothed), at.noise, pool).log;
  result.validation = smooth_with_model(result.model, validation,
                                        held_out.with_motions(validation_smoothed), at.noise, pool)
                          .log;
  return result;
}

}  // namespace mechfit
