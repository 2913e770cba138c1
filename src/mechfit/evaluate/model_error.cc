#include "mechfit/evaluate/model_error.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mechfit/base/constants.h"
#include "mechfit/base/error.h"
#include "mechfit/estimate/kalman/smoother.h"
#include "mechfit/evaluate/acceleration_error.h"
#include "mechfit/evaluate/error_search.h"
#include "mechfit/evaluate/motion_size.h"
#include "mechfit/evaluate/time_grid.h"
#include "mechfit/log/refine.h"
#include "mechfit/log/split.h"

namespace mechfit {
namespace {

// omega h of the grid: the midpoint rule's relative error (omega h)^2 / 12 is 0.2 %.
constexpr double kPhase = 0.15;
// Nor is it finer than this where the model's own steps are: a relative error of 3e-5 shows in no
// verdict, and pieces of kPiece steps would be shorter than the motion takes to change.
constexpr double kFinestPhase = kPhase / 8;
// Steps of the first grid, and of a piece where there are more.
constexpr double kMostSteps = 4000, kPiece = 400;
constexpr int kFewest = 8;  // samples of a piece
// A step costs the cube of the joints: above this number fewer are looked at, one piece at least.
constexpr double kManyJoints = 3;
// The motion's frequency is taken from the smoother, whose noise hides the fastest part, then from
// the motion itself, until it grows no more.
constexpr int kPasses = 3;
constexpr double kGrown = 1.2;
// No joint is slower than this part of the fastest: joints push each other, and noise can hide a
// joint's motion.
constexpr double kSlowest = 0.2;

// The search begins above the noise that a smoother finds at coarse steps, in units of the motion.
constexpr double kFirstSigma = 3e-3;
// Least noise: its second difference in units of the accelerations. Least s in the same units.
constexpr double kLeastSigma = 1e-5, kLeastS = 1e-4;

constexpr int kDraws = 12;                                 // per factor of s
constexpr double kFarthestFactor = 8, kNextFactor = 1.25;  // of s
constexpr double kNegligible = 1e-6;                       // weight
// Real errors are no such process. Deviation of the logarithm of estimate over truth that is left
// where the observations show the error, and more where noise hides it: measured by the battery.
constexpr double kFormSeen = 0.07, kFormHidden = 0.45;
// How far the members' spread may be from the error they stand for: the truth was 0.5 to 2 times
// it.
constexpr double kSpreadFactor = 2;
constexpr double kTwoSided = 1.645;  // deviations that hold 90 %
constexpr double kLow = 0.05, kHigh = 0.95;

// Evenly spread pieces of at most kPiece steps that make about kMostSteps together.
Log pieces(const Log& log, double step) {
  double seconds = 0;
  for (const auto& run : log.runs) seconds += run.t.back() - run.t.front();
  const double share = std::min(1.0, std::pow(kManyJoints / log.n(), 3));
  const double most = std::max(kPiece, share * kMostSteps) * step;
  if (seconds <= most) return log;
  Log all;
  double kept = 0;
  for (const auto& run : log.runs)
    for (int begin = 0, end = 0; begin < run.size(); begin = end) {
      while (end < run.size() &&
             (end - begin < kFewest || run.t[end] - run.t[begin] <= kPiece * step))
        ++end;
      const double length = run.t[end - 1] - run.t[begin];
      // What is left over at the end of a run may be too short to tell anything.
      if (begin > 0 && (length < 0.5 * kPiece * step || end - begin < kFewest)) continue;
      all.runs.push_back(slice(run, log.n(), log.m(), begin, end));
      kept += length;
    }
  Log out;
  out.channels = log.channels;
  const double wanted = std::ceil(static_cast<double>(all.runs.size()) * most / kept);
  const auto count = std::min(all.runs.size(), static_cast<std::size_t>(wanted));
  for (std::size_t k = 0; k < count; ++k) out.runs.push_back(all.runs[k * all.runs.size() / count]);
  return out;
}

struct Weighted {
  double value, weight;
};

// Of sorted values.
double quantile(const std::vector<Weighted>& x, double share) {
  double total = 0, sum = 0;
  for (const auto& [value, weight] : x) total += weight;
  for (const auto& [value, weight] : x)
    if ((sum += weight) >= share * total) return value;
  return x.back().value;
}

// Mean squares of errors and accelerations along all runs, for one s.
struct DrawnSquares {
  std::vector<double> error, acceleration;  // [kDraws][n]
  double mean = 0;                          // of the mean errors, over joints too
};

DrawnSquares draw_squares(ErrorSearch& search, ThreadPool& pool) {
  std::vector<CorrelatedMotion::Draws> draws(search.runs.size());
  pool.run(static_cast<int>(draws.size()), [&](int r, int) {
    if (!search.usable[r] ||
        !search.runs[r].draw(search.noise, kDraws, static_cast<std::uint64_t>(r), draws[r]))
      draws[r] = {};
  });
  DrawnSquares out;
  out.error.assign(kDraws * search.tau.size(), 0.0);
  out.acceleration = out.error;
  double inner = 0;
  for (std::size_t r = 0; r < draws.size(); ++r)
    if (!draws[r].error2.empty()) inner += search.runs[r].run.samples() - 2;
  for (const auto& own : draws) {
    for (std::size_t k = 0; k < own.error2.size(); ++k) {
      out.error[k] += own.error2[k] / inner;
      out.acceleration[k] += own.acceleration2[k] / inner;
    }
    for (const double x : own.mean2) out.mean += x / inner / static_cast<double>(own.mean2.size());
  }
  return out;
}

// Errors given the observations, over factors of s as likely as they are. False when the motion
// cannot be told.
[[nodiscard]] bool draw_errors(ErrorSearch& search, ThreadPool& pool, ModelError& out) {
  const int n = static_cast<int>(search.tau.size());
  const CorrelatedNoise best = search.noise;
  const double top = search.posterior();
  double total = 0, seen = 0;
  std::vector<Weighted> overall;
  out.joint.assign(n, 0.0);
  out.acceleration.assign(n, 0.0);
  const auto add = [&](double factor) {
    for (int j = 0; j < n; ++j) search.noise.s[j] = factor * best.s[j];
    const double weight = std::exp(search.posterior() - top);
    if (!(weight > kNegligible)) return;
    const DrawnSquares squares = draw_squares(search, pool);
    seen += weight * kDraws * squares.mean;
    for (int d = 0; d < kDraws; ++d, total += weight) {
      double sum = 0;
      for (int j = 0; j < n; ++j) {
        sum += squares.error[d * n + j] / n;
        out.joint[j] += weight * squares.error[d * n + j];
        out.acceleration[j] += weight * squares.acceleration[d * n + j];
      }
      out.overall += weight * sum;
      overall.push_back({std::sqrt(sum), weight});
    }
  };
  for (double factor = 1 / kFarthestFactor; factor < kFarthestFactor; factor *= kNextFactor)
    add(factor);
  // Where observations show the error at every step, s is known better than the factors' distance.
  if (overall.empty()) add(1);
  search.noise = best;
  if (overall.empty()) return false;
  for (double& x : out.joint) x = std::sqrt(x / total);
  for (double& x : out.acceleration) x = std::sqrt(x / total);
  out.seen = std::clamp(seen / out.overall, 0.0, 1.0);
  out.overall = std::sqrt(out.overall / total);
  std::sort(overall.begin(), overall.end(), [](auto& a, auto& b) { return a.value < b.value; });
  const double form = kTwoSided * (kFormSeen + (1 - out.seen) * kFormHidden);
  const double down = std::min(0.0, std::log(quantile(overall, kLow) / out.overall));
  const double up = std::max(0.0, std::log(quantile(overall, kHigh) / out.overall));
  out.low = out.overall * std::exp(-std::hypot(down, form));
  out.high = out.overall * std::exp(std::hypot(up, form));
  return true;
}

// The log's motion as far as it is known.
struct Motion {
  std::vector<std::vector<double>> t, q;  // [runs]
};

Motion motion_of(const Log& log) {
  Motion motion;
  for (const auto& run : log.runs) {
    motion.t.push_back(run.t);
    motion.q.push_back(run.q);
  }
  return motion;
}

// Puts the log on a new grid and the search there, from the motion known so far.
void place(const Model& model, const TimeGrid& grid, const Motion& motion, const MotionSize& size,
           ErrorSearch& search) {
  const int n = model.joints();
  search.runs.clear();
  for (std::size_t r = 0; r < grid.log.runs.size(); ++r) {
    const Trajectory& run = grid.log.runs[r];
    search.runs.emplace_back(model, run, interpolate(motion.t[r], motion.q[r], n, run.t));
  }
  set_sizes(size, search.runs);
  search.usable.assign(search.runs.size(), 1);
  double seconds = 0, observed = 0;
  for (const auto& run : grid.log.runs) {
    seconds += run.t.back() - run.t.front();
    for (int k = 1; k < run.size(); ++k) observed += !std::isnan(run.q[k * n]);
  }
  const double step = seconds / std::max(observed, 1.0);
  search.tau.clear();
  search.least_sigma.clear();
  search.least_s.clear();
  for (int j = 0; j < n; ++j) {
    const double omega = std::max(size.omega[j], kSlowest * size.fastest());
    search.tau.push_back(omega > 0 ? 1 / omega : step);
    search.least_sigma.push_back(kLeastSigma * size.acceleration[j] * step * step);
    search.least_s.push_back(kLeastS * size.acceleration[j]);
  }
}

// Errors of the pieces whose motion is known, most likely and drawn.
void keep_motion(ErrorSearch& search, const TimeGrid& grid, ModelError& out) {
  const int n = grid.log.n(), m = grid.log.m();
  out.motion.channels = grid.log.channels;
  for (std::size_t r = 0; r < search.runs.size(); ++r) {
    const MotionRun& run = search.runs[r].run;
    CorrelatedMotion::Draws draws;
    if (!search.usable[r] || run.samples() < 3 ||
        !search.runs[r].draw(search.noise, 1, static_cast<std::uint64_t>(r), draws))
      continue;
    const int end = run.samples() - 1;
    Trajectory piece = slice(grid.log.runs[r], n, m, 1, end);
    piece.q.assign(run.q.begin() + n, run.q.begin() + end * n);
    piece.qd.resize(piece.q.size());
    piece.qdd.resize(piece.q.size());
    for (std::size_t k = 0; k < piece.q.size(); ++k) {
      const std::size_t step = k / n;
      const double h1 = run.h[step], h2 = run.h[step + 1];
      const double v1 = (run.q[k + n] - run.q[k]) / h1, v2 = (run.q[k + 2 * n] - run.q[k + n]) / h2;
      piece.qd[k] = (h2 * v1 + h1 * v2) / (h1 + h2);
      piece.qdd[k] = (v2 - v1) / (0.5 * (h1 + h2));
    }
    out.motion.runs.push_back(std::move(piece));
    out.residual.push_back(run.error.e);
    out.drawn.push_back(std::move(draws.last));
  }
}

ModelError without_model(const MotionSize& size, const ErrorSearch& search) {
  ModelError out;
  out.runs = out.without_model = static_cast<int>(search.runs.size());
  out.joint.assign(size.acceleration.size(), std::numeric_limits<double>::infinity());
  out.overall = out.low = out.high = out.joint[0];
  out.acceleration = size.acceleration;
  out.noise = search.noise.sigma;
  out.tau = search.noise.tau;
  return out;
}

// The search begins with the smoother's noise and with errors as large as the accelerations.
void begin(const SmoothResult& smoothed, const MotionSize& size, ErrorSearch& search) {
  const int n = smoothed.log.n(), runs = static_cast<int>(smoothed.log.runs.size());
  for (int j = 0; j < n; ++j) {
    double variance = 0;
    for (int r = 0; r < runs; ++r)
      variance += smoothed.at(r, j).observation_sd * smoothed.at(r, j).observation_sd / runs;
    search.noise.sigma.push_back(std::max(std::sqrt(variance), kFirstSigma * size.position[j]));
    search.noise.s.push_back(size.acceleration[j]);
  }
}

// Root mean square over the points of what a member predicts apart from the model, or from their
// mean [n]; empty when nothing is known.
std::vector<double> member_spread(const Ensemble& ensemble, const Log& smoothed, ThreadPool& pool) {
  const std::size_t count = ensemble.members.size();
  // A model can be as wrong as the accelerations it was fitted to.
  if (count < 2) return ensemble.knowledge ? ensemble.knowledge->labels : std::vector<double>();
  const MotionPoints points = motion_points(smoothed, InputAtSample::mean);
  std::vector<std::vector<double>> predicted;
  for (const Model& member : ensemble.members)
    predicted.push_back(predict_accelerations(member, points, pool));
  std::vector<double> centre = predict_accelerations(ensemble.model, points, pool);
  if (ensemble.mean) {
    std::fill(centre.begin(), centre.end(), 0.0);
    for (const auto& own : predicted)
      for (std::size_t k = 0; k < centre.size(); ++k)
        centre[k] += own[k] / static_cast<double>(count);
  }
  // Each member's distance; the median passes over draws whose M is all but singular.
  std::vector<double> spread;
  for (int j = 0; j < points.n; ++j) {
    std::vector<double> distance;
    for (const auto& own : predicted) {
      double sum = 0;
      for (std::size_t k = j; k < centre.size(); k += points.n)
        sum += (own[k] - centre[k]) * (own[k] - centre[k]);
      distance.push_back(std::isfinite(sum) ? std::sqrt(sum / std::max(1, points.size()))
                                            : kInfinity);
    }
    const auto middle = distance.begin() + static_cast<long>(count / 2);
    std::nth_element(distance.begin(), middle, distance.end());
    spread.push_back(std::isfinite(*middle) ? *middle : 0);
  }
  return spread;
}

// What noise hides of the error is as large as the members' spread makes expect.
void add_spread(const std::vector<double>& spread, ModelError& out) {
  if (spread.empty()) return;
  double square = 0;
  for (std::size_t j = 0; j < spread.size(); ++j) {
    const double hidden2 = (1 - out.seen) * spread[j] * spread[j];
    out.joint[j] = std::sqrt(out.joint[j] * out.joint[j] + hidden2);
    square += hidden2 / static_cast<double>(spread.size());
  }
  out.spread = spread;
  out.overall = std::hypot(out.overall, std::sqrt(square));
  out.low = std::hypot(out.low, std::sqrt(square) / kSpreadFactor);
  out.high = std::hypot(out.high, std::sqrt(square) * kSpreadFactor);
}

}  // namespace

double ModelError::explained() const {
  double sum = 0;
  int joints = 0;
  for (std::size_t j = 0; j < joint.size(); ++j) {
    if (acceleration[j] == 0) continue;
    sum += joint[j] * joint[j] / (acceleration[j] * acceleration[j]);
    ++joints;
  }
  return joints == 0 ? 1 : 1 - sum / joints;
}

void keep_error(const ModelError& error, bool members, Knowledge& knowledge) {
  knowledge.error.clear();
  knowledge.error_time.clear();
  if (!std::isfinite(error.overall)) return;
  for (std::size_t j = 0; j < error.joint.size(); ++j) {
    const double told = error.spread.empty() || !members ? 0 : error.spread[j];
    const double rest2 = error.joint[j] * error.joint[j] - told * told;
    knowledge.error.push_back(std::sqrt(std::max(0.0, rest2)));
  }
  knowledge.error_time = error.tau;
}

ModelError model_error(const Model& model, const Log& observed, ThreadPool& pool) {
  return model_error(Ensemble{model, {}, false}, observed, pool);
}

ModelError model_error(const Ensemble& ensemble, const Log& observed, ThreadPool& pool) {
  const Model& model = ensemble.model;
  const int n = model.joints();
  MECHFIT_CHECK(observed.n() == n, "a log of another machine");
  const SmoothResult all = smooth(observed, {}, pool);
  Motion motion = motion_of(all.log);
  MotionSize size = motion_size(n, motion.t, motion.q);
  double fastest = std::max(size.fastest(), 1e-6);
  // A model that was fitted on finer steps is better than the rule on these.
  const double finest = ensemble.grid() > 0 ? ensemble.grid() : kInfinity;
  const auto step = [&] {
    return std::max(std::min(kPhase / fastest, finest), kFinestPhase / fastest);
  };
  const Log log = pieces(observed, step());

  ErrorSearch search(model, pool);
  search.expected = member_spread(ensemble, all.log, pool);
  TimeGrid grid = time_grid(log, step(), kMostParts);
  const SmoothResult smoothed = smooth(grid.log, {}, pool);
  motion = motion_of(smoothed.log);
  size = motion_size(n, motion.t, motion.q);
  begin(smoothed, size, search);
  ModelError out;
  out.runs = static_cast<int>(grid.log.runs.size());
  for (int pass = 0; pass < kPasses; ++pass) {
    place(model, grid, motion, size, search);
    if (pass == 0) search.noise.tau = search.tau;
    search.run();
    if (!search.any_usable()) return without_model(size, search);
    for (std::size_t r = 0; r < search.runs.size(); ++r) {
      motion.t[r] = grid.log.runs[r].t;
      motion.q[r] = search.runs[r].run.q;
    }
    size = motion_size(n, motion.t, motion.q);
    if (pass + 1 == kPasses || (pass > 0 && size.fastest() < kGrown * fastest)) break;
    fastest = std::max(fastest, size.fastest());
    const int pooled = grid.pooled;
    grid = time_grid(log, step(), kMostParts);
    for (double& sigma : search.noise.sigma) sigma *= std::sqrt(1.0 * pooled / grid.pooled);
  }
  if (!draw_errors(search, pool, out))
    throw InputError("the log's observations are too few to tell its motion");
  keep_motion(search, grid, out);
  // A smoother misses the fast motion in which members differ most: look again at what was found.
  add_spread(out.motion.runs.empty() ? search.expected : member_spread(ensemble, out.motion, pool),
             out);
  out.without_model = static_cast<int>(std::count(search.usable.begin(), search.usable.end(), 0));
  out.noise = search.noise.sigma;
  for (double& sigma : out.noise) sigma *= std::sqrt(1.0 * grid.pooled);
  out.tau = search.noise.tau;
  return out;
}

}  // namespace mechfit
