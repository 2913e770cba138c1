#include "mechfit/estimate/motion/contradictions.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"
#include "mechfit/base/median.h"
#include "mechfit/estimate/kalman/smoother.h"
#include "mechfit/estimate/motion/motion_noise.h"
#include "mechfit/estimate/motion/motion_run.h"
#include "mechfit/estimate/motion/noise_mixture.h"
#include "mechfit/log/refine.h"
#include "mechfit/log/steps.h"

namespace mechfit {
namespace {

// More than this share of a run is no defect of a good one.
constexpr double kMostBad = 0.1;
// An observation that decides alone about its estimate is not contradicted by others.
constexpr double kNoOthers = 1e-6;
// Neighbours on each side that tell whether the model is wrong around an observation.
constexpr int kAround = 10;
// Residuals in units of the median that are looked at so: others are good whatever is around them.
constexpr double kSuspect = 3;
// Repeated values are held ones where the motion has moved by this many deviations of the noise,
// and where they are this many times as frequent as chance makes them.
constexpr double kMoved = 0.3, kChanceFactor = 10;
// A sensor's step is a move that is seen so often, up to the rounding of files.
constexpr int kFewSteps = 3;
constexpr double kSameMove = 0.01;
// Without what was found the noise is smaller, and more may be found.
constexpr int kNoiseRounds = 3;

// One joint of one run.
struct Residuals {
  std::vector<double> y, q;         // observed, estimated                    [T]
  std::vector<double> z, expected;  // z is NaN where nothing is known        [T]
  std::vector<char> used;           // has weight in the estimate             [T]
};

// Of all joints of one run; empty where the model has no motion for it.
std::vector<Residuals> residuals_of(const Model& model, const MotionNoise& noise,
                                    const Trajectory& observed, const Trajectory& used,
                                    const Trajectory& motion) {
  const int n = model.joints(), samples = observed.size();
  if (samples < kShortestRun) return {};
  MotionRun run(model, used, motion.q);
  run.solve(model, noise, {});
  if (!run.linearise(model, RunDerivatives::configurations) || !run.quadratic.factor(noise, 0))
    return {};
  const Banded covariance = run.quadratic.hessian().inverse();
  std::vector<Residuals> out(n);
  for (int j = 0; j < n; ++j)
    for (int t = 0; t < samples; ++t) {
      const int k = t * n + j;
      const double y = observed.q[k], q = run.q[k], sigma = noise.sigma[j];
      const double variance = std::max(0.0, covariance.at(k, k));
      const bool weighs = !std::isnan(used.q[k]);
      const double others = 1 - variance / (sigma * sigma);
      double expected = q, deviation = std::sqrt(sigma * sigma + variance);
      if (weighs) {
        expected = y - (y - q) / others;
        deviation = sigma / std::sqrt(others);
      }
      const bool known = !std::isnan(y) && (!weighs || others > kNoOthers);
      out[j].y.push_back(y);
      out[j].q.push_back(q);
      out[j].z.push_back(known ? (y - expected) / deviation : kNan);
      out[j].expected.push_back(expected);
      out[j].used.push_back(weighs);
    }
  return out;
}

// The median of |z| of the used neighbours of sample k.
double size_around(const Residuals& r, int k) {
  std::vector<double> near;
  const int size = static_cast<int>(r.z.size());
  for (const int side : {-1, 1})
    for (int i = k + side, found = 0; i >= 0 && i < size && found < kAround; i += side) {
      if (!r.used[i] || std::isnan(r.z[i])) continue;
      near.push_back(std::abs(r.z[i]));
      ++found;
    }
  return near.empty() ? 0 : median(std::move(near));
}

// In units of the neighbours' residuals where these are larger than usual.
void compare_with_neighbours(double usual, Residuals& r) {
  std::vector<double> z = r.z;
  for (int k = 0; k < static_cast<int>(z.size()); ++k)
    if (std::abs(r.z[k]) > kSuspect * usual) z[k] *= usual / std::max(usual, size_around(r, k));
  r.z = std::move(z);
}

// A run of one of the logs.
struct Place {
  int log, run;
};

// What the residuals of a joint say about its noise.
struct Judgement {
  NoiseMixture mixture;
  bool repeats_are_held = false;
  double sigma = 0;
};

// Observations that repeat the one before them in a stretch over which the motion moves on.
std::vector<char> find_repeats(const Residuals& r, double sigma) {
  const int size = static_cast<int>(r.y.size());
  std::vector<char> repeated(size, 0);
  std::vector<int> stretch;
  double least = 0, most = 0;
  const auto close = [&] {
    for (std::size_t i = 1; i < stretch.size() && most - least > kMoved * sigma; ++i)
      repeated[stretch[i]] = 1;
    stretch.clear();
  };
  for (int k = 0; k < size; ++k) {
    if (std::isnan(r.y[k])) continue;
    if (!stretch.empty() && r.y[k] != r.y[stretch[0]]) close();
    least = stretch.empty() ? r.q[k] : std::min(least, r.q[k]);
    most = stretch.empty() ? r.q[k] : std::max(most, r.q[k]);
    stretch.push_back(k);
  }
  close();
  return repeated;
}

// Noise of deviation sigma repeats a value of a sensor with steps of g with probability
// g / (2 sqrt(pi) sigma). The least move is a step where it is seen more than once or twice.
bool repeats_are_held(const std::vector<Residuals*>& runs, double sigma) {
  std::vector<double> moves;
  double repeated = 0;
  for (const Residuals* r : runs) {
    double before = kNan;
    for (int k = 0; k < static_cast<int>(r->y.size()); ++k) {
      if (std::isnan(r->y[k])) continue;
      if (const double move = std::abs(r->y[k] - before); move > 0) moves.push_back(move);
      before = r->y[k];
    }
    for (const char held : find_repeats(*r, sigma)) repeated += held;
  }
  if (repeated == 0 || moves.empty()) return false;
  const double least = *std::min_element(moves.begin(), moves.end());
  const auto steps = std::count_if(moves.begin(), moves.end(),
                                   [&](double move) { return move < (1 + kSameMove) * least; });
  const double chance = least / (2 * std::sqrt(std::numbers::pi) * sigma);
  return steps < kFewSteps || repeated > kChanceFactor * chance * static_cast<double>(moves.size());
}

Judgement judge(const std::vector<Residuals*>& runs, double sigma) {
  std::vector<double> sizes, z;
  for (const Residuals* r : runs)
    for (const double x : r->z)
      if (!std::isnan(x)) sizes.push_back(std::abs(x));
  if (sizes.empty()) return {};
  const double usual = median(std::move(sizes));
  for (Residuals* r : runs) {
    compare_with_neighbours(usual, *r);
    for (const double x : r->z)
      if (!std::isnan(x)) z.push_back(x);
  }
  return {fit_noise_mixture(z), repeats_are_held(runs, sigma), sigma};
}

// None where so much of a run is bad that it is no good one with defects in it.
std::vector<Defect> defects_of(const Residuals& r, const Judgement& judgement, int run, int joint) {
  std::vector<Defect> bad;
  int observed = 0;
  std::vector<char> repeated(r.y.size(), 0);
  if (judgement.repeats_are_held) repeated = find_repeats(r, judgement.sigma);
  for (int k = 0; k < static_cast<int>(r.z.size()); ++k) {
    if (std::isnan(r.y[k])) continue;
    ++observed;
    if (repeated[k] || (!std::isnan(r.z[k]) && judgement.mixture.wide(r.z[k])))
      bad.push_back({repeated[k] ? DefectKind::held : DefectKind::contradicted, run, k, joint,
                     r.y[k], r.expected[k]});
  }
  const int most =
      std::min(static_cast<int>(kMostBad * observed) + 1, observed - kFewestObservations);
  return static_cast<int>(bad.size()) <= most ? bad : std::vector<Defect>();
}

}  // namespace

std::vector<std::vector<Defect>> find_contradictions(const Model& model, const MotionNoise& noise,
                                                     std::span<const JudgedLog> logs,
                                                     ThreadPool& pool) {
  std::vector<Place> places;
  for (int l = 0; l < static_cast<int>(logs.size()); ++l) {
    MECHFIT_CHECK(logs[l].observed->runs.size() == logs[l].motion->runs.size());
    for (int r = 0; r < static_cast<int>(logs[l].observed->runs.size()); ++r)
      places.push_back({l, r});
  }
  std::vector<std::vector<Residuals>> all(places.size());  // [runs][n]
  pool.run(static_cast<int>(places.size()), [&](int k, int) {
    const auto& [observed, used, motion] = logs[places[k].log];
    const int r = places[k].run;
    all[k] = residuals_of(model, noise, observed->runs[r], used->runs[r], motion->runs[r]);
  });
  std::vector<std::vector<Defect>> found(logs.size());
  for (int j = 0; j < model.joints(); ++j) {
    std::vector<Residuals*> runs;
    for (auto& run : all)
      if (!run.empty()) runs.push_back(&run[j]);
    const Judgement judgement = judge(runs, noise.sigma[j]);
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (all[k].empty()) continue;
      const auto bad = defects_of(all[k][j], judgement, places[k].run, j);
      auto& own = found[places[k].log];
      own.insert(own.end(), bad.begin(), bad.end());
    }
  }
  return found;
}

