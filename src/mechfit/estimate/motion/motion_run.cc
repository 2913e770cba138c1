#include "mechfit/estimate/motion/motion_run.h"

#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"

namespace mechfit {
namespace {

// Damping (a share of H's diagonal) after a step that did not help: kFirstDamping, then kMore times
// more, kTries times at most; after one that did: kLess times as much, none below kNegligible. The
// usual values of Levenberg-Marquardt. They guard the first steps from a poor start: on the logs of
// motion_noise.cc no value within a factor of 100 (kTries 5 to 20, kMore 4 to 100, kLess 0.01 to
// 0.5) changed any of five digits.
constexpr int kTries = 10;
constexpr double kFirstDamping = 1e-3, kMore = 10, kLess = 0.1, kNegligible = 1e-6;

}  // namespace

MotionData::MotionData(const Model& model, const Trajectory& observed,
                       std::span<const double> start)
    : y(observed.q),
      u(model.inputs() > 0 ? observed.u : std::vector<double>{}),
      q(start.begin(), start.end()),
      reference(observed.sample_step) {
  MECHFIT_CHECK(observed.size() >= kShortestRun,
                "run '" + observed.name + "' has fewer than three samples");
  MECHFIT_CHECK(y.size() == observed.t.size() * model.joints() && q.size() == y.size());
  MECHFIT_CHECK(u.empty() || u.size() == observed.t.size() * model.inputs());
  for (int k = 0; k + 1 < observed.size(); ++k) h.push_back(observed.t[k + 1] - observed.t[k]);
}

double MotionRun::objective(const Model& model, std::span<const double> motion,
                            const MotionNoise& noise) {
  if (!del_run_error(model, view(motion), RunDerivatives::none, error)) return kInfinity;
  const int n = model.joints();
  double sum = 0;
  for (std::size_t k = 0; k < y.size(); ++k) {
    if (std::isnan(y[k])) continue;
    const double x = (y[k] - motion[k]) / noise.sigma[k % n];
    sum += x * x;
  }
  for (std::size_t k = 0; k < error.e.size(); ++k) {
    const double x = error.e[k] / noise.s[k % n];
    sum += x * x;
  }
  return 0.5 * sum + (prior ? prior->value(motion) : 0);
}

bool MotionRun::linearise(const Model& model, RunDerivatives derivatives) {
  MECHFIT_CHECK(derivatives != RunDerivatives::none);
  if (!del_run_error(model, view(q), derivatives, error)) return false;
  quadratic.set(model.joints(), y, q, error.e, error.jacobian, prior.get());
  return true;
}

MotionRun::Outcome MotionRun::solve(const Model& model, const MotionNoise& noise,
                                    const Options& options) {
  Outcome outcome;
  double damping = 0;
  outcome.objective = kInfinity;
  for (; outcome.iterations < options.iterations; ++outcome.iterations) {
    if (!linearise(model, RunDerivatives::configurations)) return outcome;
    const double before = quadratic.value(noise);
    outcome.objective = before;
    bool better = false;
    for (int attempt = 0; attempt < kTries && !better; ++attempt) {
      double promised = kInfinity;
      if (quadratic.factor(noise, damping)) {
        // H dq = -g
        step_.assign(quadratic.gradient().begin(), quadratic.gradient().end());
        quadratic.hessian().solve_lower(step_);
        promised = 0;
        for (double x : step_) promised += 0.5 * x * x;
        quadratic.hessian().solve_upper(step_);
        trial_ = q;
        for (std::size_t k = 0; k < q.size(); ++k) trial_[k] -= step_[k];
        const double after = objective(model, trial_, noise);
        better = after <= before;
        if (better) {
          q.swap(trial_);
          outcome.objective = after;
        }
      }
      if (damping == 0 && promised < options.tolerance) {
        outcome.converged = true;
        return outcome;
      }
      damping = better ? (damping * kLess < kNegligible ? 0 : damping * kLess)
                       : std::fmax(kFirstDamping, damping * kMore);
    }
    if (!better) return outcome;
  }
  return outcome;
}

}  // namespace mechfit
