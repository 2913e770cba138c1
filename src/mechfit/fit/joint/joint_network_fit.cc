#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "mechfit/base/error.h"
#include "mechfit/estimate/motion/model_smoother.h"
#include "mechfit/fit/joint/joint_gauss_newton.h"
#include "mechfit/fit/joint/joint_held_out.h"
#include "mechfit/fit/joint/joint_network.h"

namespace mechfit {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// A fit begins with the motions held, then moves them with every step. s falls, in units of the
// accelerations: its most likely value, right for families with few parameters, would follow a
// network into overfitting.
struct Plan {
  int held;        // steps with the motions held
  double held_s;   // where s arrives, from 1, after half of them
  int moving;      // steps that move the motions
  double first_s;  // of those; falls to kLastS
};
// Smoothed motions are soon left. Those that another family made obey some mechanics already.
constexpr Plan kFromSmoothed = {150, 1, 1000, 0.6}, kFromBefore = {1000, 0.1, 200, 0.1};
constexpr double kLastS = 0.1;
constexpr double kRate = 1e-2, kLastRate = 0.06;  // of Adam; at the end of a fall, relative
constexpr double kRest = 0.2;  // share of the moving steps at the last s, rates to zero
constexpr double kSlowest = 0.05;
constexpr int kScoreEvery = 25;
constexpr double kMassWeight = 100;
constexpr int kPriorPoints = 128;
// A fall of the held-out log-likelihood below the best by more than this takes the fit back.
constexpr double kDrop = 50;
constexpr MotionRun::Options kFirstSolve{10, 1e-3};

// Precise data have more to teach: where a Gauss-Newton step on motions and parameters together
// makes the held-out log-likelihood higher by kChance, and J (half the numbers when sigma and s are
// right) says that the network can explain the data, more of them follow, s and sigma at their
// most likely values; a later model is preferred unless it falls short by more than that. Noisy
// data would be overfitted.
constexpr double kChance = 5;
constexpr double kReach = 10;      // such gains at most may lie between it and another family
constexpr double kSettled = 0.02;  // promised decrease of J per number before the noise is renewed
constexpr double kQuiet = 0.002,
                 kQuietChange = 0.05;  // the same, and the fall of log s, at the end
constexpr double kLowestS = 1e-3;
constexpr int kMostPolishing = 40, kPatience = 15;
constexpr int kMostParameters = 2500;  // a step needs the square of them per number

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

class Schedule {
 public:
  Schedule(Plan plan, int steps) : plan_(plan), steps_(plan.held + plan.moving) {
    if (steps == 0) return;
    plan_.held = static_cast<int>(static_cast<double>(steps) * plan.held / steps_);
    steps_ = steps;
  }
  int steps() const { return steps_; }
  bool held(int step) const { return step <= plan_.held; }
  bool last_held(int step) const { return step == plan_.held; }
  double s_at(int step) const {
    if (held(step)) return std::pow(plan_.held_s, std::min(1.0, 2.0 * step / plan_.held));
    const double part = std::min(1.0, static_cast<double>(step - plan_.held) / falling());
    return plan_.first_s * std::pow(kLastS / plan_.first_s, part);
  }
  double rate_at(int step) const {
    if (held(step)) return 1.0;
    const int moved = step - plan_.held, moving = steps_ - plan_.held;
    if (moved < falling()) return std::pow(kLastRate, static_cast<double>(moved) / falling());
    const double left = static_cast<double>(moving - moved) / (moving - falling() + 1);
    return kLastRate * std::max(kSlowest, left);
  }

 private:
  int falling() const { return std::max(1, static_cast<int>((1 - kRest) * (steps_ - plan_.held))); }

  Plan plan_;
  int steps_;
};

// How far a fit has come.
struct Standing {
  int step = 0;
  double factor = 1;  // of the rate, halved when the fit is taken back
  JointBest best;
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
  state["standing"] = {static_cast<double>(at.step), at.factor, at.best.score};
  state["best"] = at.best.theta;
  state["best_sigma"] = at.best.noise.sigma;
  state["best_s"] = at.best.noise.s;
  save_motions("motion_", runs.motions(), state);
  save_motions("held_out_", held_out.motions(), state);
  save_motions("best_motion_", at.best.motions, state);
  save_motions("best_held_out_", at.best.held_out, state);
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
  at.best.score = standing.at(2);
  at.best.theta = state.at("best");
  at.best.noise = {state.at("best_sigma"), state.at("best_s")};
  if (!at.best.theta.empty()) {
    at.best.motions = load_motions("best_motion_", runs.size(), state);
    at.best.held_out = load_motions("best_held_out_", held_out.size(), state);
  }
  runs.set_motions(load_motions("motion_", runs.size(), state));
  held_out.set_motions(load_motions("held_out_", held_out.size(), state));
  return at;
}

// Gauss-Newton steps from the best of the fit on; what they improve goes there.
void polish(const Model& start, const std::vector<double>& s_unit, const JointOptions& options,
            JointRuns& runs, HeldOut& held_out, MassPrior* prior, const JointHooks& hooks,
            JointBest& best, JointResult& result) {
  if (start.parameter_count() > kMostParameters) return;
  Model model = start;
  model.set_parameters(best.theta);
  runs.set_motions(best.motions);
  held_out.runs.set_motions(best.held_out);
  JointGaussNewton solver(model, runs, {}, prior);
  MotionNoise noise = best.noise;
  NoiseSearch search;
  search.sigma = options.sigma.empty();
  search.s_floor = kLowestS;
  search.s_unit = s_unit;
  const int before = result.history.back().iteration;
  double highest = best.score;
  bool settled = false;
  for (int k = 1, kept = 0; k <= kMostPolishing && k <= kept + kPatience; ++k) {
    if (!solver.linearise()) break;
    const MotionNoise last = noise;
    if (settled) improve_noise(runs, search, noise);
    const auto step = solver.step(noise);
    const bool quiet =
        settled && fall_of_s(last, noise) < kQuietChange && step.promised < kQuiet * runs.numbers();
    settled = step.promised < kSettled * runs.numbers();
    const double score = held_out.score(solver.model(), noise), gain = score - highest;
    const double chance = kChance / held_out.runs.numbers();
    const bool worth = k > 1 || (gain > chance && step.objective < runs.numbers() &&
                                 score + kReach * gain > options.rival);
    if (!worth) break;
    if (gain > -chance) {
      best = JointBest::at(score, solver.model(), noise, runs, held_out.runs);
      kept = k;
    }
    highest = std::max(highest, score);
    if (!step.better) break;
    result.history.push_back({before + k, before + kMostPolishing, step.objective, score, noise});
    if (hooks.progress && !hooks.progress(result.history.back())) {
      result.finished = quiet || k == kMostPolishing;
      break;
    }
    if (quiet) break;
  }
}

}  // namespace

