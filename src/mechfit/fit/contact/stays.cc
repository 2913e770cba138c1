#include "mechfit/fit/contact/stays.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/constants.h"
#include "mechfit/log/split.h"
#include "mechfit/mechanics/point.h"

namespace mechfit {
namespace {

// Samples on either side that positions are averaged over, against noise: a stop's corner is cut
// off by no more than the motion within them.
constexpr int kAverage = 2;
// Within reach of a contact: a share of the joint's range, and deviations of such an average.
constexpr double kReach = 0.03, kDeviations = 2.5;
// Samples that a rest must have: with fewer a turn of the motion looks alike.
constexpr int kShortestRest = 16;
// Deviations that a single observation of a rest may be off its mean, and by which the slope and
// the bend of all of them may differ from 0.
constexpr double kSingle = 3.5, kFlat = 3;
// Samples at a rest's ends that may still be on the way.
constexpr int kTrim = 2;

struct Line {
  double slope = 0, bend = 0, variance = 0;  // the first two in their standard deviations
};

// Of y[begin, end) with deviation sigma: 1, x, x^2 made orthogonal.
Line line_of(const Trajectory& run, int n, int joint, int begin, int end, double sigma) {
  double sums[3] = {}, squares[3] = {}, all = 0;
  const int count = end - begin;
  const double half = 0.5 * (count - 1), mean2 = (count * count - 1.0) / 12;
  for (int k = begin; k < end; ++k) {
    const double y = run.q[k * n + joint] - run.q[begin * n + joint], x = k - begin - half;
    const double basis[3] = {1, x, x * x - mean2};
    for (int i = 0; i < 3; ++i) {
      sums[i] += basis[i] * y;
      squares[i] += basis[i] * basis[i];
    }
    all += y * y;
  }
  Line out;
  out.slope = sums[1] / (sigma * std::sqrt(squares[1]));
  out.bend = sums[2] / (sigma * std::sqrt(squares[2]));
  out.variance = (all - sums[0] * sums[0] / squares[0]) / ((count - 1) * sigma * sigma);
  return out;
}

// The longest piece of [begin, end) that lies on the contact.
void find_rest(const Trajectory& run, int n, const Contact& contact, double sigma, Stay& stay) {
  const int j = contact.joint;
  const auto lies = [&](int k) {
    return std::fabs(run.q[k * n + j] - contact.position) <
           kSingle * std::hypot(sigma, contact.position_error);
  };
  for (int first = stay.begin; first < stay.end; ++first) {
    if (!lies(first)) continue;
    int last = first;
    while (last < stay.end && lies(last)) ++last;
    // What comes in and goes out is taken off until the rest is flat.
    for (int begin = first + kTrim, end = last - kTrim; end - begin >= kShortestRest;) {
      const Line line = line_of(run, n, j, begin, end, sigma);
      const double most = 1 + kFlat * std::sqrt(2.0 / (end - begin));
      if (std::fabs(line.slope) < kFlat && std::fabs(line.bend) < kFlat && line.variance < most) {
        if (end - begin > stay.rest_end - stay.rest) stay.rest = begin, stay.rest_end = end;
        break;
      }
      const double half = contact.slope() * line.slope;  // negative: more is missing at its begin
      half < 0 ? --end : ++begin;
      if (std::fabs(line.slope) < kFlat) --end;
    }
    first = last;
  }
}

// Gap of the average over neighbours; NaN where one is missing.
double average_gap(const Trajectory& run, int n, const Contact& contact, int k) {
  double sum = 0;
  int count = 0;
  for (int i = std::max(0, k - kAverage); i <= std::min(run.size() - 1, k + kAverage); ++i) {
    sum += run.q[i * n + contact.joint];
    ++count;
  }
  return contact.slope() * (contact.position - sum / count);
}

// By the model without the stop, along the joint, where its velocity is 0: the mean over a rest.
double acceleration_in(const Model& model, const Trajectory& rest, int joint) {
  const int n = model.joints(), m = model.inputs(), samples = rest.size();
  PointDynamics dynamics(model);
  double sum = 0;
  std::vector<double> q(n), v(n), a(n);
  for (int k = 0; k < samples; ++k) {
    const int last = std::max(0, k - 2 * kAverage), next = std::min(samples - 1, k + 2 * kAverage);
    for (int i = 0; i < n; ++i) {
      q[i] = rest.q[k * n + i];
      v[i] = (rest.q[next * n + i] - rest.q[last * n + i]) / (rest.t[next] - rest.t[last]);
    }
    v[joint] = 0;
    const auto u = m > 0 ? std::span(rest.u).subspan(static_cast<std::size_t>(k) * m, m)
                         : std::span<const double>();
    if (dynamics.acceleration(q, v, u, a)) sum += a[joint] / samples;
  }
  return sum;
}

}  // namespace

double joint_range(const Log& log, int joint) {
  double low = kInfinity, high = -kInfinity;
  for (const Trajectory& run : log.runs)
    for (int k = 0; k < run.size(); ++k) {
      const double q = run.q[k * log.n() + joint];
      if (!std::isfinite(q)) continue;
      low = std::min(low, q);
      high = std::max(high, q);
    }
  return high - low;
}

std::vector<Stay> find_stays(const Log& log, const Contacts& contacts,
                             std::span<const double> sigma) {
  std::vector<Stay> out;
  const int n = log.n();
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const Contact& contact = contacts[c];
    if (contact.shape != ContactShape::upper_stop && contact.shape != ContactShape::lower_stop)
      continue;
    const int j = contact.joint;
    const double reach =
        kReach * joint_range(log, j) + kDeviations * sigma[j] / std::sqrt(2 * kAverage + 1.0);
    for (int r = 0; r < static_cast<int>(log.runs.size()); ++r) {
      const Trajectory& run = log.runs[r];
      for (int k = 0; k < run.size(); ++k) {
        if (!(average_gap(run, n, contact, k) < reach)) continue;
        Stay stay{r, static_cast<int>(c), k, k, 0, 0};
        while (k < run.size() && average_gap(run, n, contact, k) < reach) ++k;
        stay.end = k;
        find_rest(run, n, contact, sigma[j], stay);
        out.push_back(stay);
      }
    }
  }
  return out;
}

