#include "mechfit/fit/contact/spikes.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "mechfit/base/median.h"
#include "mechfit/fit/contact/contact_reach.h"
#include "mechfit/fit/contact/part_motion.h"
#include "mechfit/fit/contact/propose_planes.h"
#include "mechfit/log/steps.h"
#include "mechfit/mechanics/impact.h"

namespace mechfit {
namespace {

// |E|, in deviations of the equation's error, that chance and an inexact model do not reach.
constexpr double kLeast = 8;
// Share of E'E that the impulse of one contact must explain.
constexpr double kShare = 0.8;
// Samples around a spike that belong to it, and those that are left out on either side besides.
constexpr int kAround = 3, kMargin = 1;
constexpr int kFewest = 3;
// Of s, below which a median says that the motions follow the samples, not that the model is right.
constexpr double kLeastShare = 1e-3;
// Width of a place: a share of how far the point goes, beside deviations of its noise.
constexpr double kPlace = 0.02, kDeviations = 3;
// Of all samples, beyond the place and what noise may do.
constexpr double kBeyond = 2e-3;

struct Spike {
  int run = 0, sample = 0;  // it is between this sample and the next
  double time = 0;
  int contact = -1;   // of the candidates, the one that explains it best
  double height = 0;  // n'x there
};

// The errors' deviations by their medians: those of the motions that follow their samples, where
// there is no impact.
MotionNoise robust_noise(const std::vector<PartMotion>& motions, const MotionNoise& noise) {
  MotionNoise out = noise;
  const std::size_t n = noise.s.size();
  for (std::size_t j = 0; j < n; ++j) {
    std::vector<double> sizes;
    for (const PartMotion& motion : motions)
      for (std::size_t k = j; motion.ok && k < motion.error.size(); k += n)
        sizes.push_back(std::fabs(motion.error[k]));
    if (!sizes.empty()) out.s[j] *= std::clamp(median(sizes) / 0.6745, kLeastShare, 1.0);
  }
  return out;
}

// E at a pair of inner samples, as PartMotion has the errors.
Eigen::VectorXd pair_error(const PartMotion& motion, int n, int k) {
  const auto e = [&](int sample) {
    return Eigen::Map<const Eigen::VectorXd>(
        &motion.error[static_cast<std::size_t>(sample - 1) * n], n);
  };
  return e(k) + e(k + 1);
}

// Pairs whose error is large and larger than that of their neighbours.
std::vector<int> large_pairs(const PartMotion& motion, int n) {
  const int pairs = static_cast<int>(motion.error.size()) / n - 1;
  std::vector<double> size(std::max(0, pairs));
  for (int k = 0; k < pairs; ++k) size[k] = pair_error(motion, n, k + 1).norm();
  std::vector<int> out;
  for (int k = 0; k < pairs; ++k) {
    const int first = std::max(0, k - kAround), last = std::min(pairs - 1, k + kAround);
    if (size[k] > kLeast &&
        size[k] == *std::max_element(size.begin() + first, size.begin() + last + 1))
      out.push_back(k + 1);
  }
  return out;
}

// What the candidates say of the spike at the samples k and k + 1.
Spike explain(Touching& at, const Contacts& candidates, const PartMotion& motion,
              const MotionNoise& noise, const Trajectory& run, int n, int k) {
  Spike spike;
  spike.sample = k;
  const Eigen::Map<const Eigen::VectorXd> s(noise.s.data(), n);
  const Eigen::VectorXd E = pair_error(motion, n, k);
  const std::span<const double> q = std::span(motion.q).subspan(static_cast<std::size_t>(k) * n, n);
  double best = kShare;
  for (int c = 0; c < static_cast<int>(candidates.size()); ++c) {
    const int touching[] = {c};
    if (!at.set(q, touching)) continue;
    const Eigen::VectorXd d = at.moves().col(0).cwiseQuotient(s);
    const double along = -d.dot(E), share = along * along / (d.squaredNorm() * E.squaredNorm());
    if (along <= 0 || !(share > best)) continue;
    best = share;
    spike.contact = c;
    // The later sample has the more of the impulse the later the impact is.
    const Eigen::Map<const Eigen::VectorXd> later(&motion.error[static_cast<std::size_t>(k) * n],
                                                  n);
    const double a = std::clamp(-d.dot(later) / along, 0.0, 1.0);
    spike.time = run.t[k] + a * (run.t[k + 1] - run.t[k]);
    const auto next = std::span(motion.q).subspan(static_cast<std::size_t>(k + 1) * n, n);
    spike.height = (1 - a) * candidates[c].gap(q) + a * candidates[c].gap(next);
  }
  return spike;
}

double share_below(const Log& log, const Contact& contact, double place) {
  const std::size_t n = log.n();
  double below = 0, all = 0;
  for (const Trajectory& run : log.runs)
    for (int k = 0; k < run.size(); ++k) {
      const double height = contact.gap(std::span(run.q).subspan(k * n, n));
      if (!std::isfinite(height)) continue;
      ++all;
      below += height < place;
    }
  return all > 0 ? below / all : 0;
}

// Adds the candidate with its spikes where they gather at the low end of its heights.
void gather(const Log& log, const MotionNoise& noise, const Contact& candidate,
            std::vector<Spike> own, Proposal& out) {
  const double noisy = kDeviations * gap_noise(log, noise, candidate);
  const double width = kPlace * gap_range(log, candidate) + noisy;
  std::sort(own.begin(), own.end(),
            [](const Spike& a, const Spike& b) { return a.height < b.height; });
  for (const Spike& lowest : own) {
    std::vector<double> heights;
    for (const Spike& spike : own)
      if (std::fabs(spike.height - lowest.height) < width) heights.push_back(spike.height);
    if (static_cast<int>(heights.size()) < kFewest) continue;
    const double place = median(heights);
    if (share_below(log, candidate, place - width - noisy) > kBeyond) return;
    Contact contact = candidate;
    contact.position = place;
    for (const Spike& spike : own) {
      if (std::fabs(spike.height - place) > 2 * width) continue;
      const int last = log.runs[spike.run].size() - 1;
      out.impacts.push_back({spike.run, static_cast<int>(out.contacts.size()),
                             std::max(0, spike.sample - kMargin),
                             std::min(last, spike.sample + 1 + kMargin), spike.time});
    }
    out.contacts.push_back(contact);
    return;
  }
}

}  // namespace

Proposal propose_by_spikes(const Model& model, const MotionNoise& noise, const Log& log,
                           const std::vector<PlanarPoint>& points, ThreadPool& pool) {
  const int n = log.n();
  const Contacts candidates = planes_of(points);
  const MotionNoise follow = following(noise, median_step(log), kFollow);
  std::vector<PartMotion> motions = part_motions(model, follow, log, pool);
  const MotionNoise usual = robust_noise(motions, follow);
  for (PartMotion& motion : motions)
    for (std::size_t k = 0; k < motion.error.size(); ++k)
      motion.error[k] *= follow.s[k % n] / usual.s[k % n];
  Touching at(model, candidates);
  std::vector<std::vector<Spike>> spikes(candidates.size());
  for (int r = 0; r < static_cast<int>(log.runs.size()); ++r) {
    if (!motions[r].ok) continue;
    for (const int k : large_pairs(motions[r], n)) {
      Spike spike = explain(at, candidates, motions[r], usual, log.runs[r], n, k);
      spike.run = r;
      if (spike.contact >= 0) spikes[spike.contact].push_back(spike);
    }
  }
  Proposal out;
  for (std::size_t c = 0; c < candidates.size(); ++c)
    gather(log, noise, candidates[c], std::move(spikes[c]), out);
  put_in_order(out.impacts);
  return out;
}

void propose_again(const Model& model, const MotionNoise& noise, const Log& log, bool first,
                   Proposal& proposal, ThreadPool& pool) {
  if (proposal.hanging.empty()) return;
  Proposal kept;
  kept.hanging = proposal.hanging;
  for (int c = 0; c < static_cast<int>(proposal.contacts.size()); ++c) {
    if (!proposal.contacts[c].point.rods.empty()) continue;
    for (Impact impact : proposal.impacts)
      if (impact.contact == c) {
        impact.contact = static_cast<int>(kept.contacts.size());
        kept.impacts.push_back(impact);
      }
    kept.contacts.push_back(proposal.contacts[c]);
  }
  put_in_order(kept.impacts);
  const std::size_t others = kept.contacts.size();
  add_proposal(propose_by_spikes(model, noise, log, proposal.hanging, pool), kept);
  if (first || kept.contacts.size() > others) proposal = std::move(kept);
}

}  // namespace mechfit
