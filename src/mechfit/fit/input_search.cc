#include "mechfit/fit/input_search.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/climb.h"
#include "mechfit/base/constants.h"
#include "mechfit/fit/input_readings.h"
#include "mechfit/fit/joint/input_profile.h"
#include "mechfit/log/steps.h"

namespace mechfit {
namespace {

// Delays that are looked at first, in steps of the motions. Between them the likelihood of inputs
// that a machine can follow has no further tops.
constexpr double kDelays[] = {0, 0.5, 1, 1.5, 2, 3, 4, 5, 6, 8, 10};
// Lags likewise.
constexpr double kLags[] = {0.5, 1, 2, 4};
// Of the median run, the longest delay that is looked for: its samples are lost for the search.
constexpr double kLongestShare = 0.25;
// Samples that tell where to look, more where the search is near its end.
constexpr int kFirstSamples = 5000;
// Steps of the climbs from the best of them, in steps of the motions, and their longest moves.
constexpr double kClimbs[] = {0.25, 0.06};
constexpr double kFarthest = 2;
// Climbs of delay and lag by turns, until they gain no more than this.
constexpr int kMostRounds = 6;
constexpr double kEnough = 0.5;
// Gain in log-likelihood below which inputs are taken to be held, or to act at once: three standard
// deviations are 4.5, and models miss more than their noise says.
constexpr double kGain = 10;
// Delays and lags below this share of a step change nothing that a fit could see.
constexpr double kLeastShare = 0.02;
// Searches within a fit at most, each of which may make it begin again.
constexpr int kMostLooks = 4;
// Two readings of an input (input_readings.h) are half a sample apart, but for this share of one.
constexpr double kSameReading = 0.15;
// A reading that is less probable is out of the question.
constexpr double kLeastRival = 0.01;
// Fall of the log-likelihood beside a top that its curvature is taken from.
constexpr double kCurvatureFall = 2;

struct Found {
  InputTiming timing;
  double log_likelihood = -kInfinity;
};

class Search {
 public:
  Search(InputProfile& profile, const FitOptions& options, double step, double longest)
      : profile_(profile), options_(options), step_(step), longest_(longest) {}

  // Where to look first, by one step each for many timings.
  InputTiming start(InputHold hold);
  // The likeliest timing around another one; the first of `climbs` are for less certain ones.
  Found climb_from(const InputTiming& timing, std::span<const double> climbs);
  double at(const InputTiming& timing) { return profile_.log_likelihood(timing); }
  void add_errors(Found& found);

 private:
  void climb_along(double InputTiming::*time, double share, Found& found);
  // Gives the lag what the delay loses: what a slow machine sees of both hardly changes.
  void climb_between(double share, Found& found);
  // Takes a time that gains little for 0.
  void simplify(double InputTiming::*time, Found& found);
  double error_along(double InputTiming::*time, const Found& found);

