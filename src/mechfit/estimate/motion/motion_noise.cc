#include "mechfit/estimate/motion/motion_noise.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/climb.h"
#include "mechfit/base/error.h"
#include "mechfit/log/split.h"

namespace mechfit {
namespace {

// Tried on simulated double pendulums, cart-poles and Furuta pendulums: noise 1e-4 to 0.1 rad,
// steps of 0.005 to 0.1 s, 1,000 to 12,000 samples.
//
// A longer log is judged by this many samples, in pieces of kPiece. On 12,000 samples 20,000
// instead of 5,000 made the log more likely by 11 (of 149,000), 1,000 less likely by 43; pieces of
// 100 to 1,000 changed it by 30 at most. For a poor model (s = 20 rad/s^2) 2,500 samples, or pieces
// of 1,000, cost up to 1,300 (of 157,000).
constexpr int kMostSamples = 5000, kPiece = 500;
// Rounds end when no logarithm has moved by more than kSettled: 0.005 and 0.1 gave the same noise.
// 10 rounds were too few for s to fall to its floor, 20 to 100 gave the same.
constexpr int kMostRounds = 40;
constexpr double kSettled = 0.02;
// First steps of the search in log s and log sigma, and its longest move in such steps. s may be
// orders of magnitude from its start, sigma starts near its end. Halves and doubles of the steps,
// and moves of 1 to 4 steps, ended within 3 % of the same sigma.
constexpr double kStepS = 0.6, kStepSigma = 0.2;
constexpr double kFarthest = 2;
// s never falls below this share of the rms acceleration, sigma below that share of the rms motion:
// both keep H well conditioned. For a model that is exact the likelihood goes on rising as s falls,
// by 6 at most from 1e-4 to 1e-6; a floor of 1e-3 would cost 440 at 1e-4 rad of noise. No log came
// near the floor of sigma (1e-6 and 1e-14 gave the same).
constexpr double kLowestS = 1e-4;
constexpr double kLowestSigma = 1e-10;
// How far the motions follow in each round: one step gave the same noise as ten.
constexpr MotionRun::Options kSolve{4, 1e-3};

// Runs, or evenly spread pieces of them.
std::vector<MotionRun> pieces(const Model& model, const Log& observed, const Log& start) {
  struct Piece {
    std::size_t run;
    int begin, size;
  };
  const int n = observed.n(), m = observed.m();
  // Unobserved samples in between do not count.
  const Trajectory& first = observed.runs[0];
  const int parts =
      first.sample_step > 0 && first.size() > 1
          ? static_cast<int>(std::lround(first.sample_step / (first.t[1] - first.t[0])))
          : 1;
  const int most_samples = kMostSamples * std::max(1, parts), piece = kPiece * std::max(1, parts);
  const bool all = observed.samples() <= most_samples;
  std::vector<Piece> cut;
  for (std::size_t r = 0; r < observed.runs.size(); ++r) {
    const int size = observed.runs[r].size(), length = all ? size : piece;
    for (int begin = 0; begin < size; begin += length)
      if (std::min(length, size - begin) >= kShortestRun)
        cut.push_back({r, begin, std::min(length, size - begin)});
  }
  const std::size_t most =
      all ? cut.size() : std::max<std::size_t>(1, cut.size() * most_samples / observed.samples());
  std::vector<MotionRun> out;
  for (std::size_t i = 0; i < most; ++i) {
    const auto [r, begin, size] = cut[i * cut.size() / most];
    out.emplace_back(model, slice(observed.runs[r], n, m, begin, begin + size),
                     std::span(start.runs[r].q).subspan(begin * n, size * n));
  }
  return out;
}

// Where the search begins, and below which it does not go.
struct SearchStart {
  MotionNoise noise, lowest;
};

// sigma as the smoother found it, s as large as the accelerations: a model that explains nothing.
SearchStart search_start(const Log& observed, const SmoothResult& smoothed) {
  const int n = observed.n(), samples = observed.samples();
  SearchStart start;
  for (int j = 0; j < n; ++j) {
    double variance = 0, acceleration = 0, position = 0;
    for (std::size_t r = 0; r < observed.runs.size(); ++r) {
      const Trajectory& run = smoothed.log.runs[r];
      const double sd = smoothed.at(static_cast<int>(r), j).observation_sd;
      variance += sd * sd / static_cast<double>(observed.runs.size());
      for (std::size_t k = j; k < run.q.size(); k += n) {
        acceleration += run.qdd[k] * run.qdd[k];
        position += (run.q[k] - run.q[j]) * (run.q[k] - run.q[j]);
      }
    }
    // A joint that never moves still has an estimate.
    const double unit = position > 0 ? std::sqrt(position / samples) : 1;
    const double a = acceleration > 0 ? std::sqrt(acceleration / samples) : 1;
    start.lowest.sigma.push_back(kLowestSigma * unit);
    start.lowest.s.push_back(kLowestS * a);
    start.noise.sigma.push_back(std::max(std::sqrt(variance), start.lowest.sigma[j]));
    start.noise.s.push_back(a);
  }
  return start;
}

// Likelihood of the observations, linearised around motions that are estimated.
class PieceLikelihood {
 public:
  PieceLikelihood(const Model& model, std::vector<MotionRun> runs, ThreadPool& pool)
      : model_(model),
        runs_(std::move(runs)),
        usable_(runs_.size()),
        partial_(runs_.size()),
        pool_(pool) {}

