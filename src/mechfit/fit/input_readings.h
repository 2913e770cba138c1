#pragma once

#include <span>

#include "mechfit/fit/fit_data.h"

namespace mechfit {

// An input that is held and a linear one that acts half a sample later have the same means over the
// samples' steps,
//
//   held, tau:              (1 - tau) u_k + tau u_{k-1}        tau [samples], from 0 to 1
//   linear, tau + 1/2:      the same, and (tau - tau^2) / 8 (u_{k+1} - 2 u_k + u_{k-1}) at most
//
// so a motion that is estimated on these steps cannot tell one from the other. Within a step they
// differ: the held one jumps, the other one is part of a smooth signal. `compare_readings` looks at
// both on finer steps, with cubics instead of lines, for at a few samples a period lines miss more
// of the signal than the readings differ; and it weighs in that computers often act a whole number
// of samples late: half of all delays are taken to.
struct Readings {
  double linear_share;  // probability that the linear reading is the true one
  double held_delay,
      linear_delay;  // on the finer steps, where a jump within a sample's step has its place
};

// Either reading has the delay that is most likely on the samples' steps and its standard error.
Readings compare_readings(const JointResult& fitted, const FitData& data,
                          std::span<const int> fixed, double longest, const InputTiming& held,
                          const InputTiming& linear, ThreadPool& pool);

}  // namespace mechfit
