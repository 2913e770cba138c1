#include "mechfit/fit/contact/locate_impacts.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mechfit/base/constants.h"
#include "mechfit/fit/contact/contact_estimate.h"
#include "mechfit/fit/contact/contact_reach.h"
#include "mechfit/fit/contact/stays.h"
#include "mechfit/log/split.h"

namespace mechfit {
namespace {

// A part is looked at for an impact that was missed where its motion comes as near to a contact as
// this share of the joint's range; in that many nodes around, not so near to the end of a part that
// an impact made. By how much its halves must be more likely.
constexpr double kReach = 0.05, kLeastSplitGain = 10;
constexpr int kAround = 2, kNearEnd = 4;
// Samples between which the usual speed is taken.
constexpr int kSpeedSteps = 10;
// Deviations of an impact's time that keep a sample away from it.
constexpr double kSafe = 2.5;

// Samples next to a time, `away` from it.
void set_samples(const Trajectory& run, double away, Impact& impact) {
  const auto first = std::lower_bound(run.t.begin(), run.t.end(), impact.time + away);
  const auto last = std::lower_bound(run.t.begin(), run.t.end(), impact.time - away);
  impact.after = std::clamp(static_cast<int>(first - run.t.begin()), 1, run.size() - 1);
  impact.before = std::clamp(static_cast<int>(last - run.t.begin()) - 1, 0, impact.after - 1);
}

// A place where a part may hide an impact, and what would become of it.
struct Suspicion {
  int part, contact, node;
  int left = -1, right = -1;  // in the log of halves; -1: too short
};

// Where a part's motion is nearest to a contact, within reach of it.
std::vector<Suspicion> suspicions(const std::vector<PartMotion>& motions, const MotionNoise& noise,
                                  const Log& log, const Contacts& contacts, const CutLog& cut) {
  const std::size_t n = log.n();
  std::vector<Suspicion> out;
  for (std::size_t p = 0; p < motions.size(); ++p) {
    const PartMotion& motion = motions[p];
    const auto& [r, begin, end] = cut.parts[p];
    if (!motion.ok) continue;
    for (std::size_t c = 0; c < contacts.size(); ++c) {
      const double reach =
          kReach * gap_range(log, contacts[c]) + 2 * gap_noise(log, noise, contacts[c]);
      const auto gap = [&](int t) {
        return contacts[c].gap(std::span(motion.q).subspan(t * n, n));
      };
      // Near an end that an impact made the motion is near the contact anyway.
      const int first = begin > 0 ? kNearEnd : 1;
      const int last = end - begin - 1 - (end < log.runs[r].size() ? kNearEnd : 1);
      for (int t = first; t <= last; ++t) {
        if (gap(t) > reach || gap(t) > gap(t - 1) || gap(t) > gap(t + 1)) continue;
        for (int node = std::max(1, t - kAround); node <= std::min(t + kAround, end - begin - 2);
             ++node)
          out.push_back({static_cast<int>(p), static_cast<int>(c), node});
      }
    }
  }
  return out;
}

// Impacts inside of parts that are more likely in two halves.
void add_missed(const Model& model, const std::vector<PartMotion>& motions,
                const MotionNoise& noise, const Log& log, const Contacts& contacts,
                const CutLog& cut, std::vector<Impact>& impacts, ThreadPool& pool) {
  const Price price = price_of(log);
  std::vector<Suspicion> all = suspicions(motions, noise, log, contacts, cut);
  Log halves;
  halves.channels = log.channels;
  const auto add = [&](const Suspicion& suspicion, int begin, int end) {
    if (end - begin < kShortestPiece) return -1;
    halves.runs.push_back(slice(cut.log.runs[suspicion.part], log.n(), log.m(), begin, end));
    return static_cast<int>(halves.runs.size()) - 1;
  };
  for (Suspicion& suspicion : all) {
    suspicion.left = add(suspicion, 0, suspicion.node);
    suspicion.right = add(suspicion, suspicion.node + 1, cut.log.runs[suspicion.part].size());
  }
  if (halves.runs.empty()) return;
  const std::vector<PartMotion> split = part_motions(model, noise, halves, pool);
  struct Best {
    double gain = kLeastSplitGain;
    const Suspicion* at = nullptr;
  };
  std::vector<Best> best(motions.size());
  for (const Suspicion& suspicion : all) {
    const int size = cut.log.runs[suspicion.part].size();
    double gain = -motions[suspicion.part].log_likelihood;
    int kept = 0;
    for (const int half : {suspicion.left, suspicion.right}) {
      if (half < 0) continue;
      gain += split[half].ok ? split[half].log_likelihood : -kInfinity;
      kept += halves.runs[half].size();
    }
    if (suspicion.left >= 0 && suspicion.right >= 0) gain -= price.jump;
    gain -= (size - kept) * price.sample;
    if (gain > best[suspicion.part].gain) best[suspicion.part] = {gain, &suspicion};
  }
  for (const Best& found : best) {
    if (!found.at) continue;
    const auto& [r, begin, end] = cut.parts[found.at->part];
    const int node = begin + found.at->node;
    impacts.push_back({r, found.at->contact, node - 1, node + 1, log.runs[r].t[node]});
  }
}

}  // namespace

void join_near(std::vector<Impact>& impacts) {
  std::sort(impacts.begin(), impacts.end(), [](const Impact& a, const Impact& b) {
    return std::pair(a.run, a.before) < std::pair(b.run, b.before);
  });
  std::vector<Impact> out;
  for (const Impact& impact : impacts) {
    const bool near = !out.empty() && out.back().run == impact.run &&
                      out.back().contact == impact.contact &&
                      impact.before - out.back().after < kShortestPiece - 1;
    if (near)
      out.back().after = std::max(out.back().after, impact.after);
    else if (out.empty() || out.back().run != impact.run || impact.before >= out.back().after)
      out.push_back(impact);
  }
  impacts = std::move(out);
}

Price price_of(const Log& log) {
  const int n = log.n();
  const double half = 0.5 * std::log(2 * std::numbers::pi);
  Price price;
  for (int j = 0; j < n; ++j) {
    double speed2 = 0;
    int count = 0;
    double step = 0;
    for (const Trajectory& run : log.runs)
      for (int k = kSpeedSteps; k < run.size(); ++k) {
        const double time = run.t[k] - run.t[k - kSpeedSteps];
        const double d = (run.q[k * n + j] - run.q[(k - kSpeedSteps) * n + j]) / time;
        if (!std::isfinite(d)) continue;
        speed2 += d * d;
        step = time / kSpeedSteps;
        ++count;
      }
    const double jump = 2 * std::sqrt(std::max(speed2, 1e-24) / std::max(count, 1)) / step;
    price.jump += 2 * (std::log(jump) + half);
    price.sample += std::log(joint_range(log, j)) + half;
  }
  return price;
}

std::vector<Impact> locate_impacts(const Model& model, const MotionNoise& noise, const Log& log,
                                   const Contacts& contacts, std::vector<Impact> impacts,
                                   ThreadPool& pool, const MotionSteps& steps) {
  CutLog cut = cut_log(log, impacts);
  cut.log = on_steps(cut.log, steps);
  const ContactEstimate estimate =
      estimate_contacts(model, noise, log, contacts, impacts, cut, pool);
  for (std::size_t i = 0; i < impacts.size(); ++i) {
    if (!estimate.fits[i] || !std::isfinite(estimate.time_sd[i])) continue;
    const Trajectory& run = log.runs[impacts[i].run];
    // Where it had been looked for, else it is another one.
    const int before = impacts[i].before, after = impacts[i].after;
    if (estimate.times[i] < run.t[std::max(0, before - kShortestPiece)] ||
        estimate.times[i] > run.t[std::min(run.size() - 1, after + kShortestPiece)])
      continue;
    impacts[i].time = estimate.times[i];
    const int end = impacts[i].after;
    set_samples(run, kSafe * estimate.time_sd[i], impacts[i]);
    if (impacts[i].rests()) impacts[i].after = end;
  }
  join_near(impacts);
  cut = cut_log(log, impacts);
  const std::vector<PartMotion> motions = part_motions(model, noise, cut.log, pool);
  add_missed(model, motions, noise, log, contacts, cut, impacts, pool);
  join_near(impacts);
  find_rests(model, log, contacts, noise.sigma, impacts);
  return impacts;
}

}  // namespace mechfit
