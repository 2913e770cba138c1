#pragma once

#include <string>
#include <vector>

#include "mechfit/integrate/simulate.h"

namespace mechfit {

// The systems with their joints, inputs and constants.
void print_systems();
void print_systems_json();

// What was simulated; files: observations, truth, midpoints, "" where not written.
void print_simulation(const AnalyticSystem& system, const SimulateOptions& options,
                      const std::vector<std::string>& files, const Simulation& result);
void print_simulation_json(const AnalyticSystem& system, const SimulateOptions& options,
                           const std::vector<std::string>& files, const Simulation& result);

}  // namespace mechfit
