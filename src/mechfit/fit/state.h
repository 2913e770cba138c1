#pragma once

#include <string>
#include <variant>
#include <vector>

#include "mechfit/fit/joint/joint_state.h"
#include "mechfit/fit/smoothed/train_state.h"

namespace mechfit {

// How far one candidate of a joint fit has come.
struct CandidateState {
  std::string name;
  JointState joint;
};

// How far a fit has come: training on smoothed data, or the candidates of joint estimation in the
// order in which they were begun.
struct FitState {
  std::variant<TrainState, std::vector<CandidateState>> progress;
};

}  // namespace mechfit
