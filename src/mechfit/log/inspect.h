#pragma once

#include <string>
#include <vector>

#include "mechfit/log/log.h"
#include "mechfit/log/warning.h"

namespace mechfit {

struct StepSummary {
  double median = 0.0, shortest = 0.0, longest = 0.0;  // s
};

struct RunSummary {
  std::string name;
  int samples = 0;
  double start = 0.0, duration = 0.0;  // s
  StepSummary step;
};

struct JointSummary {
  double lowest = 0.0, highest = 0.0;
  double largest_move = 0.0;  // between two samples
  double noise = 0.0;         // estimated standard deviation
  double resolution = 0.0;    // step of a digital sensor, 0 when the values are not on a grid
  double frequency = 0.0;     // Hz, where the motion has most power; 0 when it does not move
};

struct InputSummary {
  double lowest = 0.0, highest = 0.0;
};

struct Inspection {
  std::vector<RunSummary> runs;
  std::vector<JointSummary> joints;  // [n]
  std::vector<InputSummary> inputs;  // [m]
  int samples = 0;
  double duration = 0.0;          // of all runs, s
  StepSummary step;               // of all runs
  std::vector<Warning> warnings;  // in the order of harm
};

// What a log holds. Samples that no motion explains are not looked for: see cleaning.h.
Inspection inspect_log(const Log& log);

// What would spoil a fit of the log that was summarised.
std::vector<Warning> find_warnings(const Log& log, const Inspection& inspection);

// Standard deviation of a joint about the mean of each run.
double spread_of(const Log& log, int joint);

// Moves of a joint from sample to sample, over all runs.
std::vector<double> moves_of(const Log& log, int joint);

// Standard deviation of white noise on a smooth motion. The divided differences of order p over
// p + 1 samples, scaled to unit gain for white noise,
//   r_k = sum_i c_i q_{k+i} / |c|,   c_i = prod_{j != i} 1 / (t_i - t_j),
// see less of the motion the higher p is; the least of several orders is taken.
double estimate_noise(const Log& log, int joint);

// Where the averaged periodogram of a joint is largest, between one period per run and the Nyquist
// frequency [Hz]; straight lines are removed first.
double dominant_frequency(const Log& log, int joint);

}  // namespace mechfit