  // Moves the motions to where they are most likely with this noise.
  void move_motions(const MotionNoise& noise) {
    pool_.run(static_cast<int>(runs_.size()), [&](int k, int) {
      runs_[k].solve(model_, noise, kSolve);
      usable_[k] = runs_[k].linearise(model_, RunDerivatives::configurations);
    });
    if (std::count(usable_.begin(), usable_.end(), 1) == 0)
      throw InputError("the model's mass matrix is not positive definite on any run of the log");
  }

  // Around the motions as they are. Runs where M is not positive definite do not count.
  double at(const MotionNoise& noise) {
    pool_.run(static_cast<int>(runs_.size()), [&](int k, int) {
      partial_[k] = usable_[k] ? runs_[k].quadratic.log_likelihood(noise) : 0;
    });
    double sum = 0;
    for (double x : partial_) sum += x;
    return sum;
  }

 private:
  const Model& model_;
  std::vector<MotionRun> runs_;
  std::vector<char> usable_;
  std::vector<double> partial_;
  ThreadPool& pool_;
};

}  // namespace

MotionNoise likely_noise(const Model& model, const Log& observed, const SmoothResult& smoothed,
                         ThreadPool& pool) {
  const int n = model.joints();
  MECHFIT_CHECK(observed.n() == n && observed.runs.size() == smoothed.log.runs.size());
  auto [noise, lowest] = search_start(observed, smoothed);
  PieceLikelihood likelihood(model, pieces(model, observed, smoothed.log), pool);
  for (int round = 0; round < kMostRounds; ++round) {
    likelihood.move_motions(noise);
    double best = likelihood.at(noise), change = 0;
    // One move of log(value); x counts steps from where it is.
    const auto improve = [&, &noise = noise](double& value, double step, double least) {
      const double from = std::log(value), floor = std::log(least);
      const auto place = [&](double x) { return std::max(from + x * step, floor); };
      const ClimbResult moved = climb(0, best, {1, kFarthest}, [&](double x) {
        value = std::exp(place(x));
        return likelihood.at(noise);
      });
      best = moved.value;
      value = std::exp(place(moved.x));
      change = std::max(change, std::abs(place(moved.x) - from));
    };
    for (int j = 0; j < n; ++j) {
      improve(noise.s[j], kStepS, lowest.s[j]);
      improve(noise.sigma[j], kStepSigma, lowest.sigma[j]);
    }
    if (change < kSettled) break;
  }
  return noise;
}

}  // namespace mechfit
