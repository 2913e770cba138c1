#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mechfit/base/thread_pool.h"
#include "mechfit/integrate/input_signal.h"
#include "mechfit/integrate/rollout.h"
#include "mechfit/log/log.h"
#include "mechfit/mechanics/families/analytic/analytic.h"

// Logs of machines that do not exist: a model, random starts, inputs and noise.
namespace mechfit {

struct Interval {
  double low, high;
};

struct SimulateOptions {
  int runs = 16;
  int steps = 200;   // recorded steps of each run: one sample more
  double h = 0.05;   // [s]
  int substeps = 1;  // inner steps per recorded one
  Integrator integrator = Integrator::variational;
  std::vector<Interval> q0, v0;  // [n] starts, uniform
  // Start at rest as the paper's experiments do: the first two configurations (of the inner steps)
  // are equal. Variational only; v0 is not used.
  bool two_equal = false;
  InputOptions input;
  Contacts contacts;  // what the machine touches; accelerations are those without contact forces
  std::vector<double> noise;  // standard deviation of the observed q [n]; empty is none
  std::uint64_t seed = 0;
};

// Random streams: those of different runs and purposes are independent, so that another noise level
// or more runs leave the motions as they are.
enum class SimulationStream { start, input, noise };
std::uint64_t simulation_stream(int run, SimulationStream purpose);

struct Simulation {
  Log observed;                                   // q with noise, u
  Log truth;                                      // q, qd, qdd, u at the same times
  Log midpoints;                                  // q, qd, qdd, u in the middle of the steps
  std::vector<std::vector<ContactEvent>> events;  // impacts of each run
};

// The same numbers for any number of threads. InputError when a run cannot be integrated, naming
// it.
Simulation simulate(const Model& model, const Channels& channels, const SimulateOptions& options,
                    ThreadPool& pool);

// What a built-in system hits.
struct JointStops {
  std::string joint;
  std::optional<double> low, high;  // in the joint's unit
};
struct ContactSettings {
  std::vector<JointStops> stops;
  std::optional<double> floor;  // height under the moving points of systems that move in a plane
  std::optional<double> restitution;  // 0.5: neither stops a machine nor spares its energy
  std::optional<double> friction;     // Coulomb's, on the floor; 0
};
// InputError where they do not fit the system.
Contacts system_contacts(const AnalyticSystem& system, const ContactSettings& settings);

// What an analytic system says about its columns, and starts that set it swinging.
Channels system_channels(const AnalyticSystem& system);
std::vector<Interval> default_start(const AnalyticSystem& system);

// The paper's protocol: 16 runs at rest from angles in [-pi/2, pi/2), 202 samples 0.05 s apart,
// noise 0.1 rad; friction 0.5 on both joints when damped. The published figures were made with
// point masses; the appendix describes rods, which need 20 inner steps to keep their energy.
struct PaperProtocol {
  AnalyticSystem system;
  SimulateOptions options;
};
PaperProtocol paper_protocol(bool rods, bool damped);

}  // namespace mechfit
