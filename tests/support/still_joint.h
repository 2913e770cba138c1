#pragma once

#include <numbers>
#include <vector>

#include "mechfit/integrate/simulate.h"
#include "mechfit/mechanics/families/analytic/analytic.h"

namespace mechfit::testing {

// Six runs of a double pendulum of point masses with a long light second arm. The third run starts
// in the fast mode, in which the second arm (its angle is absolute) hardly moves.
inline Log still_joint_log(int steps, double noise, std::uint64_t seed,
                           Integrator integrator = Integrator::variational) {
  AnalyticSystem system = make_system("double-pendulum-points");
  system.set_constant("l1", 0.4);
  system.set_constant("l2", 1.2);
  system.set_constant("m2", 0.2);
  const Model model(system);
  ThreadPool pool(1);
  SimulateOptions options;
  options.runs = 5;
  options.steps = steps;
  options.integrator = integrator;
  options.substeps = integrator == Integrator::variational ? 1 : 10;
  options.noise = {noise, noise};
  options.seed = seed;
  const double right = std::numbers::pi / 2;
  options.q0 = {{-right, right}, {-right, right}};
  options.v0 = {{0, 0}, {0, 0}};
  Log log = simulate(model, system_channels(system), options, pool).observed;
  options.runs = 1;
  options.seed = seed + 1;
  options.q0 = {{0.3, 0.3}, {-0.1, -0.1}};
  Trajectory still = simulate(model, system_channels(system), options, pool).observed.runs[0];
  still.name = "still";
  log.runs.insert(log.runs.begin() + 2, std::move(still));
  return log;
}

}  // namespace mechfit::testing
