#include <algorithm>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"
#include "mechfit/fit/joint/joint_gauss_newton.h"
#include "mechfit/fit/joint/joint_laplace.h"
#include "mechfit/fit/joint/joint_problem.h"

namespace mechfit {
namespace {

// s begins far above the accelerations, where the model does not touch the motions yet, and follows
// its most likely value down; not before the steps at the last one have done their work. In units
// of the accelerations. 3 and 30: same errors within 3 %; 1: 11 % more (trig, N), else within 3 %.
constexpr double kFirstS = 10;
// Weight of the prior on M while unneeded coefficients are taken out, half of what it is before.
// Errors of trig on N, P, C: 16 -2, +6, -2 %; 150 +9, -2, +7 %.
constexpr double kPruningMassWeight = 50;
// Iterations that renew the coefficients' precisions. None: errors of trig 2.5 to 3.4 times as
// large; 5 and 20: the same within 1.3 %.
constexpr int kPruningRounds = 10;
// A bound for fits that do not settle. Those of the three logs do: 40 and 160 give the same errors
// within 0.1 %.
constexpr int kMostIterations = 80;
// Iterations between looks at held-out runs, each of which costs about as much as one. 1 and 6:
// same errors within 2 %.
constexpr int kScoreEvery = 3;
// A later model is preferred unless the held-out runs are less likely by more than this: it is
// simpler, and differences of this size in log-likelihood are chance. 0.7 and 6: same errors within
// 2 %. It must be above zero, else no model is kept.
constexpr double kChance = 2;
// The same from the beginning of pruning on, where each coefficient that is taken out may cost the
// training runs 3 (kSparing). 2: models were kept in the middle of pruning, errors of trig on a
// pendulum up to 19 times as large.
constexpr double kPruningChance = 6;
// A fit is quiet when a step promises less than kQuiet in J, a log-likelihood below chance, and
// log s falls by less than kQuietChange. 0.15 and 1.5: same errors to four digits.
constexpr double kQuiet = 0.5;
// It ends after so many quiet iterations in a row. 1 ends it too early: errors 5 to 46 times as
// large; 4: the same to four digits.
constexpr int kQuietIterations = 2;
// What a share of the runs has made of s, which only falls from here, is raised by this when all
// take part: a step of the search for it.
constexpr double kRaisedS = 1.35;

bool any_prunable(const FreeParameters& free) {
  for (int k = 0; k < free.size(); ++k)
    if (free.prunable(k)) return true;
  return false;
}

// The fit, one iteration at a time.
class GaussNewtonFit {
 public:
  explicit GaussNewtonFit(JointProblem& problem)
      : problem_(problem),
        solver_(problem.start(), problem.runs(), problem.options().fixed, problem.prior()),
        search_(problem.noise_search()),
        rounds_(any_prunable(solver_.parameters()) ? kPruningRounds : 0) {
    const int asked = problem.options().iterations;
    most_ = asked > 0 ? std::min(asked, kMostIterations) : kMostIterations;
    at_.noise = problem.first_noise();
    for (double& s : at_.noise.s) s *= kFirstS;
    at_.share = problem.take_share();
  }

  const GaussNewtonState& state() const { return at_; }
  JointGaussNewton& solver() { return solver_; }
  int most() const { return most_; }

  // One iteration; state().done afterwards where it was the last. False: M is not positive definite
  // any more, nothing was done.
  bool iterate();
  // The state with everything that is kept elsewhere.
  const GaussNewtonState& save();
  void resume(const GaussNewtonState& state);

 private:
  void look(FitRecord& record);
  void take_all();

