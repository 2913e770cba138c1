#include "mechfit/fit/contact/contact_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mechfit/base/constants.h"
#include "mechfit/fit/contact/part_motion.h"
#include "mechfit/fit/contact/propose.h"
#include "mechfit/mechanics/families/families.h"
#include "mechfit/mechanics/families/trig/trig.h"

namespace mechfit {
namespace {

constexpr int kRounds = 3;
// Errors of the equation of so many deviations, towards the contact's inside, are impacts.
constexpr double kSpike = 6;
// Deviations of an impact's time that keep a sample away from it.
constexpr double kSafe = 2.5;
// Impacts that a contact must rest on.
constexpr int kFewestImpacts = 3;
// By how much held-out runs must become more likely: ten times what a richer family has to gain on
// one part (gain.h), since the samples that are left out are chosen.
constexpr double kLeastGain = 100;

double side_of(const Contact& contact) {
  return contact.shape == ContactShape::upper_stop ? 1 : -1;
}

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

// Nodes of the parts' motions near a contact where the equation's error is one of an impact.
void add_missed(const std::vector<PartMotion>& motions, const MotionNoise& noise, const Log& log,
                const Contacts& contacts, const CutLog& cut, std::vector<Impact>& impacts) {
  const std::size_t n = log.n();
  for (std::size_t p = 0; p < motions.size(); ++p) {
    const PartMotion& motion = motions[p];
    const auto& [r, begin, end] = cut.parts[p];
    if (!motion.ok) continue;
    for (int t = 1; t + 1 < end - begin; ++t)
      for (std::size_t c = 0; c < contacts.size(); ++c) {
        const std::size_t j = contacts[c].joint;
        const double error = side_of(contacts[c]) * motion.error[(t - 1) * n + j];
        const double h = log.runs[r].t[begin + t + 1] - log.runs[r].t[begin + t];
        const double reach = 2 * std::fabs(motion.v[t * n + j]) * h + 2 * noise.sigma[j];
        const double gap = contacts[c].gap(std::span(motion.q).subspan(t * n, n));
        if (error > kSpike && gap < reach)
          impacts.push_back(
              {r, static_cast<int>(c), begin + t - 1, begin + t + 1, log.runs[r].t[begin + t]});
      }
  }
}

struct Round {
  FitResult fitted;
  ContactEstimate estimate;
};

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

double in_range(const Log& log, int joint) {
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

std::string in_words(const Contact& contact, const std::string& unit, int used) {
  return fmt::format("{} at {:.4g} +- {:.2g}{}, restitution {:.3g} +- {:.2g} ({} impacts)",
                     contact.name, contact.position, contact.position_error,
                     unit.empty() ? "" : " " + unit, contact.restitution, contact.restitution_error,
                     used);
}

}  // namespace

std::vector<Impact> locate_impacts(const Model& model, const MotionNoise& noise, const Log& log,
                                   const Contacts& contacts, std::vector<Impact> impacts,
                                   ThreadPool& pool) {
  CutLog cut = cut_log(log, impacts);
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
    set_samples(run, kSafe * estimate.time_sd[i], impacts[i]);
  }
  join_near(impacts);
  cut = cut_log(log, impacts);
  const std::vector<PartMotion> motions = part_motions(model, noise, cut.log, pool);
  add_missed(motions, noise, log, contacts, cut, impacts);
  join_near(impacts);
  return impacts;
}

double contact_gain(const FitResult& between, const std::vector<Impact>& impacts,
                    const FitResult& whole, const Log& log, ThreadPool& pool) {
  const int n = log.n();
  const CutLog cut = cut_log(log, impacts);
  const double half = 0.5 * std::log(2 * std::numbers::pi);
  double gain = 0;
  int kept = 0;
  for (const PartMotion& part : part_motions(between.model, between.noise, cut.log, pool)) {
    if (!part.ok) return -kInfinity;
    gain += part.log_likelihood;
  }
  for (const auto& part : cut.parts) kept += part.end - part.begin;
  for (const PartMotion& run : part_motions(whole.model, whole.noise, log, pool)) {
    if (!run.ok) return kInfinity;
    gain -= run.log_likelihood;
  }
  const int jumps = static_cast<int>(cut.parts.size()) - static_cast<int>(log.runs.size());
  const double step = log.runs[0].t[1] - log.runs[0].t[0];
  for (int j = 0; j < n; ++j) {
    const double jump = 2 * std::max(between.knowledge.velocity[j], 1e-12) / step;
    gain -= 2 * jumps * (std::log(jump) + half);
    gain -= (log.samples() - kept) * (std::log(in_range(log, j)) + half);
  }
  return gain;
}

ContactFindings find_contacts(const Log& observed, const FitOptions& options, ThreadPool& pool) {
  Proposal proposal = propose_stops(observed, pool);
  ContactFindings out;
  if (proposal.contacts.empty()) {
    out.note = "no contacts: nowhere do jumps of velocity gather at one end of a joint";
    return out;
  }
  const FitOptions quick = quick_options(options);
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
    const CutLog cut = cut_log(observed, proposal.impacts);
    ContactEstimate estimate = estimate_contacts(fitted.model, fitted.noise, observed,
                                                 proposal.contacts, proposal.impacts, cut, pool);
    for (std::size_t c = 0; c < proposal.contacts.size(); ++c)
      if (estimate.used[c] >= kFewestImpacts) proposal.contacts[c] = estimate.contacts[c];
    last.emplace(Round{std::move(fitted), std::move(estimate)});
    if (round + 1 < kRounds)
      proposal.impacts = locate_impacts(last->fitted.model, last->fitted.noise, observed,
                                        proposal.contacts, std::move(proposal.impacts), pool);
  }
  // Contacts that too few impacts explain are none.
  std::vector<int> number(proposal.contacts.size(), -1);
  for (std::size_t c = 0; c < proposal.contacts.size(); ++c) {
    if (last->estimate.used[c] < kFewestImpacts) continue;
    number[c] = static_cast<int>(out.contacts.size());
    out.contacts.push_back(proposal.contacts[c]);
    out.note += (out.note.empty() ? "" : "; ") +
                in_words(proposal.contacts[c], observed.channels.units[proposal.contacts[c].joint],
                         last->estimate.used[c]);
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
