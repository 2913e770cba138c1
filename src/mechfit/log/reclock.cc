#include "mechfit/log/reclock.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "mechfit/base/error.h"
#include "mechfit/base/median.h"
#include "mechfit/base/text.h"
#include "mechfit/log/inspect.h"
#include "mechfit/log/origin.h"
#include "mechfit/log/split.h"
#include "mechfit/log/steps.h"

namespace mechfit {
namespace {

constexpr int kReach = 10;  // ticks that a stamp may be off
constexpr int kStates = 2 * kReach + 1;
constexpr int kFirstPart = 512;  // samples that give a first period; then twice as many, ...
// Periods that are tried there, farther from the median step than any clock: where a value is read
// again, or missed, one time in twenty, the median step is that much off.
constexpr double kFarthest = 0.06;
constexpr int kFirstTries = 30;  // on either side
constexpr int kWindow = 8;       // steps on either side that tell a velocity
// Prices in log-likelihood: one step in twenty is not one tick long, and one outlier decides
// nothing. The velocity of a step is known to a tenth.
constexpr float kOtherStep = 3, kLongerStep = 0.2F, kMostMisfit = 15;
constexpr double kVelocityError = 0.1;
constexpr double kJitter = 0.5;           // of the stamps, in ticks
constexpr double kNormalMedian = 0.6745;  // median of |N(0, 1)|

class Clockmaker {
 public:
  Clockmaker(const Trajectory& run, int n) : run_(run), n_(n), size_(run.size()) {}

  EvenClock find() {
    std::vector<double> steps;
    for (const double h : steps_of(run_))
      if (h > 0) steps.push_back(h);
    if (steps.empty()) throw InputError(place_of(run_, 0) + ": the time stands still in this run");
    clock_.period = median(steps);
    clock_.ticks.assign(size_, 0);
    times_ = run_.t;
    find_first_period();
    while (begin_ > 0 || end_ < size_) {
      const int more = (end_ - begin_ + 1) / 2;
      begin_ = std::max(0, begin_ - more);
      end_ = std::min(size_, end_ + more);
      improve_period(1.0 / (end_ - begin_), 2);
    }
    for (int k = 0; k < size_; ++k) times_[k] = tick_time(k);
    improve_period(1.0 / size_, 1);
    std::vector<double> off;
    for (int k = 0; k < size_; ++k) {
      off.push_back(std::abs(run_.t[k] - tick_time(k)));
      const long step = k > 0 ? clock_.ticks[k] - clock_.ticks[k - 1] : 1;
      clock_.repeated += step == 0;
      clock_.missed += std::max(0L, step - 1);
    }
    clock_.jitter = median(std::move(off));
    return std::move(clock_);
  }

 private:
  double tick_time(int k) const {
    return clock_.phase + clock_.period * static_cast<double>(clock_.ticks[k]);
  }

  const double* q(int k) const { return run_.q.data() + static_cast<std::size_t>(k) * n_; }

  // Velocity of a joint in the step that ends at k, from samples around or as it was logged.
  double velocity(int k, int j) const {
    if (!run_.qd.empty())
      return 0.5 * (run_.qd[static_cast<std::size_t>(k) * n_ + j] +
                    run_.qd[static_cast<std::size_t>(k - 1) * n_ + j]);
    const int from = std::max(0, k - 1 - kWindow), to = std::min(size_ - 1, k + kWindow);
    const double time = times_[to] - times_[from];
    return time > 0 ? (q(to)[j] - q(from)[j]) / time : 0;
  }

  // Standard deviations of moves about what the velocity makes of one tick.
  void find_noise() {
    sigma_.assign(n_, 0);
    const int every = std::max(1, (end_ - begin_) / 4096);
    for (int j = 0; j < n_; ++j) {
      std::vector<double> misses;
      for (int k = begin_ + 1; k < end_; k += every)
        misses.push_back(std::abs(q(k)[j] - q(k - 1)[j] - velocity(k, j) * clock_.period));
      if (!misses.empty()) sigma_[j] = median(std::move(misses)) / kNormalMedian;
    }
  }

  // What the motion says against steps of 0, 1, ... ticks that end at k.
  void weigh_steps(int k, int first, int count, float* cost) const {
    for (int i = 0; i < count; ++i)
      cost[i] = first + i == 1 ? 0 : kOtherStep + kLongerStep * static_cast<float>(first + i);
    bool same = true;
    for (int j = 0; j < n_; ++j) {
      const double move = q(k)[j] - q(k - 1)[j], tick = velocity(k, j) * clock_.period;
      same = same && move == 0;
      const double error = kVelocityError * tick;
      for (int i = 0; i < count; ++i) {
        const int step = first + i;
        const double miss = move - tick * step;
        const double variance = sigma_[j] * sigma_[j] + error * error * std::max(1, step * step);
        if (variance > 0)
          cost[i] += std::min(kMostMisfit, static_cast<float>(0.5 * miss * miss / variance));
      }
    }
    for (int i = 0; i < count; ++i)  // one tick has one value
      if (first + i < 0 || (first + i == 0 && !same)) cost[i] = kNever;
  }

