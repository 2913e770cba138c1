#include "mechfit/fit/contact/propose.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/median.h"
#include "mechfit/fit/contact/kinks.h"
#include "mechfit/fit/contact/stays.h"

namespace mechfit {
namespace {

// Deviations that a jump must have, jumps at one place that make a stop, and what their squares sum
// to: three of 4 deviations, which of 10^5 windows of noise alone some six have, or more weaker
// ones.
constexpr double kLeastScore = 3, kLeastSum = 3 * 4 * 4;
constexpr int kFewest = 3;
// Width of a place: a share of the joint's range, beside the positions' own deviations.
constexpr double kPlace = 0.02, kPlaceDeviations = 3;
// Of all samples, beyond the place and what noise may do.
constexpr double kBeyond = 2e-3;
// How much of the speed may be left towards the stop, beside what is not known of it.
constexpr double kLeft = 0.2;
// Deviations of an impact's time that keep a sample away from it.
constexpr double kSafe = 2.5;
// Samples that are left out on either side besides, until a model says when the impact was: an
// impact within a part spoils its motion, and the noise of all.
constexpr int kMargin = 3;

struct Extent {
  double low = 0, high = 0, noise = 0;
};

// Of a joint's positions without the outermost thousandth on both sides.
Extent range_of(const Log& log, int joint) {
  std::vector<double> q;
  for (const Trajectory& run : log.runs)
    for (int k = 0; k < run.size(); ++k)
      if (const double x = run.q[k * log.n() + joint]; std::isfinite(x)) q.push_back(x);
  if (q.empty()) return {};
  std::sort(q.begin(), q.end());
  const std::size_t cut = q.size() / 1000;
  return {q[cut], q[q.size() - 1 - cut], 0};
}

// Share of the samples beyond a place.
double share_beyond(const Log& log, int joint, double side, double place) {
  double beyond = 0, all = 0;
  for (const Trajectory& run : log.runs)
    for (int k = 0; k < run.size(); ++k) {
      const double x = run.q[k * log.n() + joint];
      if (!std::isfinite(x)) continue;
      ++all;
      beyond += side * (x - place) > 0;
    }
  return all > 0 ? beyond / all : 0;
}

// The end of a joint's positions towards a side: of means of five neighbours, against noise, what
// one in 500 exceeds.
double end_of(const Log& log, int joint, double side) {
  constexpr int kMean = 5, kOneIn = 500;
  std::vector<double> means;
  for (const Trajectory& run : log.runs)
    for (int k = 0; k + kMean <= run.size(); ++k) {
      double sum = 0;
      for (int i = k; i < k + kMean; ++i) sum += run.q[i * log.n() + joint];
      if (std::isfinite(sum)) means.push_back(side * sum / kMean);
    }
  if (means.empty()) return 0;
  const auto at = means.end() - 1 - static_cast<std::ptrdiff_t>(means.size() / kOneIn);
  std::nth_element(means.begin(), at, means.end());
  return side * *at;
}

// Standard deviation of the observations, by third differences of neighbours (median, so that a few
// impacts do not matter): of white noise they have 20 sigma^2.
double noise_of(const Log& log, int joint) {
  std::vector<double> differences;
  const std::size_t n = log.n();
  for (const Trajectory& run : log.runs)
    for (int k = 3; k < run.size(); ++k) {
      const auto q = [&](int back) { return run.q[(k - back) * n + joint]; };
      const double d = q(0) - 3 * q(1) + 3 * q(2) - q(3);
      if (std::isfinite(d)) differences.push_back(std::fabs(d));
    }
  return differences.empty() ? 0 : median(differences) / (0.6745 * std::sqrt(20.0));
}

}  // namespace

Proposal propose_stops(const Log& log, ThreadPool& pool) {
  Proposal out;
  const std::vector<Kink> kinks = find_kinks(log, kLeastScore, pool);
  for (int j = 0; j < log.n(); ++j) {
    const Extent range = range_of(log, j);
    const double noise = noise_of(log, j);
    const std::size_t before = out.contacts.size();
    for (const bool upper : {true, false}) {
      const double side = upper ? 1 : -1;
      std::vector<const Kink*> towards;
      for (const Kink& kink : kinks) {
        const double speed = side * kink.before, left = side * kink.after;
        const double unsure = std::fabs(kink.after - kink.before) / kink.score;
        if (kink.joint == j && speed > 2 * unsure && left < kLeft * speed + 2 * unsure)
          towards.push_back(&kink);
      }
      // The outermost place with enough of them.
      std::sort(towards.begin(), towards.end(), [&](const Kink* a, const Kink* b) {
        return side * a->position > side * b->position;
      });
      for (std::size_t k = 0; k < towards.size(); ++k) {
        const double width =
            kPlace * (range.high - range.low) + kPlaceDeviations * towards[k]->position_sd;
        std::vector<const Kink*> here;
        std::vector<double> places;
        double sum = 0;
        for (const Kink* kink : towards)
          if (std::fabs(kink->position - towards[k]->position) < width) {
            here.push_back(kink);
            places.push_back(kink->position);
            sum += kink->score * kink->score;
          }
        if (static_cast<int>(here.size()) < kFewest || sum < kLeastSum) continue;
        const double place = median(places);
        if (share_beyond(log, j, side, place + side * (width + 3 * noise)) > kBeyond) break;
        const int contact = static_cast<int>(out.contacts.size());
        out.contacts.push_back(joint_stop(log.channels, j, upper, place, 0.5));
        for (const Kink* kink : towards) {
          if (std::fabs(kink->position - place) > 2 * width) continue;
          const Trajectory& run = log.runs[kink->run];
          const double step = run.t[kink->sample + 1] - run.t[kink->sample];
          const double away = kSafe * kink->time_sd + kMargin * step;
          Impact impact{kink->run, contact, kink->sample, kink->sample + 1, kink->time, 0, 0};
          while (impact.before > 0 && run.t[impact.before] > kink->time - away) --impact.before;
          while (impact.after + 1 < run.size() && run.t[impact.after] < kink->time + away)
            ++impact.after;
          out.impacts.push_back(impact);
        }
        break;
      }
    }
    // Where one end has a stop the other one may: a model will tell, from visits to it.
    if (out.contacts.size() == before + 1) {
      const bool upper = out.contacts.back().shape == ContactShape::lower_stop;
      const double place = end_of(log, j, upper ? 1 : -1);
      out.contacts.push_back(joint_stop(log.channels, j, upper, place, 0.5));
    }
  }
  put_in_order(out.impacts);
  std::vector<double> sigma;
  for (int j = 0; j < log.n(); ++j) sigma.push_back(noise_of(log, j));
  widen_to_stays(log, out.contacts, sigma, out.impacts);
  return out;
}

}  // namespace mechfit
