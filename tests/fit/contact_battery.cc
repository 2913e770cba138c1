// Machines with stops, fitted from positions alone: where the stops are, how they bounce, how good
// the model is off contact and across impacts. One line a case, then a table; fails where that is
// less than docs/contact.md promises:
//   contact_battery [--family F] [--seeds N] [--first SEED] [--noise X] [--restitution E]
//     [--notes] [SYSTEM]

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <string>
#include <vector>

#include "mechfit/base/constants.h"
#include "mechfit/base/median.h"
#include "mechfit/fit/contact/contact_fit.h"
#include "mechfit/integrate/simulate.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "mechfit/mechanics/point.h"

namespace mechfit {
namespace {

constexpr double kStep = 0.01;  // [s]
constexpr int kFine = 10;       // inner steps of the truth
constexpr int kRuns = 16, kSteps = 300, kFresh = 40;

struct Machine {
  AnalyticSystem system;
  Contacts contacts;
  std::vector<Interval> q0, v0;
};

Machine machine(const std::string& name, double e) {
  Machine out{make_system(name), {}, {}, {}};
  const Channels channels = system_channels(out.system);
  if (name == "pendulum") {
    out.system.set_constant("eta", 0.05);
    out.contacts = {joint_stop(channels, 0, true, 0.4, e), joint_stop(channels, 0, false, -0.6, e)};
    out.q0 = {{-0.5, 0.3}};
    out.v0 = {{-4, 4}};
  } else {
    out.system.set_constant("eta1", 0.05);
    out.system.set_constant("eta2", 0.05);
    out.contacts = {joint_stop(channels, 1, true, 0.5, e), joint_stop(channels, 1, false, -0.7, e)};
    out.q0 = {{-1.5, 1.5}, {-0.6, 0.4}};
    out.v0 = {{-2, 2}, {-3, 3}};
  }
  return out;
}

Simulation make_log(const Machine& machine, double noise, std::uint64_t seed, int runs,
                    ThreadPool& pool) {
  SimulateOptions options;
  options.runs = runs;
  options.steps = kSteps;
  options.h = kStep;
  options.substeps = kFine;
  options.integrator = Integrator::rk4;
  options.q0 = machine.q0;
  options.v0 = machine.v0;
  options.contacts = machine.contacts;
  options.noise.assign(machine.system.joints(), noise);
  options.seed = seed;
  return simulate(Model(machine.system), system_channels(machine.system), options, pool);
}

// The events of a simulation as a fit would know them.
std::vector<Impact> known_impacts(const Simulation& simulation) {
  std::vector<Impact> out;
  for (std::size_t r = 0; r < simulation.events.size(); ++r)
    for (const ContactEvent& event : simulation.events[r]) {
      const int before = static_cast<int>(event.time / kStep);
      if (before + 1 <= kSteps)
        out.push_back({static_cast<int>(r), event.contact, before, before + 1, event.time});
    }
  put_in_order(out);
  return out;
}

// Root mean square error of accelerations on the true states, relative to theirs. What lies on a
// stop is left out: there contact forces act.
double acceleration_error(const Model& model, const Machine& machine, const Simulation& fresh) {
  PointDynamics dynamics(model);
  const std::size_t n = model.joints();
  std::vector<double> a(n);
  double error = 0, size = 0;
  for (const Trajectory& run : fresh.truth.runs)
    for (int k = 0; k < run.size(); ++k) {
      const auto row = [&](const std::vector<double>& x) { return std::span(x).subspan(k * n, n); };
      bool touches = false;
      for (const Contact& contact : machine.contacts)
        touches = touches || contact.gap(row(run.q)) < 1e-6;
      if (touches || !dynamics.acceleration(row(run.q), row(run.qd), {}, a)) continue;
      for (std::size_t i = 0; i < n; ++i) {
        error += std::pow(a[i] - run.qdd[k * n + i], 2);
        size += std::pow(run.qdd[k * n + i], 2);
      }
    }
  return std::sqrt(error / size);
}

// Root mean square of rollouts' positions from true starts until shortly behind the third impact.
double rollout_error(const Model& model, const Contacts& contacts, const Simulation& fresh,
                     ThreadPool& pool) {
  const int n = model.joints();
  double sum = 0;
  int count = 0;
  for (std::size_t r = 0; r < fresh.truth.runs.size(); ++r) {
    if (fresh.events[r].size() < 3) continue;
    const Trajectory& run = fresh.truth.runs[r];
    const int steps = std::min(kSteps, static_cast<int>(fresh.events[r][2].time / kStep) + 5);
    RolloutRequest request;
    request.trajectories = 1;
    request.steps = steps;
    request.q0 = std::span(run.q).first(n);
    request.v0 = std::span(run.qd).first(n);
    request.h = std::span(&kStep, 1);
    request.substeps = 2;
    request.contacts = contacts;
    const Rollout out = roll_out(model, request, Integrator::rk4, pool);
    for (int k = 0; k < (steps + 1) * n; ++k, ++count) {
      const double d = std::isfinite(out.q[k]) ? out.q[k] - run.q[k] : 10;
      sum += d * d;
    }
  }
  return count > 0 ? std::sqrt(sum / count) : 0;
}

struct Options {
  std::string family = "trig";
  int seeds = 1, first = 0;
  bool notes = false;
  std::vector<double> noises{0.001, 0.01, 0.05}, restitutions{0, 0.5, 1};
  std::vector<std::string> systems{"pendulum", "double-pendulum"};
};

// What is asked of every stop and of every case.
constexpr double kMostPlace = 0.5 * std::numbers::pi / 180;  // at noise 0.01 and below
constexpr double kMostRestitution = 0.05, kMostErrors = 3;
constexpr double kMostAccelerations = 1.5, kMostRollouts = 1.0 / 3;

// Of all seeds of one machine, noise and restitution.
struct Tally {
  int stops = 0, found = 0, false_ones = 0;
  int place_in_errors = 0, restitution_in_errors = 0, place_near = 0, restitution_near = 0;
  double place2 = 0, restitution2 = 0;  // sums of squares
  std::vector<double> accelerations, rollouts;

