#include <algorithm>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/families/arm/arm.h"
#include "mechfit/mechanics/families/arm/arm_description.h"
#include "mechfit/mechanics/families/start.h"

// How a fit starts with an arm.
namespace mechfit {
namespace {

ArmConfig start_config(const StartData& data) {
  ArmConfig config;
  config.kinematics = data.robot->kinematics;
  config.joints = data.channels.joint_types;
  config.inputs = data.channels.m();
  config.friction = data.friction_terms();
  config.input_matrix = input_matrix(data.channels, data.input_joints);
  config.input_map = data.input_map();
  const bool physical = config.inputs > 0 && !data.learn_inputs;
  config.scales = data_scales(data.size, config.joints, config.input_matrix, physical);
  return config;
}

// Parameters that the user knows, set to their values.
std::vector<int> hold(Arm& arm, const std::map<std::string, double>& fix) {
  const std::vector<ParameterInfo> info = arm.parameters_info();
  std::vector<double> theta(arm.parameters().begin(), arm.parameters().end());
  std::vector<int> held;
  for (const auto& [name, value] : fix) {
    const auto found = std::find_if(info.begin(), info.end(),
                                    [&](const ParameterInfo& other) { return other.name == name; });
    if (found == info.end()) throw InputError("the arm has no constant '" + name + "'");
    held.push_back(static_cast<int>(found - info.begin()));
    if (found->range == Range::nonnegative && !(value >= 0))
      throw InputError("constant '" + name + "' of the arm is below 0");
    theta[held.back()] = value;
  }
  arm.set_parameters(theta);
  return held;
}

}  // namespace

bool Arm::known_as(const std::string& option) { return option == kFamily; }

bool Arm::automatic(const StartData& data) { return data.robot && !data.force_network(); }

std::vector<Start> Arm::starts(const StartData& data) {
  if (!data.robot)
    throw InputError("family arm needs the geometry of the machine: give option 'robot'");
  if (data.force_network())
    throw InputError("family arm has no force network; expected option 'force' none or friction");
  const int n = data.robot->kinematics.n();
  if (n != data.channels.n())
    throw InputError("the robot description has " + std::to_string(n) +
                     " joints that move, the log has " + std::to_string(data.channels.n()));
  Arm arm(start_config(data), data.robot->links);
  if (!data.robot->rotors.empty()) {
    MECHFIT_CHECK(static_cast<int>(data.robot->rotors.size()) == n);
    std::vector<double> theta(arm.parameters().begin(), arm.parameters().end());
    std::copy(data.robot->rotors.begin(), data.robot->rotors.end(),
              theta.begin() + kLinkNumbers * n);
    arm.set_parameters(theta);
  }
  std::vector<int> held = hold(arm, data.fix);
  return {{kFamily, std::move(arm), std::move(held)}};
}

}  // namespace mechfit
