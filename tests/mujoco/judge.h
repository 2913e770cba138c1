#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <string>
#include <vector>

#include "mechfit/mechanics/contact.h"
#include "mechfit/mechanics/families/analytic/analytic.h"

namespace mechfit::testing {

struct MujocoState {
  std::vector<double> q, v;
};

// Stops as MuJoCo has them: beyond the stop the joint's acceleration along it is that of a damped
// spring, r'' = -rate^2 r - 2 damping rate r', where that pushes out.
struct SoftStop {
  double rate = 0, damping = 0;  // [1/s], 1: critical
};

// An analytic system rebuilt as a MuJoCo model: bodies and joints only, explicit inertials, no
// geoms, no armature. Speaks the system's own coordinates.
class Judge {
 public:
  // MuJoCo's model of the system with its present constants.
  explicit Judge(const AnalyticSystem& system, double time_step = 1e-3);
  // With stops of its joints, which have to be relative; a joint with one has two.
  Judge(const AnalyticSystem& system, double time_step, const Contacts& stops, SoftStop soft);

  // u: none, the system's one input, or a force on each of MuJoCo's joints.
  std::vector<double> acceleration(const MujocoState& state, const std::vector<double>& u);
  // State after `steps` RK4 steps with constant u.
  MujocoState simulate(const MujocoState& state, const std::vector<double>& u, int steps);

 private:
  void set_state(const MujocoState& state, const std::vector<double>& u);
  // MuJoCo's joints are relative; ours may be absolute.
  std::vector<double> to_relative(std::vector<double> x) const;
  std::vector<double> from_relative(const double* x) const;

  int driven_;  // joint that the input pushes
  bool absolute_;
  std::unique_ptr<mjModel, void (*)(mjModel*)> model_;
  std::unique_ptr<mjData, void (*)(mjData*)> data_;
};

}  // namespace mechfit::testing
