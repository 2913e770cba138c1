#pragma once

#include <vector>

#include "mechfit/base/random.h"
#include "mechfit/fit/history.h"
#include "mechfit/fit/smoothed/adam.h"

namespace mechfit {

// All that a training on smoothed data needs to go on as if it had never stopped.
struct TrainState {
  int epoch = 0;
  std::vector<double> theta, best;
  Adam adam;
  Random::State random{};
  double alpha = 0.0, mu = 0.0;  // of the barrier
  FitHistory history;
};

}  // namespace mechfit