  long nearest(int k) const { return std::lround((run_.t[k] - clock_.phase) / clock_.period); }

  void weigh_stamp(int k, float* cost) const {
    const double at = (run_.t[k] - clock_.phase) / clock_.period;
    for (int d = -kReach; d <= kReach; ++d)
      cost[d + kReach] =
          static_cast<float>(std::abs(at - static_cast<double>(nearest(k) + d)) / kJitter);
  }

  // Where the joints move most for their size a period shows best.
  void find_first_period() {
    const int length = std::min(size_, kFirstPart);
    std::vector<double> travel(size_, 0.0);
    for (int j = 0; j < n_; ++j) {
      double all = 0;
      for (int k = 1; k < size_; ++k) all += std::abs(q(k)[j] - q(k - 1)[j]);
      if (!(all > 0)) continue;
      for (int k = 1; k < size_; ++k) travel[k] += std::abs(q(k)[j] - q(k - 1)[j]) / all;
    }
    double most = -1;
    for (int begin = 0; begin + length <= size_; begin += std::max(1, length / 2)) {
      double sum = 0;
      for (int k = begin; k < begin + length; ++k) sum += travel[k];
      if (sum > most) most = sum, begin_ = begin;
    }
    end_ = begin_ + length;
    improve_period(kFarthest / kFirstTries, kFirstTries);
    improve_period(0.5 / length, 2);
  }

  // Period and phase of least cost among 2 tries + 1 periods, a share `apart`. A tick too many or
  // too few is a period of its own, on which ticks and line agree: so several are tried.
  void improve_period(double apart, int tries) {
    find_noise();
    const double middle = clock_.period;
    EvenClock best;
    double least = -1;
    for (int i = -tries; i <= tries; ++i) {
      clock_.period = middle * (1 + apart * i);
      center_phase();
      track();
      fit_line();
      const double cost = track();
      if (least >= 0 && !(cost < least)) continue;
      least = cost;
      best = clock_;
    }
    clock_ = std::move(best);
  }

  // So that stamps of this part are off by nothing in the median.
  void center_phase() {
    std::vector<double> phases;
    const double t0 = run_.t[begin_];
    for (int k = begin_; k < end_; ++k)
      phases.push_back(std::remainder(run_.t[k] - t0, clock_.period));
    clock_.phase = t0 + median(std::move(phases));
  }

  // The ticks of least cost, which is returned.
  double track() {
    const int count = end_ - begin_;
    std::vector<float> cost(kStates), next(kStates), stamp(kStates), step(2 * kStates);
    from_.assign(static_cast<std::size_t>(count) * kStates, 0);
    weigh_stamp(begin_, cost.data());
    double total = 0;
    for (int k = begin_ + 1; k < end_; ++k) {
      // Ticks from state a to state b: between + b - a
      const int between =
          static_cast<int>(std::clamp(nearest(k) - nearest(k - 1), -1L * kStates, 1L << 30));
      if (between < -kReach)
        throw InputError(
            fmt::format("{}: time goes back from {} to {}, farther than jitter explains",
                        place_of(run_, k), run_.t[k - 1], run_.t[k]));
      weigh_steps(k, between - 2 * kReach, 2 * kStates - 1, step.data());
      weigh_stamp(k, stamp.data());
      std::uint8_t* from = &from_[static_cast<std::size_t>(k - begin_) * kStates];
      for (int b = 0; b < kStates; ++b) {
        float least = 4 * kNever;
        for (int a = 0; a < kStates; ++a) {
          const float sum = cost[a] + step[b - a + 2 * kReach];
          if (sum < least) least = sum, from[b] = static_cast<std::uint8_t>(a);
        }
        next[b] = least + stamp[b];
      }
      const float least = *std::min_element(next.begin(), next.end());
      for (int b = 0; b < kStates; ++b) cost[b] = next[b] - least;
      total += least;
    }
    int state = static_cast<int>(std::min_element(cost.begin(), cost.end()) - cost.begin());
    for (int k = end_ - 1; k >= begin_; --k) {
      clock_.ticks[k] = nearest(k) + state - kReach;
      state = from_[static_cast<std::size_t>(k - begin_) * kStates + state];
    }
    return total + *std::min_element(cost.begin(), cost.end());
  }

