#include "mechfit/evaluate/error_search.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace mechfit {
namespace {

constexpr int kMostRounds = 30;
constexpr double kSettled = 0.05;  // change of every logarithm in the last round
constexpr double kGain = 0.01;     // of log-likelihood, less is no change
constexpr double kFirstStep = 0.5, kLeastStep = 0.1, kMostStep = 2, kFarthest = 3;
constexpr MotionRun::Options kSolve{4, 1e-3}, kSolveWell{50, 1e-3};

// A model's error depends on q and v, so it changes as fast as the motion does: log tau is expected
// at -log omega with this deviation. 0.7 and 1 let tau fall, and s rise, where noise hides both.
constexpr double kTauDeviation = 0.5;
constexpr double kFarthestTau = 3;  // a factor; more costs the factorisation its digits

struct Limits {
  double least, most;
};

// The most likely of x, f(x) = f0, x +- step and the top of the parabola through these; f0 becomes
// its value, the step follows the move.
double climb_to(double x, double& step, const Limits& range, double& f0,
                const std::function<double(double)>& f) {
  const double down = std::max(x - step, range.least), up = std::min(x + step, range.most);
  const double f_down = f(down), f_up = f(up);
  const double slope = 0.5 * (f_up - f_down), curvature = f_up - 2 * f0 + f_down;
  double move = slope > 0 ? kFarthest : -kFarthest;
  if (curvature < 0) move = std::clamp(-slope / curvature, -kFarthest, kFarthest);
  const double top = std::clamp(x + move * step, range.least, range.most);
  const double values[] = {f0, f_down, f_up, f(top)}, places[] = {x, down, up, top};
  const auto best = std::max_element(values, values + 4) - values;
  const double moved = std::abs(places[best] - x);
  step = std::clamp(moved > 1.5 * step ? 1.5 * step : std::max(0.5 * step, moved), kLeastStep,
                    kMostStep);
  f0 = values[best];
  return places[best];
}

}  // namespace

double ErrorSearch::posterior() {
  std::vector<double> partial(runs.size());
  pool_.run(static_cast<int>(runs.size()),
            [&](int k, int) { partial[k] = usable[k] ? runs[k].log_likelihood(noise) : 0; });
  double sum = 0;
  for (const double x : partial) sum += x;
  for (std::size_t j = 0; j < tau.size(); ++j) {
    const double x = std::log(noise.tau[j] / tau[j]) / kTauDeviation;
    sum += std::log(noise.s[j]) - 0.5 * x * x;
    if (expected.empty() || !(expected[j] > 0)) continue;
    const double ratio = noise.s[j] / expected[j];
    sum -= std::log1p(ratio * ratio);
  }
  return sum;
}

bool ErrorSearch::any_usable() const { return std::count(usable.begin(), usable.end(), 1) > 0; }

void ErrorSearch::solve(const MotionRun::Options& options) {
  pool_.run(static_cast<int>(runs.size()), [&](int k, int) {
    runs[k].solve(model_, noise, options);
    usable[k] = runs[k].linearise(model_);
  });
}

double ErrorSearch::climb() {
  double f = posterior(), change = 0;
  const auto along = [&](double& step, double from, const Limits& range,
                         const std::function<void(double)>& set) {
    const double x = std::log(from), before = f;
    const double to = climb_to(x, step, range, f, [&](double at) {
      set(std::exp(at));
      return posterior();
    });
    set(std::exp(to));
    if (f > before + kGain) change = std::max(change, std::abs(to - x));
  };
  constexpr double kAny = 700;  // where exp overflows
  for (std::size_t j = 0; j < tau.size(); ++j) {
    double *s = &noise.s[j], *sigma = &noise.sigma[j], *time = &noise.tau[j];
    along(steps_[3 * j], *s, {std::log(least_s[j]), kAny}, [&](double x) { *s = x; });
    along(steps_[3 * j + 1], *sigma, {std::log(least_sigma[j]), kAny},
          [&](double x) { *sigma = x; });
    // s^2 tau, which slow motion shows, stays.
    const double density = *s * std::sqrt(*time), middle = std::log(tau[j]);
    along(steps_[3 * j + 2], *time,
          {middle - std::log(kFarthestTau), middle + std::log(kFarthestTau)}, [&](double x) {
            *time = x;
            *s = density / std::sqrt(x);
          });
  }
  return change;
}

void ErrorSearch::run() {
  steps_.resize(3 * tau.size(), kFirstStep);
  for (int round = 0; round < kMostRounds; ++round) {
    solve(kSolve);
    if (!any_usable() || climb() < kSettled) break;
  }
  solve(kSolveWell);
  // A model that is trusted too much for the digits of the factorisation is trusted less.
  for (int k = 0; k < kMostRounds && any_usable() && !std::isfinite(posterior()); ++k)
    for (double& s : noise.s) s *= 1.5;
}

}  // namespace mechfit