JointResult fit_joint_network(const Model& start, const Log& train, const Log& train_smoothed,
                              const Log& validation, const Log& validation_smoothed,
                              const MotionNoise& first_noise, const JointOptions& options,
                              ThreadPool& pool, const JointHooks& hooks) {
  JointRuns runs(start, train, train_smoothed, pool);
  HeldOut held_out(start, validation, validation_smoothed, pool);
  const auto prior = make_prior(start, train_smoothed);
  JointNetwork solver(start, runs, prior.get());
  const double first_rate = options.learning_rate > 0 ? options.learning_rate : kRate;
  const Schedule schedule(options.before ? kFromBefore : kFromSmoothed, options.iterations);
  const auto noise_at = [&](int step) {
    MotionNoise noise = first_noise;
    for (double& s : noise.s) s *= schedule.s_at(step);
    return noise;
  };

  JointResult result(start);
  Standing at;
  if (hooks.resume) {
    at = from_state(*hooks.resume, solver, runs, held_out.runs);
    const auto& J = hooks.resume->at("objective");
    const auto& scores = hooks.resume->at("validation");
    for (int k = 0; k < at.step; ++k)
      result.history.push_back({k + 1, schedule.steps(), J.at(k), scores.at(k), noise_at(k + 1)});
  }
  while (at.step < schedule.steps() && result.finished) {
    const int k = ++at.step;
    const MotionNoise noise = noise_at(k);
    const auto motions =
        schedule.held(k) ? JointNetwork::Motions::held : JointNetwork::Motions::moved;
    const double J = solver.step(noise, at.factor * first_rate * schedule.rate_at(k), motions);
    JointRecord record{k, schedule.steps(), J, kNan, noise};
    const bool looks = k % kScoreEvery == 0 || k == schedule.steps();
    if (schedule.last_held(k)) {
      solver.restart();
      runs.solve(solver.model(), noise_at(k + 1), kFirstSolve);
    } else if (looks && !schedule.held(k)) {
      record.validation = held_out.score(solver.model(), noise);
      if (record.validation > at.best.score) {
        at.best = JointBest::at(record.validation, solver.model(), noise, runs, held_out.runs);
      } else if (!((at.best.score - record.validation) * held_out.runs.numbers() <= kDrop) &&
                 !at.best.theta.empty()) {
        solver.restart(at.best.theta);
        runs.set_motions(at.best.motions);
        held_out.runs.set_motions(at.best.held_out);
        at.factor *= 0.5;
      }
      solver.renew();
    }
    result.history.push_back(record);
    if (hooks.progress && !hooks.progress(record)) result.finished = k == schedule.steps();
    if (hooks.checkpoint && looks)
      hooks.checkpoint(to_state(solver, runs, held_out.runs, at, result.history));
  }
  JointBest& best = at.best;
  if (best.theta.empty() && !result.finished)
    best = JointBest::at(best.score, solver.model(), noise_at(at.step), runs, held_out.runs);
  if (best.theta.empty()) throw InputError("no model was found that explains the held-out runs");
  if (options.iterations == 0 && result.finished)
    polish(start, first_noise.s, options, runs, held_out, prior.get(), hooks, best, result);
  result.model.set_parameters(best.theta);
  result.noise = best.noise;
  result.validation_score = best.score;
  result.validation_numbers = held_out.runs.numbers();
  runs.set_motions(best.motions);
  if (runs.linearise(result.model, RunDerivatives::configurations))
    result.log_likelihood = runs.log_likelihood(best.noise) / runs.numbers();
  held_out.runs.set_motions(best.held_out);
  const auto smoothed = [&](const Log& observed, const Log& motions) {
    return smooth_with_model(result.model, observed, motions, best.noise, pool).log;
  };
  result.train = smoothed(train, runs.with_motions(train_smoothed));
  result.validation = smoothed(validation, held_out.runs.with_motions(validation_smoothed));
  return result;
}

}  // namespace mechfit