  void add(const Contact& own, const Contact& truth) {
    const double place = own.position - truth.position;
    const double restitution = own.restitution - truth.restitution;
    ++found;
    place2 += place * place;
    restitution2 += restitution * restitution;
    place_in_errors += std::fabs(place) <= kMostErrors * own.position_error;
    restitution_in_errors += std::fabs(restitution) <= kMostErrors * own.restitution_error;
    place_near += std::fabs(place) <= kMostPlace;
    restitution_near += std::fabs(restitution) <= kMostRestitution;
  }
};

// A row of the table in docs/contact.md.
void print_row(const std::string& name, double noise, double e, const Tally& tally) {
  const auto below = [](const std::vector<double>& x, double most) {
    return std::count_if(x.begin(), x.end(), [&](double own) { return own <= most; });
  };
  const auto middle = [](const std::vector<double>& x) { return x.empty() ? kNan : median(x); };
  const int found = std::max(1, tally.found);
  fmt::print(
      "| {} | {} | {} | {} of {} | {:.2f} | {} | {} | {:.3f} | {} | {} | {:.2f} | {} of {} | "
      "{:.3f} "
      "| {} of {} |\n",
      name, noise, e, tally.found, tally.stops, 1e3 * std::sqrt(tally.place2 / found),
      tally.place_in_errors, tally.place_near, std::sqrt(tally.restitution2 / found),
      tally.restitution_in_errors, tally.restitution_near, middle(tally.accelerations),
      below(tally.accelerations, kMostAccelerations), tally.accelerations.size(),
      middle(tally.rollouts), below(tally.rollouts, kMostRollouts), tally.rollouts.size());
}

// What docs/contact.md promises of all cases together; says what is missed.
bool keeps_promises(const std::vector<std::pair<double, Tally>>& rows) {
  constexpr double kInErrors = 0.95, kQuiet = 0.01;
  int stops = 0, in_errors = 0, quiet = 0, quiet_good = 0, worse_rollouts = 0;
  for (const auto& [noise, tally] : rows) {
    stops += tally.found;
    in_errors += tally.place_in_errors;
    if (noise <= kQuiet) {
      quiet += 2 * tally.stops;
      quiet_good += tally.place_near + tally.restitution_near;
    }
    worse_rollouts += static_cast<int>(std::count_if(tally.rollouts.begin(), tally.rollouts.end(),
                                                     [](double x) { return x > kMostRollouts; }));
  }
  const bool known = in_errors >= kInErrors * stops, found = quiet_good == quiet;
  fmt::print(
      "\n{} of {} stops within 3 standard errors; at noise up to {} {} of {} places within 0.5 "
      "degrees and restitutions within 0.05; {} rollouts above a third\n",
      in_errors, stops, kQuiet, quiet_good, quiet, worse_rollouts);
  return known && found && worse_rollouts == 0;
}

void run_case(const Options& o, const std::string& name, double noise, double e, int seed,
              ThreadPool& pool, Tally& tally) {
  const Machine truth = machine(name, e);
  const Simulation log = make_log(truth, noise, seed, kRuns, pool);
  const Simulation fresh = make_log(truth, 0, 1000 + seed, kFresh, pool);
  FitOptions options;
  options.family = o.family;
  options.quick = true;
  const CutLog cut = cut_log(log.observed, known_impacts(log));
  const FitResult known = fit(cut.log, std::nullopt, options, pool);
  const FitResult none = fit(log.observed, std::nullopt, options, pool);
  options.contacts = ContactOption::automatic;
  const FitResult found = fit(log.observed, std::nullopt, options, pool);
  std::string line = fmt::format("{} noise {} e {} seed {}:", name, noise, e, seed);
  for (const Contact& contact : truth.contacts) {
    const Contact* own = nullptr;
    for (const Contact& candidate : found.contacts)
      if (candidate.joint == contact.joint && candidate.shape == contact.shape) own = &candidate;
    ++tally.stops;
    if (!own) {
      line += " MISSED";
      continue;
    }
    tally.add(*own, contact);
    const double miss = own->position - contact.position;
    line += fmt::format(" psi {:+.5f} ({:+.1f} se) e {:+.3f} ({:+.1f} se)", miss,
                        miss / own->position_error, own->restitution - e,
                        (own->restitution - e) / std::max(own->restitution_error, 1e-12));
  }
  if (found.contacts.size() > truth.contacts.size()) {
    line += fmt::format(" {} TOO MANY", found.contacts.size() - truth.contacts.size());
    ++tally.false_ones;
  }
  const double ours = acceleration_error(found.model, truth, fresh),
               best = acceleration_error(known.model, truth, fresh),
               worst = acceleration_error(none.model, truth, fresh);
  const double with = rollout_error(found.model, found.contacts, fresh, pool),
               without = rollout_error(none.model, {}, fresh, pool),
               ideal = rollout_error(known.model, truth.contacts, fresh, pool);
  tally.accelerations.push_back(ours / best);
  if (without > 0) tally.rollouts.push_back(with / without);  // else no run has three impacts
  fmt::print(
      "{} | impacts {} of {} | accelerations {:.2e} known {:.2e} none {:.2e} ratio {:.2f} | "
      "rollouts {:.2e} known {:.2e} none {:.2e} ratio {:.3f}\n",
      line, found.impacts.size(), known_impacts(log).size(), ours, best, worst, ours / best, with,
      ideal, without, with / without);
  if (o.notes)
    for (const auto& note : found.notes) fmt::print("  {}\n", note);
  std::fflush(stdout);
}

}  // namespace
}  // namespace mechfit

