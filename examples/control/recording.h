#pragma once

#include <vector>

#include "examples/control/machine.h"
#include "mechfit/log/log.h"

namespace control {

// How a machine is recorded before there is a model: runs that begin at rest at random places,
// sines on the inputs.
struct Recording {
  int runs;
  double seconds, h;          // of each run, between samples
  std::vector<double> start;  // runs begin within +- this [n]
  std::vector<double> sines;  // amplitudes [m]
  double fastest;             // of the sines [Hz]
  double spring = 0;          // the first input also pulls joint 0 back, per its encoder's reading
  double limit;               // of every input
};

mechfit::Log record(const Recording& recording, const mechfit::Channels& channels, Machine& machine,
                    std::uint64_t seed);

}  // namespace control