  JointProblem& problem_;
  JointGaussNewton solver_;
  NoiseSearch search_;
  int most_ = 0, rounds_;  // of pruning
  GaussNewtonState at_;
};

bool GaussNewtonFit::iterate() {
  at_.done = !solver_.linearise();
  if (at_.done) return false;
  const int k = ++at_.iteration;
  const MotionNoise before = at_.noise;
  if (at_.settled) improve_noise(problem_.runs(), search_, at_.noise);
  if (at_.pruned >= 0 && at_.pruned < rounds_) {
    solver_.weigh_coefficients(at_.noise);
    ++at_.pruned;
  }
  const auto step = solver_.step(at_.noise);
  at_.settled = step.promised < kSettled * problem_.runs().observation_count();
  const bool pruning = at_.pruned >= 0 && at_.pruned < rounds_;
  const bool still = largest_fall_of_s(before, at_.noise) < kQuietChange && step.promised < kQuiet;
  at_.quiet = !pruning && (still || !step.better) ? at_.quiet + 1 : 0;
  const int last = at_.share ? (most_ + 1) / 2 : most_;
  at_.done = k >= last || at_.quiet >= kQuietIterations;
  if (at_.done && !at_.share && at_.pruned < 0 && rounds_ > 0 && k < most_) {
    at_.done = false;
    at_.pruned = at_.quiet = 0;
    if (problem_.prior()) problem_.prior()->set_weight(kPruningMassWeight);
  }
  FitRecord record{k, step.objective, kNan, 0, 0, 0};
  if (k % kScoreEvery == 0 || at_.done) look(record);
  at_.history.add(record);
  if (at_.done && at_.share && k < most_) take_all();
  return true;
}

void GaussNewtonFit::take_all() {
  at_.share = at_.done = at_.settled = false;
  at_.quiet = 0;
  at_.best = {};
  at_.highest = -kInfinity;
  for (double& s : at_.noise.s) s *= kRaisedS;
  problem_.take_all(solver_.model(), at_.noise);
}

void GaussNewtonFit::look(FitRecord& record) {
  const double score = problem_.held_out().score(solver_.model(), at_.noise);
  record.validation = score;
  at_.highest = std::max(at_.highest, score);
  const double chance = at_.pruned >= 0 ? kPruningChance : kChance;
  if (score > at_.highest - chance / problem_.held_out().runs.observation_count())
    at_.best = problem_.snapshot(score, solver_.model(), at_.noise);
}

const GaussNewtonState& GaussNewtonFit::save() {
  const auto theta = solver_.model().parameters();
  at_.theta.assign(theta.begin(), theta.end());
  at_.motions = problem_.runs().motions();
  at_.held_out = problem_.held_out().runs.motions();
  problem_.share(at_.motions, at_.held_out);
  at_.damping = solver_.damping();
  at_.precisions = solver_.parameters().precisions();
  at_.mass_weight = problem_.prior() ? problem_.prior()->weight() : 0;
  return at_;
}

void GaussNewtonFit::resume(const GaussNewtonState& state) {
  if (static_cast<int>(state.theta.size()) != problem_.start().parameter_count() ||
      static_cast<int>(state.precisions.size()) != solver_.parameters().size())
    throw InputError("the checkpoint is of another model");
  problem_.expect_own(state.motions, state.held_out, state.noise);
  problem_.expect_own(state.best);
  at_ = state;
  if (!at_.share) problem_.take_all();
  solver_.set_parameters(state.theta);
  solver_.restore(state.damping, state.precisions);
  problem_.runs().set_motions(state.motions);
  problem_.held_out().runs.set_motions(state.held_out);
  if (problem_.prior()) problem_.prior()->set_weight(state.mass_weight);
}

}  // namespace

JointResult fit_joint_gauss_newton(JointProblem& problem, const JointHooks& hooks) {
  GaussNewtonFit fit(problem);
  if (hooks.resume) {
    const auto* state = std::get_if<GaussNewtonState>(hooks.resume);
    if (!state) throw InputError("the checkpoint is of another kind of model");
    fit.resume(*state);
  }
  JointResult result(problem.start());
  while (!fit.state().done && result.status == FitStatus::finished) {
    if (fit.iterate() && hooks.progress &&
        !hooks.progress(fit.state().history.records.back(), fit.most()) && !fit.state().done)
      result.status = FitStatus::interrupted;
    if (hooks.checkpoint) hooks.checkpoint(fit.save());
  }
  JointBest best = fit.state().best;
  result.history = fit.state().history;
  if (best.theta.empty() && result.status == FitStatus::interrupted)
    best = problem.snapshot(best.score, fit.solver().model(), fit.state().noise);
  if (best.theta.empty()) {
    result.status = FitStatus::mass_not_positive;
    return result;
  }
  problem.take_all();
  problem.restore(best);
  fit.solver().set_parameters(best.theta);
  if (fit.solver().linearise()) add_uncertainty(fit.solver(), best.noise, result);
  problem.finish(best, result);
  return result;
}

bool promises_more(const Model& richer, const std::vector<double>& theta, const JointResult& poorer,
                   const Log& train, ThreadPool& pool) {
  Model model = richer;
  model.set_parameters(theta);
  JointRuns runs(model, train, poorer.train, pool);
  const auto prior = make_mass_prior(model, poorer.train);
  if (prior) prior->set_weight(kPruningMassWeight);
  JointGaussNewton solver(model, runs, {}, prior.get());
  if (!solver.linearise()) return true;
  return solver.promise(poorer.noise) > 0.5 * solver.parameters().size();
}

}  // namespace mechfit
