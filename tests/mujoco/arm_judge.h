#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <string>

#include "tests/support/driven_arm.h"

// Arms as MuJoCo models.
namespace mechfit::testing {

using MujocoModel = std::unique_ptr<mjModel, void (*)(mjModel*)>;
using MujocoData = std::unique_ptr<mjData, void (*)(mjData*)>;

MujocoModel load_mujoco(const std::string& xml);
MujocoData make_data(const MujocoModel& model);

// The arm's links, rotors, viscous and dry friction, the latter a constraint of MuJoCo's.
std::string arm_xml(const Arm& arm, double time_step = 0.002);

// MuJoCo moves the arm, in ten steps of Runge-Kutta; offsets of friction are torques. For steps of
// `step`.
ArmMachine mujoco_machine(const Arm& arm, double step);

}  // namespace mechfit::testing
