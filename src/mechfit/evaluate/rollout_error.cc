#include "mechfit/evaluate/rollout_error.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/evaluate/energy_balance.h"
#include "mechfit/integrate/rollout.h"

namespace mechfit {
namespace {

// Sums of squares of one horizon.
class ErrorSum {
 public:
  explicit ErrorSum(int n) : squares_(n, 0.0) {}
  void add(int joint, double error) { squares_[joint] += error * error; }
  JointErrors finish(int count) const {
    JointErrors out;
    double sum = 0;
    for (const double square : squares_) {
      out.joint.push_back(std::sqrt(square / count));
      sum += square / count;
    }
    out.overall = std::sqrt(sum / static_cast<double>(squares_.size()));
    return out;
  }

 private:
  std::vector<double> squares_;
};

HorizonScore score_horizon(const Log& log, const Starts& starts, double seconds,
                           const Rollout& variational, const Rollout& rk4) {
  const int n = log.n();
  HorizonScore score;
  score.seconds = seconds;
  ErrorSum variational_sum(n), rk4_sum(n), velocity_sum(n), stay_sum(n);
  for (int s = 0; s < starts.size(); ++s) {
    const Trajectory& run = log.runs[starts.run[s]];
    const int from = starts.sample[s];
    const int to = sample_near(run, from, seconds);
    if (to < 0) continue;
    ++score.starts;
    const int steps = to - from;
    const double time = run.t[to] - run.t[from];
    const bool variational_ok = variational.completed[s] >= steps;
    const bool rk4_ok = rk4.completed[s] >= steps;
    score.variational_failed += !variational_ok;
    score.rk4_failed += !rk4_ok;
    for (int i = 0; i < n; ++i) {
      const double q = run.q[to * n + i], q0 = run.q[from * n + i], v0 = run.qd[from * n + i];
      const double stay = q0 - q, velocity = q0 + time * v0 - q;
      const double worst = std::max(std::fabs(stay), std::fabs(velocity));
      const auto error = [&](const Rollout& rollout, bool ok) {
        const auto row = static_cast<std::size_t>(s) * (rollout.steps + 1) + steps;
        return ok ? rollout.q[row * n + i] - q : worst;
      };
      variational_sum.add(i, error(variational, variational_ok));
      rk4_sum.add(i, error(rk4, rk4_ok));
      velocity_sum.add(i, velocity);
      stay_sum.add(i, stay);
    }
  }
  if (score.starts == 0) return score;
  score.variational = variational_sum.finish(score.starts);
  score.rk4 = rk4_sum.finish(score.starts);
  score.velocity = velocity_sum.finish(score.starts);
  score.stay = stay_sum.finish(score.starts);
  return score;
}

// How many standard errors of its mean square the better baseline must be off for a horizon to
// judge.
constexpr double kJudgeable = 3;

// What the starts' rollouts and baselines miss of the observations. A rollout that failed counts
// with the worse baseline's error, as above.
void score_observed(const Log& log, const Starts& starts, const RolloutErrorOptions& options,
                    const Rollout& variational, const Rollout& rk4, HorizonScore& score) {
  const int n = log.n();
  ObservedSum variational_sum(options.noise), rk4_sum(options.noise), velocity_sum(options.noise),
      stay_sum(options.noise);
  for (int s = 0; s < starts.size(); ++s) {
    const Trajectory &run = log.runs[starts.run[s]], &seen = options.observed->runs[starts.run[s]];
    const int from = starts.sample[s], to = sample_near(run, from, score.seconds);
    if (to < 0) continue;
    const int steps = to - from;
    const double time = run.t[to] - run.t[from];
    // Rollouts that begin within one horizon share their motion.
    const std::pair<int, int> block = {
        starts.run[s], static_cast<int>((run.t[from] - run.t.front()) / score.seconds)};
    for (int i = 0; i < n; ++i) {
      const double y = seen.q[to * n + i], q0 = run.q[from * n + i], v0 = run.qd[from * n + i];
      const double stay = q0 - y, velocity = q0 + time * v0 - y;
      const double worst = std::fabs(stay) > std::fabs(velocity) ? stay : velocity;
      const auto error = [&](const Rollout& rollout) {
        const auto row = static_cast<std::size_t>(s) * (rollout.steps + 1) + steps;
        return rollout.completed[s] >= steps ? rollout.q[row * n + i] - y : worst;
      };
      variational_sum.add(block, i, error(variational));
      rk4_sum.add(block, i, error(rk4));
      velocity_sum.add(block, i, velocity);
      stay_sum.add(block, i, stay);
    }
  }
  score.variational_observed = variational_sum.finish();
  score.rk4_observed = rk4_sum.finish();
  score.velocity_observed = velocity_sum.finish();
  score.stay_observed = stay_sum.finish();
  const ObservedErrors& better =
      score.velocity_observed.mean_square < score.stay_observed.mean_square
          ? score.velocity_observed
          : score.stay_observed;
  // The spread of the baseline's own errors is no reason to doubt them; that of a rollout as good
  // as the truth is the noise's.
  double noise4 = 0;
  for (const double sigma : options.noise) noise4 += 2 * std::pow(sigma, 4) / n;
  score.judgeable =
      better.mean_square > kJudgeable * std::sqrt(noise4 / std::max(1, better.observations));
}

// Root mean squares of how far rollouts from drawn states end up from those of `centre`.
JointErrors start_errors(const Log& log, const Starts& starts, double seconds,
                         const Rollout& centre, std::span<const Rollout> drawn) {
  const int n = log.n();
  ErrorSum sum(n);
  int count = 0;
  for (int s = 0; s < starts.size(); ++s) {
    const int from = starts.sample[s], to = sample_near(log.runs[starts.run[s]], from, seconds);
    if (to < 0 || centre.completed[s] < to - from) continue;
    for (const Rollout& own : drawn) {
      if (own.completed[s] < to - from) continue;
      ++count;
      const auto row = static_cast<std::size_t>(s) * (own.steps + 1) + to - from;
      for (int i = 0; i < n; ++i) sum.add(i, own.q[row * n + i] - centre.q[row * n + i]);
    }
  }
  return sum.finish(std::max(count, 1));
}

// Starts that rest on samples of their own.
int windows_apart(const Starts& starts, int window) {
  int count = 0, last = -1;
  for (int s = 0; s < starts.size(); ++s)
    if (last < 0 || starts.run[s] != starts.run[last] ||
        starts.sample[s] - starts.sample[last] >= window) {
      ++count;
      last = s;
    }
  return count;
}

// var of a mean of N values (x + noise)^2: (2 sigma^4 + 4 sigma^2 x^2) / N; and x^2, that starts
// make, is the mean of as many as there are windows.
void add_chance(const RolloutErrorOptions& options, const Starts& starts, HorizonScore& score) {
  const double windows = windows_apart(starts, options.window);
  for (std::size_t j = 0; j < options.noise.size(); ++j) {
    const double noise2 = options.noise[j] * options.noise[j];
    const double start2 = score.start.joint.empty() ? 0 : std::pow(score.start.joint[j], 2);
    score.chance2.push_back(std::sqrt((2 * noise2 * noise2 + 4 * noise2 * start2) / score.starts) +
                            start2 / std::sqrt(windows));
  }
}

// Failures before the end of the run, where the model would be compared with nothing.
std::string first_failure(const Starts& starts, const Rollout& rollout) {
  for (int s = 0; s < starts.size(); ++s)
    if (rollout.completed[s] < starts.steps[s]) return describe(rollout.status[s]);
  return "";
}

// q becomes the mean over rollouts; a trajectory ends where the first of them does.
void average(Rollout& mean, const std::vector<Rollout>& others) {
  const double share = 1.0 / static_cast<double>(others.size() + 1);
  for (double& q : mean.q) q *= share;
  for (const Rollout& other : others) {
    for (std::size_t k = 0; k < mean.q.size(); ++k) mean.q[k] += share * other.q[k];
    for (int s = 0; s < mean.trajectories; ++s)
      if (other.completed[s] < mean.completed[s]) {
        mean.completed[s] = other.completed[s];
        mean.status[s] = other.status[s];
      }
  }
}

}  // namespace

RolloutScores rollout_error(const Model& model, const Log& log, const Starts& starts,
                            const RolloutErrorOptions& options, ThreadPool& pool) {
  return rollout_error(std::span(&model, 1), log, starts, options, pool);
}

RolloutScores rollout_error(std::span<const Model> models, const Log& log, const Starts& starts,
                            const RolloutErrorOptions& options, ThreadPool& pool) {
  RolloutScores scores;
  if (starts.size() == 0) return scores;
  const Model& model = models[0];
  MECHFIT_CHECK(!options.observed || (options.observed->runs.size() == log.runs.size() &&
                                      options.noise.size() == static_cast<std::size_t>(log.n())));
  const RolloutSteps cut = {std::max(1, options.substeps), options.control};
  const StartArrays arrays = start_arrays(model, log, starts, cut);
  RolloutRequest request = arrays.request();
  request.contacts = options.contacts;
  Rollout rk4 = roll_out(model, request, Integrator::rk4, pool);
  std::vector<Rollout> drawn;
  for (const Starts& other : options.drawn) {
    const StartArrays own = start_arrays(model, log, other, cut);
    RolloutRequest elsewhere = own.request();
    elsewhere.contacts = options.contacts;
    drawn.push_back(roll_out(model, elsewhere, Integrator::rk4, pool));
  }
  const Rollout undrawn = drawn.empty() ? Rollout({}, 0) : rk4;
  std::vector<Rollout> rk4_others, variational_others;
  for (const Model& other : models.subspan(1)) {
    rk4_others.push_back(roll_out(other, request, Integrator::rk4, pool));
    variational_others.push_back(roll_out(other, request, Integrator::variational, pool));
  }
  request.midpoints = true;
  Rollout variational = roll_out(model, request, Integrator::variational, pool);
  // Impacts take energy: what the integrator keeps is seen without them.
  RolloutRequest free = request;
  free.contacts = {};
  const Rollout& flight =
      request.contacts.empty() ? variational : roll_out(model, free, Integrator::variational, pool);
  scores.energy_drift = energy_drift(model, free, flight, starts.steps, pool);
  average(rk4, rk4_others);
  average(variational, variational_others);

  for (const double seconds : options.horizons) {
    HorizonScore score = score_horizon(log, starts, seconds, variational, rk4);
    if (score.starts == 0) continue;
    if (!drawn.empty()) score.start = start_errors(log, starts, seconds, undrawn, drawn);
    if (options.observed) {
      score_observed(log, starts, options, variational, rk4, score);
      add_chance(options, starts, score);
    }
    scores.horizons.push_back(std::move(score));
  }
  scores.first_failure = first_failure(starts, variational);
  if (scores.first_failure.empty()) scores.first_failure = first_failure(starts, rk4);
  return scores;
}

RolloutScores rollout_error(const Model& model, const Log& log, const RolloutErrorOptions& options,
                            ThreadPool& pool) {
  MECHFIT_CHECK(model.joints() == log.n(), "a log of another machine");
  RolloutErrorOptions settled = options;
  if (settled.horizons.empty()) settled.horizons = default_horizons(log);
  for (const double h : settled.horizons) MECHFIT_CHECK(h > 0, "a horizon must be positive");
  const double longest = *std::max_element(settled.horizons.begin(), settled.horizons.end());
  Starts starts = choose_starts(log, longest, options.start_every, options.most_starts);
  take_logged_states(log, starts);
  return rollout_error(model, log, starts, settled, pool);
}

}  // namespace mechfit
