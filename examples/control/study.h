#pragma once

#include <string>
#include <vector>

#include "examples/control/closed_loop.h"
#include "examples/control/learn.h"
#include "examples/control/tracking.h"

namespace control {

// One swing-up of one seed's machine.
struct SwingUp {
  std::string task;
  int seed;
  double noise;  // of the encoders, in the log and in the loop [rad or m]
  Source source;
  Trial trial;  // with its motion for seed 0 only
};

// All models on the machine of a seed, which begins anew for each noise. What is learned is of
// `family` (learn.h).
std::vector<SwingUp> swing_ups(const Task& task, int seed, const std::vector<double>& noises,
                               const std::string& family);

struct TrackingRun {
  int seed;
  double noise;
  Source source;
  Tracking tracking;  // likewise
};

std::vector<TrackingRun> tracking_runs(const TrackingTask& task, int seed,
                                       const std::vector<double>& noises,
                                       const std::string& family);

// Share of the swing-ups that succeed.
struct Success {
  int good = 0, runs = 0;
  double rate() const { return runs > 0 ? static_cast<double>(good) / runs : 0; }
};
Success success_of(const std::vector<SwingUp>& runs, const std::string& task, double noise,
                   Source source);

// Root mean square over seeds of a number of tracking runs.
double tracking_rms(const std::vector<TrackingRun>& runs, double noise, Source source,
                    double Tracking::*number);

}  // namespace control
