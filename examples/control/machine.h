#pragma once

#include <vector>

#include "examples/control/algebra.h"
#include "mechfit/base/random.h"
#include "tests/mujoco/judge.h"

namespace control {

// The real machine of this study: MuJoCo's, with its own constants, steps of a millisecond and
// encoders with white noise.
class Machine {
 public:
  Machine(const mechfit::AnalyticSystem& system, double h, double noise, std::uint64_t seed);

  void place(const std::vector<double>& q);  // at rest
  void drive(const std::vector<double>& u);  // for one control interval
  Vector encoders();                         // q with fresh noise
  const std::vector<double>& q() const { return state_.q; }

 private:
  mechfit::testing::Judge judge_;
  mechfit::testing::MujocoState state_;
  int inner_;
  double noise_;
  mechfit::Random random_;
};

}  // namespace control
