#include "mechfit/fit/contact/contact_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mechfit/base/constants.h"
#include "mechfit/fit/candidates.h"
#include "mechfit/fit/contact/contact_reach.h"
#include "mechfit/fit/contact/locate_impacts.h"
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
struct Deal {
  std::vector<int> train, held_out;
};
Deal dealt(int count) {
  Deal out;
  for (int r = 0; r < count; ++r)
    (r % 4 == 3 || (count < 4 && r == count - 1 && count > 1) ? out.held_out : out.train)
        .push_back(r);
  return out;
}

// Whether impacts of points on rods have been looked for by a model's errors.
enum class Spikes { unknown, again, known };

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

namespace {

// One round: a model between the supposed impacts, and the contacts from both sides of each.
// Without a value: why there are none.
std::optional<Round> look(const Log& observed, const FitOptions& quick, const Deal& deal,
                          Spikes spikes, Proposal& proposal, std::string& why, ThreadPool& pool) {
  const auto part = [&](const std::vector<int>& runs) {
    return cut_log(runs_of(observed, runs), of_runs(proposal.impacts, runs)).log;
  };
  std::optional<Log> others;
  if (!deal.held_out.empty()) others = part(deal.held_out);
  FitResult fitted = fit(part(deal.train), others, quick, pool);
  if (fitted.noise.s.empty()) {
    why = "no contacts: between the impacts that were looked at no model was found";
    return std::nullopt;
  }
  if (spikes != Spikes::known)
    propose_again(fitted.model, fitted.noise, observed, spikes == Spikes::unknown, proposal, pool);
  if (proposal.contacts.empty()) {
    why = "no contacts: what a model does not explain does not gather at one place";
    return std::nullopt;
  }
  const MotionSteps steps = steps_of_motions(fitted);
  drop_needless(fitted.model, fitted.noise, observed, cut_log(observed, proposal.impacts), steps,
                price_of(observed).jump, proposal.impacts, pool);
  CutLog cut = cut_log(observed, proposal.impacts);
  cut.log = on_steps(cut.log, steps);
  ContactEstimate estimate =
      estimate_contacts(fitted.model, fitted.noise, observed, proposal.contacts, proposal.impacts,
                        cut, pool, fitted.covariance);
  for (std::size_t c = 0; c < proposal.contacts.size(); ++c)
    if (estimate.used[c] >= kFewestImpacts) proposal.contacts[c] = estimate.contacts[c];
  return Round{std::move(fitted), std::move(estimate)};
}

// Contacts that enough impacts explain, and their impacts.
ContactFindings explained(const Proposal& proposal, const ContactEstimate& estimate,
                          const Channels& channels) {
  ContactFindings out;
  std::vector<int> number(proposal.contacts.size(), -1);
  for (std::size_t c = 0; c < proposal.contacts.size(); ++c) {
    if (estimate.used[c] < kFewestImpacts) continue;
    number[c] = static_cast<int>(out.contacts.size());
    out.contacts.push_back(proposal.contacts[c]);
    out.note +=
        (out.note.empty() ? "" : "; ") + in_words(proposal.contacts[c], channels, estimate.used[c]);
  }
  for (const Impact& impact : proposal.impacts)
    if (number[impact.contact] >= 0) {
      out.impacts.push_back(impact);
      out.impacts.back().contact = number[impact.contact];
    }
  if (out.contacts.empty())
    out.note = "no contacts: the motions on both sides of supposed impacts do not meet";
  return out;
}

// The contacts, if runs held out become more likely by them; else none.
ContactFindings judged(const Log& observed, const FitOptions& quick, const Deal& deal,
                       const FitResult& between, ContactFindings found, ThreadPool& pool) {
  const std::vector<int>& judges = deal.held_out.empty() ? deal.train : deal.held_out;
  const Log seen = runs_of(observed, deal.train), others = runs_of(observed, judges);
  const FitResult whole =
      fit(seen, deal.held_out.empty() ? std::nullopt : std::optional<Log>(others), quick, pool);
  const double gain = contact_gain(between, of_runs(found.impacts, judges), whole, others, pool);
  if (gain > kLeastGain) {
    found.note += fmt::format("; held-out log-likelihood gains {:.3g}", gain);
    return found;
  }
  ContactFindings none;
  none.note = fmt::format("no contacts: {} would change the held-out log-likelihood by {:.3g}",
                          found.note, gain);
  return none;
}

}  // namespace

ContactFindings find_contacts(const Log& observed, const FitOptions& options, ThreadPool& pool) {
  const FitOptions quick = quick_options(options);
  Proposal proposal = propose(observed, quick, options.contacts, pool);
  ContactFindings none;
  if (proposal.contacts.empty()) {
    none.note = "no contacts: nowhere do jumps of velocity gather at one end of a motion";
    return none;
  }
  join_near(proposal.impacts);
  const Deal deal = dealt(static_cast<int>(observed.runs.size()));
  std::optional<Round> last;
  for (int round = 0; round < kRounds; ++round) {
    const Spikes spikes = round == 0             ? Spikes::unknown
                          : round < kSpikeRounds ? Spikes::again
                                                 : Spikes::known;
    std::optional<Round> now = look(observed, quick, deal, spikes, proposal, none.note, pool);
    if (!now) return none;
    last = std::move(now);
    if (round + 1 == kRounds) break;
    const FitResult& fitted = last->fitted;
    const bool as_cut = within_cuts(observed, proposal.impacts, last->estimate);
    const std::size_t before = proposal.impacts.size();
    proposal.impacts = locate_impacts(fitted.model, fitted.noise, observed, proposal.contacts,
                                      std::move(proposal.impacts), pool, steps_of_motions(fitted));
    leave_out_rest(observed, fitted.noise, proposal.contacts, proposal.impacts);
    if (round > 0 && as_cut && proposal.impacts.size() == before) break;
  }
  ContactFindings out = explained(proposal, last->estimate, observed.channels);
  if (out.contacts.empty() || options.contacts != ContactOption::automatic) return out;
  return judged(observed, quick, deal, last->fitted, std::move(out), pool);
}

}  // namespace mechfit
