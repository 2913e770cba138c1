#include "mechfit/estimate/kalman/residuals.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mechfit/base/constants.h"
#include "mechfit/base/median.h"
#include "mechfit/estimate/kalman/smoother.h"
#include "mechfit/estimate/motion/noise_mixture.h"

namespace mechfit {
namespace {

// An observation that decides alone about its estimate is not contradicted by others.
constexpr double kNoOthers = 1e-6;
// More than this share of a run is no defect of a good one.
constexpr double kMostBad = 0.1;
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
  if (sizes.empty() || !(sigma > 0)) return {};
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

void Residuals::add(double observed, double estimate, double variance, double sigma, bool weighs) {
  const double others = 1 - variance / (sigma * sigma);
  double says = estimate, deviation = std::sqrt(sigma * sigma + variance);
  if (weighs) {
    says = observed - (observed - estimate) / others;
    deviation = sigma / std::sqrt(others);
  }
  const bool known = !std::isnan(observed) && (!weighs || others > kNoOthers);
  y.push_back(observed);
  q.push_back(estimate);
  z.push_back(known ? (observed - says) / deviation : kNan);
  expected.push_back(says);
  used.push_back(weighs);
}

std::vector<std::vector<Defect>> judge_residuals(int logs, std::vector<JudgedRun> all,
                                                 std::span<const double> sigma) {
  std::vector<std::vector<Defect>> found(logs);
  for (int j = 0; j < static_cast<int>(sigma.size()); ++j) {
    std::vector<Residuals*> runs;
    for (JudgedRun& run : all)
      if (!run.joints.empty()) runs.push_back(&run.joints[j]);
    const Judgement judgement = judge(runs, sigma[j]);
    for (const JudgedRun& run : all) {
      if (run.joints.empty()) continue;
      const auto bad = defects_of(run.joints[j], judgement, run.run, j);
      found[run.log].insert(found[run.log].end(), bad.begin(), bad.end());
    }
  }
  return found;
}

}  // namespace mechfit
