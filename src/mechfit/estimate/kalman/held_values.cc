#include "mechfit/estimate/kalman/held_values.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mechfit/base/median.h"
#include "mechfit/estimate/kalman/smoother.h"

namespace mechfit {
namespace {

constexpr double kSlow = 10;     // share of repeats where the joint is slow, to that of all samples
constexpr double kChance = 0.1;  // stretches that chance may make in a whole log
// Moves that differ by less are the same step of a sensor's grid; files round their numbers.
constexpr double kSameStep = 0.01;
constexpr double kRounding = 1e-9;  // moves below this share of the largest are rounding
// Moves that lie on a grid are whole numbers of steps. Others come as near to one in a tenth of all
// cases.
constexpr double kMostSteps = 400, kNearlyWhole = 0.05, kMostWhole = 0.9, kFewSteps = 5;
constexpr int kAround = 8;  // samples on each side that tell noise from motion
// Noise above this share of the moves: no joint rests there without showing it.
constexpr double kNoisy = 0.2;
// Noise below this share: it makes no jumps of the size of moves.
constexpr double kQuiet = 0.1;
// A joint that starts from rest moves a third as far in its first step as in its second.
constexpr double kRestFactor = 0.7;
// A jump where the joint turns round, in moves of the sample behind.
constexpr double kTurnFactor = 4;
// A coarse sensor's jump: the least in steps of its grid, and in moves before and after.
constexpr double kJumpSteps = 3, kJumpFactor = 1.6;
// Noise in steps of the grid from which on it decides alone what the sensor shows.
constexpr double kDither = 2;
constexpr double kBlur = 1.5;  // steps of the grid by which rounding makes two moves differ

// How one joint's sensor repeats itself by chance.
struct Sensor {
  double moves = 0;    // from sample to sample, in the whole log
  double step = 0;     // smallest move; 0: the values lie on no grid
  double repeats = 0;  // share of moves of nothing, where the joint is slow

  bool by_chance(int length) const { return moves * std::pow(repeats, length) >= kChance; }
};

Sensor sensor_of(const Log& log, int joint) {
  const int n = log.n();
  Sensor sensor;
  sensor.step = std::numeric_limits<double>::infinity();
  const auto each_move = [&](const auto& see) {
    for (const Trajectory& run : log.runs)
      for (int k = 1; k < run.size(); ++k) {
        const double move = std::abs(run.q[static_cast<std::size_t>(k) * n + joint] -
                                     run.q[static_cast<std::size_t>(k - 1) * n + joint]);
        if (!std::isnan(move)) see(move);
      }
  };
  double largest = 0;
  each_move([&](double move) {
    ++sensor.moves;
    largest = std::max(largest, move);
  });
  each_move([&](double move) {
    if (move > kRounding * largest) sensor.step = std::min(sensor.step, move);
  });
  double smallest = 0, small = 0, whole = 0;
  each_move([&](double move) {
    const double ratio = 2 * move / sensor.step;  // the smallest move may be two steps
    if (!(move > kRounding * largest) || ratio > kMostSteps) return;
    smallest += move < (1 + kSameStep) * sensor.step;
    ++small;
    whole += std::abs(ratio - std::round(ratio)) < kNearlyWhole;
  });
  // One smallest move alone is no grid: every log has one.
  if (smallest > 1 || (small >= kFewSteps && whole > kMostWhole * small))
    sensor.repeats = std::min(1.0, kSlow * smallest / (2 * sensor.moves));
  else
    sensor.step = 0;
  return sensor;
}

// One joint of one run.
struct Values {
  const Trajectory* run;
  int n, joint;

  int size() const { return run->size(); }
  double operator[](int k) const { return run->q[static_cast<std::size_t>(k) * n + joint]; }
  double move(int k) const {  // to sample k; 0 outside
    return k > 0 && k < size() ? (*this)[k] - (*this)[k - 1] : 0;
  }
};

// Third differences, which see little of a motion, and moves of the samples around a stretch.
struct Around {
  double noise = 0, move = 0;  // medians
};

Around around(const Values& q, int begin, int end) {
  std::vector<double> moves, noise;
  const auto look = [&](int first, int last) {
    for (int k = std::max(first, 0) + 3; k < std::min(last, q.size()); ++k) {
      const double third = q[k] - 3 * q[k - 1] + 3 * q[k - 2] - q[k - 3];
      if (std::isnan(third)) continue;
      noise.push_back(std::abs(third) / std::sqrt(20.0));
      moves.push_back(std::abs(q.move(k)));
    }
  };
  look(begin - kAround, begin + 1);
  look(end, end + kAround);
  if (noise.empty()) return {};
  return {median(std::move(noise)), median(std::move(moves))};
}

// Whether the equal samples [begin, end) are one that was held.
bool held(const Values& q, const Sensor& sensor, int begin, int end) {
  const Around here = around(q, begin, end);
  const bool chance = sensor.by_chance(end - begin - 1);
  if (here.noise > kNoisy * here.move) return !chance && here.noise >= kDither * sensor.step;
  const double jump = q.move(end), next = q.move(end + 1), before = q.move(begin);
  const double size = std::abs(jump);
  if (end == q.size())  // nothing follows: a joint that comes to rest slows down before
    return !chance && std::abs(before) >= kJumpSteps * sensor.step &&
           std::abs(before) > kRestFactor * std::abs(q.move(begin - 1));
  // Where a joint turns round it hardly moves, and some sensors repeat themselves there.
  if (!chance && jump * before < 0 && size < kTurnFactor * std::abs(next) + std::abs(before))
    return false;
  if (!chance)
    return sensor.step == 0
               ? size > kRestFactor * std::abs(next)
               : size >= std::max(kJumpSteps * sensor.step, std::abs(next) + kBlur * sensor.step);
  return here.noise < kQuiet * here.move && size >= kJumpSteps * sensor.step && jump * next > 0 &&
         jump * before > 0 &&
         size > kJumpFactor * std::max(std::abs(next), std::abs(before)) + sensor.step;
}

}  // namespace

std::vector<Defect> find_held_values(const Log& log, int joint, ThreadPool& pool) {
  const Sensor sensor = sensor_of(log, joint);
  std::vector<std::vector<Defect>> found(log.runs.size());
  pool.run(static_cast<int>(log.runs.size()), [&](int r, int) {
    const Values q{&log.runs[r], log.n(), joint};
    int left = q.size();
    for (int begin = 0, end = 0; begin < q.size(); begin = end) {
      for (end = begin + 1; end < q.size() && q[end] == q[begin];) ++end;
      // A run that never moves has no motion to be held.
      if (end == begin + 1 || end - begin == q.size() || !held(q, sensor, begin, end)) continue;
      left -= end - begin - 1;
      for (int k = begin + 1; k < end; ++k) {
        const double share = static_cast<double>(k - begin) / (end - begin);
        found[r].push_back({DefectKind::held, r, k, joint, q[k], q[begin] + share * q.move(end)});
      }
    }
    if (left < kFewestObservations) found[r].clear();
  });
  std::vector<Defect> out;
  for (const auto& run : found) out.insert(out.end(), run.begin(), run.end());
  return out;
}

}  // namespace mechfit
