#include "mechfit/fit/contact/contact_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mechfit/base/constants.h"
#include "mechfit/fit/candidates.h"
#include "mechfit/fit/contact/contact_reach.h"
#include "mechfit/fit/contact/needless.h"
#include "mechfit/fit/contact/part_motion.h"
#include "mechfit/fit/contact/propose_planes.h"
#include "mechfit/fit/contact/rest.h"
#include "mechfit/fit/contact/spikes.h"
#include "mechfit/fit/contact/stays.h"
#include "mechfit/log/split.h"
#include "mechfit/log/steps.h"
#include "mechfit/mechanics/families/families.h"
#include "mechfit/mechanics/families/trig/trig.h"

namespace mechfit {
namespace {

// At most; most logs settle after three.
constexpr int kRounds = 6;
// Of these, the first ones that look for impacts of points on rods anew.
constexpr int kSpikeRounds = 2;
// A part is looked at for an impact that was missed where its motion comes as near to a contact as
// this share of the joint's range; in that many nodes around, not so near to the end of a part that
// an impact made. By how much its halves must be more likely.
constexpr double kReach = 0.05, kLeastSplitGain = 10;
constexpr int kAround = 2, kNearEnd = 4;
// Samples between which the usual speed is taken.
constexpr int kSpeedSteps = 10;
// Deviations of an impact's time that keep a sample away from it.
constexpr double kSafe = 2.5;
// Impacts that a contact must rest on: of one alone e and psi cannot be wrong.
constexpr int kFewestImpacts = 2;
// By how much held-out runs must become more likely: what a richer family has to gain (gain.h).
constexpr double kLeastGain = 30;
// What one run can say for or against contacts: an impact that was missed in a precise log makes
// its part impossible, and must not outweigh all the others.
constexpr double kMostOfOne = 100;

// What to fit while the contacts are looked for: one family with few parameters, quickly.
FitOptions quick_options(const FitOptions& options) {
  FitOptions quick = options;
  quick.quick = true;
  quick.contacts = ContactOption::none;
  quick.ensemble = 1;
  quick.keep_all = true;
  if (options.family == "auto" || find_family(options.family).kind == ParameterKind::weights)
    quick.family = Trig::kFamily;
  return quick;
}

// Joins impacts that are closer than a part can be short.
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

// Samples next to a time, `away` from it.
void set_samples(const Trajectory& run, double away, Impact& impact) {
  const auto first = std::lower_bound(run.t.begin(), run.t.end(), impact.time + away);
  const auto last = std::lower_bound(run.t.begin(), run.t.end(), impact.time - away);
  impact.after = std::clamp(static_cast<int>(first - run.t.begin()), 1, run.size() - 1);
  impact.before = std::clamp(static_cast<int>(last - run.t.begin()) - 1, 0, impact.after - 1);
}

// What a jump costs, and a sample that is on neither side, per joint (contact_gain).
struct Price {
  double jump = 0, sample = 0;
};
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

struct Round {
  FitResult fitted;
  ContactEstimate estimate;
};

// Whether the impacts that the model explains are where they were looked for.
bool within_cuts(const Log& log, const std::vector<Impact>& impacts,
                 const ContactEstimate& estimate) {
  for (std::size_t i = 0; i < impacts.size(); ++i) {
    const auto& t = log.runs[impacts[i].run].t;
    if (estimate.fits[i] &&
        !(t[impacts[i].before] <= estimate.times[i] && estimate.times[i] <= t[impacts[i].after]))
      return false;
  }
  return true;
}

// The impacts of some runs of a log, numbered anew.
std::vector<Impact> of_runs(const std::vector<Impact>& impacts, const std::vector<int>& runs) {
  std::vector<Impact> out;
  for (std::size_t k = 0; k < runs.size(); ++k)
    for (Impact impact : impacts)
      if (impact.run == runs[k]) {
        impact.run = static_cast<int>(k);
        out.push_back(impact);
      }
  return out;
}

Log runs_of(const Log& log, const std::vector<int>& runs) {
  Log out;
  out.channels = log.channels;
  for (const int r : runs) out.runs.push_back(log.runs[r]);
  return out;
}

// Every fourth run is held out; of a single run nothing but its parts can be.
void deal(int count, std::vector<int>& train, std::vector<int>& held_out) {
  for (int r = 0; r < count; ++r)
    (r % 4 == 3 || (count < 4 && r == count - 1 && count > 1) ? held_out : train).push_back(r);
}

// What may be contacts, by the log alone.
Proposal propose(const Log& log, const FitOptions& options, ContactOption contacts,
                 ThreadPool& pool) {
  if (contacts == ContactOption::stops) return propose_stops(log, pool);
  std::vector<PlanarPoint> known;
  if (const Family& family = find_family(options.family); family.points) {
    const FitData data = prepare_fit(log, std::nullopt, options, {}, pool);
    known = family.points(candidates(data, options)[0].start.model);
  }
  const std::vector<PlanarPoint> points = moving_points(known, log.channels);
  if (contacts == ContactOption::automatic) return propose_both(log, points, pool);
  if (points.empty())
    throw InputError(
        "option 'contacts' floor: no point is known of this machine; a system that moves in a "
        "plane (option 'family') or two joints that slide have one");
  return propose_planes(log, points, pool);
}

}  // namespace

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

MotionSteps steps_of_motions(const FitResult& fitted) {
  const double grid = fitted.knowledge.grid;
  return {median_step(grid > 0 ? fitted.train : fitted.train_motion), grid};
}

double contact_gain(const FitResult& between, const std::vector<Impact>& impacts,
                    const FitResult& whole, const Log& log, ThreadPool& pool) {
  const CutLog cut = cut_log(log, impacts);
  const Price price = price_of(log);
  std::vector<double> gains;
  for (const PartMotion& run : part_motions(whole.model, whole.noise, log, pool))
    gains.push_back(run.ok ? -run.log_likelihood : kInfinity);
  for (std::size_t r = 0; r < gains.size(); ++r)
    gains[r] += price.jump - log.runs[r].size() * price.sample;
  const std::vector<PartMotion> motions = part_motions(between.model, between.noise, cut.log, pool);
  for (std::size_t p = 0; p < motions.size(); ++p) {
    const auto& [r, begin, end] = cut.parts[p];
    gains[r] += (motions[p].ok ? motions[p].log_likelihood : -kInfinity) - price.jump +
                (end - begin) * price.sample;
  }
  double sum = 0;
  for (const double gain : gains)
    if (!std::isnan(gain)) sum += std::clamp(gain, -kMostOfOne, kMostOfOne);
  return sum;
}

ContactFindings find_contacts(const Log& observed, const FitOptions& options, ThreadPool& pool) {
  const FitOptions quick = quick_options(options);
  Proposal proposal = propose(observed, quick, options.contacts, pool);
  ContactFindings out;
  if (proposal.contacts.empty()) {
    out.note = "no contacts: nowhere do jumps of velocity gather at one end of a motion";
    return out;
  }
  join_near(proposal.impacts);
  std::vector<int> train, held_out;
  deal(static_cast<int>(observed.runs.size()), train, held_out);
  std::optional<Round> last;
  for (int round = 0; round < kRounds; ++round) {
    const auto part = [&](const std::vector<int>& runs) {
      return cut_log(runs_of(observed, runs), of_runs(proposal.impacts, runs)).log;
    };
    const Log all = part(train), others = held_out.empty() ? Log() : part(held_out);
    FitResult fitted =
        fit(all, held_out.empty() ? std::nullopt : std::optional<Log>(others), quick, pool);
    if (fitted.noise.s.empty()) {
      out.note = "no contacts: between the impacts that were looked at no model was found";
      return out;
    }
    if (round < kSpikeRounds)
      propose_again(fitted.model, fitted.noise, observed, round == 0, proposal, pool);
    if (proposal.contacts.empty()) {
      out.note = "no contacts: what a model does not explain does not gather at one place";
      return out;
    }
    CutLog cut = cut_log(observed, proposal.impacts);
    const MotionSteps steps = steps_of_motions(fitted);
    drop_needless(fitted.model, fitted.noise, observed, cut, steps, price_of(observed).jump,
                  proposal.impacts, pool);
    cut = cut_log(observed, proposal.impacts);
    cut.log = on_steps(cut.log, steps);
    ContactEstimate estimate =
        estimate_contacts(fitted.model, fitted.noise, observed, proposal.contacts, proposal.impacts,
                          cut, pool, fitted.covariance);
    for (std::size_t c = 0; c < proposal.contacts.size(); ++c)
      if (estimate.used[c] >= kFewestImpacts) proposal.contacts[c] = estimate.contacts[c];
    last.emplace(Round{std::move(fitted), std::move(estimate)});
    if (round + 1 == kRounds) break;
    const bool as_cut = within_cuts(observed, proposal.impacts, last->estimate);
    const std::size_t before = proposal.impacts.size();
    proposal.impacts = locate_impacts(last->fitted.model, last->fitted.noise, observed,
                                      proposal.contacts, std::move(proposal.impacts), pool, steps);
    leave_out_rest(observed, last->fitted.noise, proposal.contacts, proposal.impacts);
    if (round > 0 && as_cut && proposal.impacts.size() == before) break;
  }
  // Contacts that too few impacts explain are none.
  std::vector<int> number(proposal.contacts.size(), -1);
  for (std::size_t c = 0; c < proposal.contacts.size(); ++c) {
    if (last->estimate.used[c] < kFewestImpacts) continue;
    number[c] = static_cast<int>(out.contacts.size());
    out.contacts.push_back(proposal.contacts[c]);
    out.note += (out.note.empty() ? "" : "; ") +
                in_words(proposal.contacts[c], observed.channels, last->estimate.used[c]);
  }
  for (const Impact& impact : proposal.impacts)
    if (number[impact.contact] >= 0) {
      out.impacts.push_back(impact);
      out.impacts.back().contact = number[impact.contact];
    }
  if (out.contacts.empty()) {
    out.note = "no contacts: the motions on both sides of supposed impacts do not meet";
    return out;
  }
  if (options.contacts != ContactOption::automatic) return out;
  const std::vector<int>& judges = held_out.empty() ? train : held_out;
  const Log seen = runs_of(observed, train), judged = runs_of(observed, judges);
  const FitResult whole =
      fit(seen, held_out.empty() ? std::nullopt : std::optional<Log>(judged), quick, pool);
  const double gain = contact_gain(last->fitted, of_runs(out.impacts, judges), whole, judged, pool);
  if (gain > kLeastGain) {
    out.note += fmt::format("; held-out log-likelihood gains {:.3g}", gain);
    return out;
  }
  ContactFindings none;
  none.note = fmt::format("no contacts: {} would change the held-out log-likelihood by {:.3g}",
                          out.note, gain);
  return none;
}

}  // namespace mechfit