  // Theil's line would be quadratic in the samples; least squares twice, the second time without
  // stamps far off, is near it.
  void fit_line() {
    double limit = -1;
    for (int round = 0; round < 2; ++round) {
      double sum = 0, sum_m = 0, sum_t = 0, sum_mm = 0, sum_mt = 0;
      const double t0 = run_.t[begin_];
      const auto m0 = static_cast<double>(clock_.ticks[begin_]);
      const auto off = [&](int k) { return std::abs(run_.t[k] - tick_time(k)); };
      for (int k = begin_; k < end_; ++k) {
        if (limit >= 0 && off(k) > limit) continue;
        const double m = static_cast<double>(clock_.ticks[k]) - m0, t = run_.t[k] - t0;
        sum += 1, sum_m += m, sum_t += t, sum_mm += m * m, sum_mt += m * t;
      }
      const double spread = sum_mm - sum_m * sum_m / sum;
      if (!(spread > 0)) return;
      const double period = (sum_mt - sum_m * sum_t / sum) / spread;
      if (!(period > 0)) return;
      clock_.period = period;
      clock_.phase = t0 + (sum_t - period * sum_m) / sum - period * m0;
      std::vector<double> distances;
      for (int k = begin_; k < end_; ++k) distances.push_back(off(k));
      limit = 3 * median(std::move(distances));
    }
  }

  static constexpr float kNever = 1e30F;

  const Trajectory& run_;
  int n_, size_;
  int begin_ = 0, end_ = 0;  // samples whose ticks are looked for
  EvenClock clock_;
  std::vector<double> times_;  // that velocities are taken from
  std::vector<double> sigma_;
  std::vector<std::uint8_t> from_;  // [samples][states]
};

// The middle of each run, so much that jitter shows.
Log middle_of(const Log& log) {
  constexpr int kEnough = 10000, kEach = 500;  // samples
  const int most = std::max(kEach, kEnough / static_cast<int>(log.runs.size()));
  Log out;
  out.channels = log.channels;
  int left = kEnough;
  for (const Trajectory& run : log.runs) {
    const int size = std::min({most, run.size(), left});
    if (size < kShortestRun) continue;
    left -= size;
    const int begin = (run.size() - size) / 2;
    out.runs.push_back(slice(run, log.n(), log.m(), begin, begin + size));
  }
  return out;
}

// Whether all steps of each run are alike: such stamps are even already.
bool is_even(const Log& log) {
  constexpr double kAlike = 1e-3;  // of a step
  for (const Trajectory& run : log.runs) {
    const auto steps = steps_of(run);
    if (steps.empty()) continue;
    const double step = median(steps);
    for (const double h : steps)
      if (std::abs(h / step - std::round(h / step)) > kAlike) return false;
  }
  return true;
}

}  // namespace

EvenClock find_even_clock(const Trajectory& run, int n) { return Clockmaker(run, n).find(); }

Trajectory on_clock(const Trajectory& run, const EvenClock& clock) {
  std::vector<int> kept;
  for (int k = 0; k < run.size(); ++k)
    if (k == 0 || clock.ticks[k] > clock.ticks[k - 1]) kept.push_back(k);
  Trajectory out = take_samples(run, kept);
  for (int k = 0; k < out.size(); ++k)
    out.t[k] = clock.phase + clock.period * static_cast<double>(clock.ticks[kept[k]]);
  return out;
}

void reclock(Log& log, std::vector<std::string>& notes) {
  std::vector<double> periods, jitters;
  long repeated = 0, missed = 0;
  for (Trajectory& run : log.runs) {
    if (run.size() < kShortestRun) continue;
    const EvenClock clock = find_even_clock(run, log.n());
    run = on_clock(run, clock);
    periods.push_back(clock.period);
    jitters.push_back(clock.jitter);
    repeated += clock.repeated;
    missed += clock.missed;
  }
  if (periods.empty()) return;
  std::string note = fmt::format(
      "stamps replaced by an even clock of {:.6g} s, which they miss by {:.2g} s in the median",
      median(periods), median(jitters));
  if (repeated > 0)
    note += fmt::format("; {} of a value read again left out", counted(repeated, "row"));
  if (missed > 0) note += fmt::format("; {} without a row", counted(missed, "tick"));
  notes.push_back(std::move(note));
}

JitterCheck check_jitter(const Log& log) {
  JitterCheck check;
  const Log stamped = middle_of(log);
  if (stamped.runs.empty() || is_even(stamped)) return check;
  Log even = stamped;
  for (std::size_t r = 0; r < even.runs.size(); ++r) {
    if (even.runs[r].size() < kShortestRun) continue;
    const EvenClock clock = find_even_clock(stamped.runs[r], log.n());
    if (r == 0) check.period = clock.period, check.jitter = clock.jitter;
    even.runs[r] = on_clock(stamped.runs[r], clock);
  }
  constexpr double kGain = 0.5, kLoss = 1.2;  // of the noise
  double best = kGain;
  for (int j = 0; j < log.n(); ++j) {
    const double before = estimate_noise(stamped, j), after = estimate_noise(even, j);
    if (after > kLoss * before) {
      check.found = false;
      return check;
    }
    if (!(after < best * before)) continue;
    best = after / before;
    check.found = true;
    check.joint = j, check.noise = before, check.noise_on_clock = after;
  }
  return check;
}

}  // namespace mechfit