  InputProfile& profile_;
  const FitOptions& options_;
  double step_, longest_;
};

InputTiming Search::start(InputHold hold) {
  Found best;
  const auto look = [&](double delay, double lag) {
    const InputTiming timing{hold, delay, lag};
    if (timing.settling() > longest_) return;
    const double value = profile_.promised(timing);
    if (value > best.log_likelihood) best = {timing, value};
  };
  best.timing = {hold, options_.input_delay.value_or(0), options_.input_lag.value_or(0)};
  for (const double delay : kDelays) {
    const double seconds = options_.input_delay.value_or(delay * step_);
    look(seconds, options_.input_lag.value_or(0));
    if (!options_.input_lag)
      for (const double lag : kLags) look(seconds, lag * step_);
    if (options_.input_delay) break;
  }
  return best.timing;
}

void Search::climb_along(double InputTiming::*time, double share, Found& found) {
  const double most = longest_ - (found.timing.settling() - found.timing.*time);
  const ClimbOptions options{share * step_, kFarthest, 0, std::max(most, found.timing.*time)};
  const ClimbResult top =
      climb(found.timing.*time, found.log_likelihood, options, [&](double seconds) {
        InputTiming timing = found.timing;
        timing.*time = seconds;
        return at(timing);
      });
  found.timing.*time = top.x;
  found.log_likelihood = top.value;
}

void Search::climb_between(double share, Found& found) {
  const InputTiming from = found.timing;
  const auto moved = [&](double seconds) {
    InputTiming timing = from;
    timing.delay -= seconds;
    timing.lag += seconds;
    return timing;
  };
  // Within 0 and what the longest settling leaves, of which a lag takes three times itself.
  const double most = std::min(from.delay, std::max(0.0, 0.5 * (longest_ - from.settling())));
  const ClimbResult top =
      climb(0, found.log_likelihood, {share * step_, kFarthest, -from.lag, most},
            [&](double seconds) { return at(moved(seconds)); });
  found = {moved(top.x), top.value};
}

void Search::simplify(double InputTiming::*time, Found& found) {
  if (found.timing.*time == 0) return;
  Found zero = found;
  zero.timing.*time = 0;
  zero.log_likelihood = at(zero.timing);
  if (found.timing.*time < kLeastShare * step_ ||
      found.log_likelihood - zero.log_likelihood < kGain)
    found = zero;
}

Found Search::climb_from(const InputTiming& timing, std::span<const double> climbs) {
  Found found{timing, at(timing)};
  const bool both = !options_.input_delay && !options_.input_lag;
  for (const double share : climbs)
    for (int round = 0; round < (both ? kMostRounds : 1); ++round) {
      const double before = found.log_likelihood;
      if (!options_.input_delay) climb_along(&InputTiming::delay, share, found);
      if (!options_.input_lag) climb_along(&InputTiming::lag, share, found);
      if (both) climb_between(share, found);
      if (found.log_likelihood - before < kEnough) break;
    }
  if (!options_.input_lag) simplify(&InputTiming::lag, found);
  if (!options_.input_delay) simplify(&InputTiming::delay, found);
  return found;
}

// 1 / sqrt(- second derivative), by the fall on either side. The other time is held: where both are
// free this is the error of one that is known when the other is.
double Search::error_along(double InputTiming::*time, const Found& found) {
  const double x = found.timing.*time;
  double beside = std::min(kClimbs[0] * step_, x);
  for (int look = 0; look < 2; ++look) {
    InputTiming lower = found.timing, upper = found.timing;
    lower.*time = x - beside;
    upper.*time = x + beside;
    const double fall = found.log_likelihood - 0.5 * (at(lower) + at(upper));
    if (!(fall > 0)) return 0;
    const double error = beside / std::sqrt(2 * fall);
    if (fall < 3 * kCurvatureFall || look == 1) return error;
    beside *= std::sqrt(kCurvatureFall / fall);
  }
  return 0;
}

void Search::add_errors(Found& found) {
  InputTiming& timing = found.timing;
  timing.delay_error = timing.lag_error = 0;
  if (!options_.input_delay && timing.delay > 0)
    timing.delay_error = error_along(&InputTiming::delay, found);
  if (!options_.input_lag && timing.lag > 0)
    timing.lag_error = error_along(&InputTiming::lag, found);
}

// Whether two timings differ by so much that a fit with one has to be made again for the other.
bool acts_otherwise(const InputTiming& a, const InputTiming& b, double step) {
  return a.hold != b.hold || std::abs(a.delay - b.delay) > kLeastShare * step ||
         std::abs(a.lag - b.lag) > kLeastShare * step;
}

// Whether the machine sees the same of both on the samples' steps.
bool alike(const Found& a, const Found& b, double half_sample) {
  const double later = a.timing.hold == InputHold::linear ? a.timing.delay - b.timing.delay
                                                          : b.timing.delay - a.timing.delay;
  return a.timing.hold != b.timing.hold && std::isfinite(b.log_likelihood) &&
         std::abs(later - half_sample) < 2 * kSameReading * half_sample;
}

// The delay's standard error is the deviation from the reading that is kept, if either may be true.
FoundTiming more_probable(InputTiming held, InputTiming linear, const Readings& readings) {
  held.delay = readings.held_delay;
  linear.delay = readings.linear_delay;
  const bool is_held = readings.linear_share < 0.5;
  const double share = std::min(readings.linear_share, 1 - readings.linear_share);
  const InputTiming &kept = is_held ? held : linear, &rival = is_held ? linear : held;
  FoundTiming found{kept, {}, share};
  if (share > kLeastRival) found.rival = rival;
  found.timing.delay_error =
      std::sqrt((1 - share) * kept.delay_error * kept.delay_error +
                share * (rival.delay_error * rival.delay_error +
                         (rival.delay - kept.delay) * (rival.delay - kept.delay)));
  return found;
}

double median_length(const Log& log) {
  std::vector<double> lengths;
  for (const Trajectory& run : log.runs) lengths.push_back(run.t.back() - run.t.front());
  std::nth_element(lengths.begin(), lengths.begin() + lengths.size() / 2, lengths.end());
  return lengths[lengths.size() / 2];
}

}  // namespace

bool searches_inputs(const FitOptions& options, const FitData& data) {
  return data.channels.m() > 0 &&
         (!options.input_hold || !options.input_delay || !options.input_lag);
}

FoundTiming find_input_timing(const JointResult& fitted, const FitData& data,
                              const FitOptions& options, std::span<const int> fixed, bool near,
                              ThreadPool& pool) {
  const double step = median_step(*data.sampled.train);
  const InputTiming given{InputHold::held, options.input_delay.value_or(0),
                          options.input_lag.value_or(0)};
  const double longest =
      std::max({given.settling() + kClimbs[0] * step, data.timing.settling() + step,
                std::min(kDelays[std::size(kDelays) - 1] * step,
                         kLongestShare * median_length(*data.sampled.train))});
  InputProfile profile(fitted, *data.joint.train, fixed, longest,
                       near ? data.joint.train->samples() : kFirstSamples, pool);
  if (!profile.usable()) return {data.timing};
  Search search(profile, options, step, longest);
  const InputTiming from =
      near ? data.timing : search.start(options.input_hold.value_or(InputHold::linear));
  const double half_sample = 0.5 * median_step(*data.train);
  Found best, other;
  for (const InputHold hold : {InputHold::held, InputHold::linear}) {
    if (options.input_hold && hold != *options.input_hold) continue;
    InputTiming timing = from;
    if (hold != from.hold && !options.input_delay)
      timing.delay =
          std::max(0.0, timing.delay + (hold == InputHold::linear ? half_sample : -half_sample));
    timing.hold = hold;
    Found found = search.climb_from(timing, std::span(kClimbs).subspan(near ? 1 : 0));
    if (found.log_likelihood > best.log_likelihood) std::swap(found, best);
    if (found.log_likelihood > other.log_likelihood) other = found;
  }
  if (!options.input_hold &&
      (best.timing == given || best.log_likelihood - search.at(given) < kGain))
    return {given};
  search.add_errors(best);
  if (options.input_hold || options.input_delay || !alike(best, other, half_sample))
    return {best.timing};
  search.add_errors(other);
  if (best.timing.hold == InputHold::linear) std::swap(best, other);
  return more_probable(
      best.timing, other.timing,
      compare_readings(fitted, data, fixed, longest, best.timing, other.timing, pool));
}

std::optional<InputTiming> InputSearch::better(const JointResult& fitted,
                                               std::span<const int> fixed, const FitData& data,
                                               ThreadPool& pool) {
  if (before_ && fitted.validation_score < before_->score) {
    open_ = false;
    last_ = {};
    return before_->timing;
  }
  last_ = find_input_timing(fitted, data, options_, fixed, looks_ > 0, pool);
  open_ = ++looks_ < kMostLooks &&
          acts_otherwise(last_.timing, data.timing, median_step(*data.sampled.train));
  if (!open_) return std::nullopt;
  before_ = {data.timing, fitted.validation_score};
  return last_.timing;
}

void InputSearch::open_again() {
  open_ = looks_ > 0 && looks_ < kMostLooks;
  before_.reset();
}

InputTiming InputSearch::with_errors(InputTiming timing) const {
  if (timing.delay > 0) timing.delay_error = last_.timing.delay_error;
  if (timing.lag > 0) timing.lag_error = last_.timing.lag_error;
  return timing;
}

}  // namespace mechfit