std::vector<Defect> find_contradictions(const Model& model, const Log& observed, double grid,
                                        ThreadPool& pool) {
  const bool finer = grid > 0 && grid < (1 - kSameStep) * median_step(observed);
  const Log all = finer ? refine(observed, grid) : observed;
  Log used = all;
  std::vector<Defect> found;
  for (int round = 0; round < kNoiseRounds; ++round) {
    const SmoothResult smoothed = smooth(used, {}, pool);
    MotionNoise noise;
    try {
      noise = likely_noise(model, used, smoothed, pool);
    } catch (const InputError&) {  // no positive definite M on any run
      return {};
    }
    const JudgedLog judged[] = {{&all, &used, &smoothed.log}};
    const std::size_t before = found.size();
    found = find_contradictions(model, noise, judged, pool)[0];
    if (found.size() == before) break;
    used = without_defects(all, found);
  }
  return at_samples(std::move(found), all, observed);
}

std::vector<Defect> at_samples(std::vector<Defect> defects, const Log& grid, const Log& log) {
  for (Defect& d : defects) {
    const std::vector<double>& t = log.runs[d.run].t;
    const auto at = std::lower_bound(t.begin(), t.end(), grid.runs[d.run].t[d.sample]);
    MECHFIT_CHECK(at != t.end());
    d.sample = static_cast<int>(at - t.begin());
  }
  return defects;
}

}  // namespace mechfit
