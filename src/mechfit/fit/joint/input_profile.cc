#include "mechfit/fit/joint/input_profile.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/fit/joint/joint_gauss_newton.h"
#include "mechfit/fit/joint/joint_problem.h"
#include "mechfit/log/acting_input.h"
#include "mechfit/log/split.h"

namespace mechfit {
namespace {

// Gauss-Newton steps at most on motions and parameters for one timing; a step that promises less
// than kEnough in log-likelihood is the last.
constexpr int kMostSteps = 6;
constexpr double kEnough = 0.05;
// Rounds of such steps and of a search for s at most, until log s changes by less than kSameS.
constexpr int kMostRounds = 3;
constexpr double kSameS = 0.2;

// Samples from `longest` seconds after the first logged input on, about `most` of them; runs that
// keep too few are left out. `like` has the same runs and samples as the log.
Log known_part(const Log& log, const Log& like, double longest, int most) {
  Log out;
  out.channels = log.channels;
  const std::size_t every = std::min<std::size_t>(1 + (log.samples() - 1) / most,
                                                  std::max<std::size_t>(1, log.runs.size()));
  for (std::size_t r = 0; r < log.runs.size(); r += every) {
    const Trajectory& run = like.runs[r];
    if (!run.input) continue;
    const double from = run.input->first_time() + longest;
    const auto first = std::lower_bound(run.t.begin(), run.t.end(), from) - run.t.begin();
    if (run.size() - first < kShortestRun) continue;
    out.runs.push_back(slice(log.runs[r], log.n(), log.m(), static_cast<int>(first),
                             std::min(run.size(), static_cast<int>(first) + most)));
  }
  return out;
}

}  // namespace

InputProfile::InputProfile(const JointResult& fitted, const Log& observed,
                           std::span<const int> fixed, double longest, int most, ThreadPool& pool)
    : model_(fitted.model),
      fixed_(fixed.begin(), fixed.end()),
      observed_(known_part(observed, observed, longest, most)),
      runs_(model_, observed_, known_part(fitted.train, observed, longest, most), pool),
      prior_(make_mass_prior(model_, fitted.train)) {
  const auto theta = model_.parameters();
  fit_ = {{theta.begin(), theta.end()}, fitted.noise, runs_.motions(), -kInfinity};
  best_ = fit_;
}

void InputProfile::set_inputs(const InputTiming& timing) {
  set_input_timing(observed_, timing);
  runs_.set_inputs(observed_);
}

double InputProfile::promised(const InputTiming& timing) {
  set_inputs(timing);
  runs_.set_motions(fit_.motions);
  model_.set_parameters(fit_.theta);
  JointGaussNewton solver(model_, runs_, fixed_, prior_.get());
  if (!solver.linearise()) return -kInfinity;
  const double promise = solver.promise(fit_.noise);
  return promise < kInfinity ? promise - solver.objective(fit_.noise) : -kInfinity;
}

double InputProfile::log_likelihood(const InputTiming& timing) {
  set_inputs(timing);
  runs_.set_motions(best_.motions);
  model_.set_parameters(best_.theta);
  JointGaussNewton solver(model_, runs_, fixed_, prior_.get());
  End end = best_;
  for (int round = 0; round < kMostRounds; ++round) {
    for (int k = 0; k < kMostSteps; ++k) {
      if (!solver.linearise()) return -kInfinity;
      const auto step = solver.step(end.noise);
      if (!step.better || step.promised < kEnough) break;
    }
    if (!solver.linearise()) return -kInfinity;
    const std::vector<double> s = end.noise.s;
    end.log_likelihood = fit_common_s(runs_, end.noise);
    if (std::abs(std::log(end.noise.s[0] / s[0])) < kSameS) break;
  }
  const auto theta = solver.model().parameters();
  end.theta.assign(theta.begin(), theta.end());
  end.motions = runs_.motions();
  if (end.log_likelihood > best_.log_likelihood) best_ = end;
  return end.log_likelihood;
}

}  // namespace mechfit
