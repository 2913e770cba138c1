#include <algorithm>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"
#include "mechfit/fit/joint/joint_network.h"
#include "mechfit/fit/joint/joint_polish.h"
#include "mechfit/fit/joint/joint_problem.h"
#include "mechfit/fit/joint/joint_schedule.h"

namespace mechfit {
namespace {

// Of Adam. 0.003: errors -8 to +15 % (logs of joint_problem.h); 0.03: -36 to +10 %.
constexpr double kRate = 1e-2;
// Steps between looks at the held-out runs. 12 and 50: errors within 6 %.
constexpr int kScoreEvery = 25;
// A fall of the held-out log-likelihood below the best by more than this takes the fit back, at
// half the rate. It guards against a fit that goes astray: 15 and 150, and 0.25 and 0.8 of the
// rate, gave the same errors to four digits.
constexpr double kDrop = 50;
// When motions that were held begin to move. 5 and 20 steps, 3e-4 and 3e-3: same errors to four
// digits.
constexpr MotionRun::Options kFirstSolve{10, 1e-3};
// Of the steps on a long log, in which all of it takes part.
constexpr double kLastShare = 0.05;

// The fit, one step at a time.
class NetworkFit {
 public:
  explicit NetworkFit(JointProblem& problem)
      : problem_(problem),
        solver_(problem.start(), problem.runs(), problem.prior()),
        schedule_(problem.prepared() ? kFromPrepared : kFromSmoothed, problem.options().iterations),
        rate_(problem.options().learning_rate > 0 ? problem.options().learning_rate : kRate),
        share_(problem.take_share()) {}

  NetworkState& state() { return at_; }
  int steps() const { return schedule_.steps(); }
  bool done() const { return at_.step >= steps(); }
  const Model& model() const { return solver_.model(); }
  MotionNoise noise_at(int step) const {
    MotionNoise noise = problem_.first_noise();
    for (double& s : noise.s) s *= schedule_.s_at(step);
    return noise;
  }

  // One step; true where the held-out runs were looked at, or could have been.
  bool step();
  // The state with everything that is kept elsewhere.
  const NetworkState& save();
  void resume(const NetworkState& state);

 private:
  void look(const MotionNoise& noise, FitRecord& record);
  // The last step in which only a share of the runs takes part; 0: there is none.
  int last_of_share() const {
    return share_ ? steps() - std::max(1, static_cast<int>(kLastShare * steps())) : 0;
  }
  void take_all();

  JointProblem& problem_;
  JointNetwork solver_;
  Schedule schedule_;
  double rate_;
  bool share_;  // of the runs: the fit begins with it
  NetworkState at_;
};

bool NetworkFit::step() {
  const int k = ++at_.step;
  const MotionNoise noise = noise_at(k);
  const auto motions = schedule_.held(k) ? JointNetwork::Motion::held : JointNetwork::Motion::moved;
  const double rate = at_.rate_factor * rate_ * schedule_.rate_at(k);
  FitRecord record{k, solver_.step(noise, rate, motions), kNan, rate, 0, 0};
  const bool looks = k % kScoreEvery == 0 || k == steps();
  if (schedule_.last_held(k)) {
    solver_.restart();
    problem_.runs().solve(solver_.model(), noise_at(k + 1), kFirstSolve);
  } else if (looks && !schedule_.held(k)) {
    look(noise, record);
  }
  at_.history.add(record);
  if (share_ && k == last_of_share()) take_all();
  return looks;
}

void NetworkFit::take_all() {
  problem_.take_all(solver_.model(), noise_at(at_.step));
  solver_.take_other_runs();
  at_.best = {};
}

// Keeps the best, and goes back to it when the fit has become much worse.
void NetworkFit::look(const MotionNoise& noise, FitRecord& record) {
  HeldOut& held_out = problem_.held_out();
  record.validation = held_out.score(solver_.model(), noise);
  const double fall = (at_.best.score - record.validation) * held_out.runs.observation_count();
  if (record.validation > at_.best.score) {
    at_.best = problem_.snapshot(record.validation, solver_.model(), noise);
  } else if (!(fall <= kDrop) && !at_.best.theta.empty()) {
    solver_.restart(at_.best.theta);
    problem_.restore(at_.best);
    at_.rate_factor *= 0.5;
  }
  solver_.refresh_jacobians();
}

const NetworkState& NetworkFit::save() {
  solver_.save(at_);
  at_.motions = problem_.runs().motions();
  at_.held_out = problem_.held_out().runs.motions();
  problem_.share(at_.motions, at_.held_out);
  problem_.runs().share(at_.last_motions);
  return at_;
}

void NetworkFit::resume(const NetworkState& state) {
  const auto size = static_cast<std::size_t>(problem_.start().parameter_count());
  if (state.theta.size() != size || state.last_theta.size() != size ||
      state.adam.mean.size() != size || state.adam.square.size() != size)
    throw InputError("the checkpoint is of another model");
  const MotionNoise& noise = problem_.first_noise();
  problem_.expect_own(state.motions, state.held_out, noise);
  if (!state.last_motions.empty()) problem_.expect_own(state.last_motions, state.held_out, noise);
  problem_.expect_own(state.best);
  at_ = state;
  if (at_.step >= last_of_share()) problem_.take_all();
  solver_.restore(state);
  problem_.runs().set_motions(state.motions);
  problem_.held_out().runs.set_motions(state.held_out);
}

}  // namespace

JointResult fit_joint_network(JointProblem& problem, const JointHooks& hooks) {
  NetworkFit fit(problem);
  if (hooks.resume) {
    const auto* state = std::get_if<NetworkState>(hooks.resume);
    if (!state) throw InputError("the checkpoint is of another kind of model");
    fit.resume(*state);
  }
  JointResult result(problem.start());
  while (!fit.done() && result.status == FitStatus::finished) {
    const bool looked = fit.step();
    if (hooks.progress && !hooks.progress(fit.state().history.records.back(), fit.steps()) &&
        !fit.done())
      result.status = FitStatus::interrupted;
    if (hooks.checkpoint && looked) hooks.checkpoint(fit.save());
  }
  JointBest best = fit.state().best;
  result.history = fit.state().history;
  if (best.theta.empty() && result.status == FitStatus::interrupted)
    best = problem.snapshot(best.score, fit.model(), fit.noise_at(fit.state().step));
  if (best.theta.empty()) {
    result.status = FitStatus::unexplained;
    return result;
  }
  if (problem.options().iterations == 0 && result.status == FitStatus::finished)
    polish(problem, hooks, best, result);
  problem.finish(best, result);
  return result;
}

}  // namespace mechfit
