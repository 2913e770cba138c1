#include "mechfit/fit/gain.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"
#include "mechfit/fit/joint/joint_problem.h"
#include "mechfit/log/split.h"

namespace mechfit {
namespace {

// Standard errors by which a richer model has to be better: as usual. Where trig needs degree 2 it
// is better by 5.7 to 20 of them.
constexpr double kSure = 2;
// Of so many parts one may lose by more than kRicherGain, of fewer none. DeLaN's letters: degree 2
// gains 115 to 164 in two or three parts and loses 15 to 400 in another, which one hangs on the
// seed.
constexpr int kPartsPerLoss = 10;
// Parts that a standard error needs at least; held-out runs are cut into blocks to have them.
constexpr int kFewestParts = 4;
// The motions of blocks begin as those of their runs: a few steps do.
constexpr MotionRun::Options kSolve{8, 1e-2};

// G = sum of g, per number r = G / N. A part of n numbers should have r n of it, so what it has
// beside, d = g - r n, tells the variance of G, K / (K - 1) sum of d^2.
MeanScore mean_of(std::span<const double> g, std::span<const int> count) {
  double sum = 0, numbers = 0, squares = 0;
  for (std::size_t k = 0; k < g.size(); ++k) {
    sum += g[k];
    numbers += count[k];
  }
  const double mean = sum / numbers;
  for (std::size_t k = 0; k < g.size(); ++k)
    squares += (g[k] - mean * count[k]) * (g[k] - mean * count[k]);
  const int parts = static_cast<int>(g.size());
  if (parts < 2) return {mean, 0, parts};
  return {mean, std::sqrt(parts / (parts - 1.0) * squares) / numbers, parts};
}

// The gain per number of the best part is taken down to that of the second best, so that one part
// alone decides nothing.
void tame_best(std::vector<double>& g, const std::vector<int>& count) {
  if (g.size() < 2) return;
  const auto rate = [&](std::size_t k) { return g[k] / count[k]; };
  std::size_t best = 0;
  for (std::size_t k = 1; k < g.size(); ++k)
    if (rate(k) > rate(best)) best = k;
  double second = -kInfinity;
  for (std::size_t k = 0; k < g.size(); ++k)
    if (k != best) second = std::max(second, rate(k));
  g[best] = second * count[best];
}

struct Block {
  int run, begin, end;  // samples [begin, end)
};

bool observed_enough(const Trajectory& run, int n, int begin, int end) {
  std::vector<int> observed(n);
  for (int k = begin * n; k < end * n; ++k) observed[k % n] += !std::isnan(run.q[k]);
  return *std::min_element(observed.begin(), observed.end()) >= kFewestObservations;
}

// Every run in as many blocks of equal length as make kFewestParts together; whole where some block
// would have too few observations.
std::vector<Block> blocks_of(const Log& log) {
  const int runs = static_cast<int>(log.runs.size());
  const int parts = (kFewestParts + runs - 1) / runs;
  std::vector<Block> blocks;
  for (int r = 0; r < runs; ++r) {
    const Trajectory& run = log.runs[r];
    std::vector<Block> cut;
    bool enough = true;
    for (int k = 0; k < parts; ++k) {
      cut.push_back({r, run.size() * k / parts, run.size() * (k + 1) / parts});
      enough = enough && observed_enough(run, log.n(), cut[k].begin, cut[k].end);
    }
    if (!enough) cut = {{r, 0, run.size()}};
    blocks.insert(blocks.end(), cut.begin(), cut.end());
  }
  return blocks;
}

Log cut(const Log& log, const std::vector<Block>& blocks) {
  Log out;
  out.channels = log.channels;
  for (const Block& block : blocks)
    out.runs.push_back(slice(log.runs[block.run], log.n(), log.m(), block.begin, block.end));
  return out;
}

}  // namespace

MeanScore mean_score(std::span<const HeldOutScore> parts) {
  std::vector<double> sums;
  std::vector<int> counts;
  for (const HeldOutScore& part : parts) {
    sums.push_back(part.log_likelihood);
    counts.push_back(part.count);
  }
  return mean_of(sums, counts);
}

Gain gain(std::span<const HeldOutScore> simpler, std::span<const HeldOutScore> richer,
          double least) {
  MECHFIT_CHECK(simpler.size() == richer.size() && !simpler.empty());
  Gain gain;
  std::vector<double> g;
  std::vector<int> counts;
  bool finite = true;
  for (std::size_t k = 0; k < simpler.size(); ++k) {
    MECHFIT_CHECK(simpler[k].count == richer[k].count && simpler[k].count > 0);
    g.push_back(richer[k].log_likelihood - simpler[k].log_likelihood);
    counts.push_back(simpler[k].count);
    gain.better += g[k] > 0;
    finite = finite && std::isfinite(g[k]);
  }
  gain.mean = mean_of(g, counts);
  const auto losses =
      std::count_if(g.begin(), g.end(), [](double x) { return !(x >= -kRicherGain); });
  gain.disputed = losses * kPartsPerLoss > static_cast<int>(g.size());
  if (!finite) return gain;
  tame_best(g, counts);
  const MeanScore tamed = mean_of(g, counts);
  double sum = 0;
  for (double x : g) sum += x;
  gain.real = !gain.disputed && sum > least && tamed.mean > kSure * tamed.standard_error;
  return gain;
}

std::vector<HeldOutScore> held_out_scores(const JointResult& fitted, const Log& observed,
                                          ThreadPool& pool) {
  const std::vector<Block> blocks = blocks_of(observed);
  JointRuns runs(fitted.model, cut(observed, blocks), cut(fitted.validation, blocks), pool);
  std::vector<HeldOutScore> scores(blocks.size());
  for (HeldOutScore& score : scores) score.log_likelihood = -kInfinity;
  for (int k = 0; k < runs.size(); ++k)
    for (double y : runs[k].y) scores[runs.run_of(k)].count += !std::isnan(y);
  MotionNoise noise = fitted.noise;
  runs.solve(fitted.model, noise, kSolve);
  if (!runs.linearise(fitted.model, RunDerivatives::configurations)) return scores;
  fit_common_s(runs, noise);
  const std::vector<double> values =
      runs.values([&](MotionRun& run, int) { return run.quadratic.log_likelihood(noise); });
  for (HeldOutScore& score : scores) score.log_likelihood = 0;
  for (int k = 0; k < runs.size(); ++k) scores[runs.run_of(k)].log_likelihood += values[k];
  return scores;
}

}  // namespace mechfit
