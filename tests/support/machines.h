#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "mechfit/fit/fit_options.h"
#include "mechfit/integrate/simulate.h"
#include "mechfit/mechanics/families/analytic/analytic.h"

// Machines whose truth is known, and recordings of them, for the batteries.
namespace mechfit::testing {

using Constants = std::vector<std::pair<std::string, double>>;

struct Machine {
  std::string name;
  int joints = kDefaultJoints;
  Constants constants;
  double input = 0;  // amplitude
};

struct Recording {
  double noise, h, seconds;
  int runs;
};

inline AnalyticSystem system_of(const Machine& machine, const Constants& change = {}) {
  AnalyticSystem system = make_system(machine.name, machine.joints);
  for (const auto& [name, value] : machine.constants) system.set_constant(name, value);
  for (const auto& [name, value] : change) system.set_constant(name, value);
  return system;
}

// By Runge-Kutta's method at fine steps; `start` is where runs may begin.
inline Simulation record(const Machine& machine, const Recording& recording, std::uint64_t seed,
                         ThreadPool& pool, const std::vector<Interval>& start = {}) {
  const AnalyticSystem system = system_of(machine);
  SimulateOptions options;
  options.runs = recording.runs;
  options.h = recording.h;
  options.steps = static_cast<int>(std::lround(recording.seconds / recording.h));
  options.integrator = Integrator::rk4;
  options.substeps = std::max(1, static_cast<int>(std::lround(recording.h / 0.001)));
  options.q0 = start.empty() ? default_start(system) : start;
  options.v0 = start;
  if (start.empty()) options.v0.assign(options.q0.size(), {-0.5, 0.5});
  options.noise.assign(options.q0.size(), recording.noise);
  options.seed = seed;
  if (machine.input > 0) {
    options.input.signal = InputSignal::sines;
    options.input.amplitude = machine.input;
  }
  return simulate(Model(system), system_channels(system), options, pool);
}

inline const Machine kDouble{"double-pendulum", kDefaultJoints, {}, 0};
inline const Machine kDamped{"double-pendulum", kDefaultJoints, {{"eta1", 0.3}, {"eta2", 0.2}}, 0};
inline const Machine kPoints{"double-pendulum-points", kDefaultJoints, {}, 0};
inline const Machine kCart{"cart-pole", kDefaultJoints, {{"eta_cart", 0.2}}, 3};
inline const Machine kFuruta{
    "furuta", kDefaultJoints, {{"eta_arm", 1e-4}, {"eta_pendulum", 1e-5}}, 0.01};
inline const Machine kSpring{"spring-pendulum", kDefaultJoints, {}, 0};
inline const Machine kPendulum{"pendulum", kDefaultJoints, {{"eta", 0.1}}, 0};
inline const Machine kChain{"chain", 3, {}, 0};
inline const Machine kDry{"double-pendulum-links", kDefaultJoints, {{"eta_dry1", 0.3}}, 0};

inline FitOptions options_of(const std::string& family, FitMethod method = FitMethod::joint,
                             int epochs = 0) {
  FitOptions options;
  options.family = family;
  options.method = method;
  options.epochs = epochs;
  return options;
}

}  // namespace mechfit::testing