void widen_to_stays(const Log& log, const Contacts& contacts, std::span<const double> sigma,
                    std::vector<Impact>& impacts) {
  for (const Stay& stay : find_stays(log, contacts, sigma)) {
    const Trajectory& run = log.runs[stay.run];
    Impact own{stay.run, stay.contact, std::max(0, stay.begin - 1),
               std::min(stay.end, run.size() - 1)};
    own.time = 0.5 * (run.t[own.before] + run.t[own.after]);
    const auto inside = [&](const Impact& impact) {
      return impact.run == own.run && impact.before < own.after && impact.after > own.before;
    };
    // The first says when, with what else it took for itself.
    const auto first = std::find_if(impacts.begin(), impacts.end(), inside);
    if (first != impacts.end()) {
      own.time = first->time;
      own.before = std::min(first->before, run.size() - 2);
      for (const Impact& impact : impacts)
        if (inside(impact)) own.after = std::max(own.after, impact.after);
      std::erase_if(impacts, inside);
    }
    if (own.after > own.before) impacts.push_back(own);
    put_in_order(impacts);
  }
}

void find_rests(const Model& model, const Log& log, const Contacts& contacts,
                std::span<const double> sigma, std::vector<Impact>& impacts) {
  for (Impact& impact : impacts) impact.rest = impact.rest_end = 0;
  for (const Stay& stay : find_stays(log, contacts, sigma)) {
    if (stay.rest == stay.rest_end) continue;
    const Contact& contact = contacts[stay.contact];
    const Trajectory& run = log.runs[stay.run];
    const Trajectory rest = slice(run, log.n(), log.m(), stay.rest, stay.rest_end);
    if (!(contact.slope() * acceleration_in(model, rest, contact.joint) > 0)) continue;
    Impact own{stay.run,
               stay.contact,
               std::max(0, stay.begin - 1),
               std::min(stay.end, run.size() - 1),
               run.t[stay.rest],
               stay.rest,
               stay.rest_end};
    own.after = std::max(own.after, own.rest_end);
    // The last impact before it begins it.
    for (const Impact& impact : impacts)
      if (impact.run == own.run && impact.contact == own.contact && impact.after > stay.begin &&
          impact.before >= own.before && impact.before < own.rest)
        own.before = impact.before, own.time = impact.time;
    std::erase_if(impacts, [&](const Impact& impact) {
      return impact.run == own.run && impact.after > own.before && impact.before < own.after;
    });
    if (own.after > own.before) impacts.push_back(own);
  }
  put_in_order(impacts);
}

PartMotion resting_motion(const Model& model, const MotionNoise& noise, const Trajectory& rest,
                          int joint) {
  const int n = model.joints(), samples = rest.size();
  PartMotion out;
  double mean = 0;
  for (int k = 0; k < samples; ++k) mean += rest.q[k * n + joint] / samples;
  Eigen::VectorXd state(2 * n), deviation(2 * n);
  for (int i = 0; i < n; ++i) {
    double low = kInfinity, high = -kInfinity;
    for (int k = 0; k < samples; ++k) {
      low = std::min(low, rest.q[k * n + i]);
      high = std::max(high, rest.q[k * n + i]);
    }
    state[i] = rest.q[i];
    state[n + i] = 0;
    deviation[i] = high - low;
    deviation[n + i] = (high - low) / (rest.t[1] - rest.t[0]);
  }
  const double held = std::fabs(acceleration_in(model, rest, joint));
  const double h = rest.t[1] - rest.t[0];
  state[joint] = mean;
  deviation[joint] = noise.sigma[joint] / std::sqrt(static_cast<double>(samples));
  deviation[n + joint] = std::max(
      held * h, std::pow(3 * noise.sigma[joint] * std::pow(held, 1.5) * std::sqrt(h / 2), 0.4));
  out.ends.resize(4 * n);
  out.ends << state, state;
  Eigen::VectorXd all(4 * n);
  all << deviation, deviation;
  out.covariance = all.cwiseAbs2().asDiagonal();
  out.ok = out.ends.allFinite() && out.covariance.allFinite();
  return out;
}

void add_rests(const Model& model, const MotionNoise& noise, const Log& log,
               const Contacts& contacts, const std::vector<Impact>& impacts, CutLog& cut,
               std::vector<PartMotion>& motions) {
  for (std::size_t i = 0; i < impacts.size(); ++i) {
    const Impact& impact = impacts[i];
    if (!impact.rests()) continue;
    cut.ahead[i] = static_cast<int>(cut.parts.size());
    cut.parts.push_back({impact.run, impact.rest, impact.rest_end});
    const Trajectory rest =
        slice(log.runs[impact.run], log.n(), log.m(), impact.rest, impact.rest_end);
    motions.push_back(resting_motion(model, noise, rest, contacts[impact.contact].joint));
  }
}

}  // namespace mechfit