int main(int argc, char** argv) {
  using namespace mechfit;
  Options o;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    const auto value = [&] { return std::string(k + 1 < argc ? argv[++k] : ""); };
    if (word == "--family")
      o.family = value();
    else if (word == "--seeds")
      o.seeds = std::atoi(value().c_str());
    else if (word == "--first")
      o.first = std::atoi(value().c_str());
    else if (word == "--notes")
      o.notes = true;
    else if (word == "--noise")
      o.noises = {std::atof(value().c_str())};
    else if (word == "--restitution")
      o.restitutions = {std::atof(value().c_str())};
    else
      o.systems = {word};
  }
  ThreadPool pool(1);
  std::vector<std::pair<double, Tally>> rows;
  for (const auto& system : o.systems)
    for (const double noise : o.noises)
      for (const double e : o.restitutions) {
        rows.push_back({noise, {}});
        for (int seed = o.first; seed < o.first + o.seeds; ++seed)
          run_case(o, system, noise, e, seed, pool, rows.back().second);
      }
  std::string rule = "|";
  for (int column = 0; column < 14; ++column) rule += " --- |";
  fmt::print(
      "\n| system | noise | e | stops | psi [0.001] | in 3 se | in 0.5 deg | e | in 3 se | in 0.05 "
      "|"
      " accelerations | up to 1.5 | rollouts | up to 1/3 |\n{}\n",
      rule);
  std::size_t row = 0;
  for (const auto& system : o.systems)
    for (const double noise : o.noises)
      for (const double e : o.restitutions) print_row(system, noise, e, rows[row++].second);
  return keeps_promises(rows) ? 0 : 1;
}
