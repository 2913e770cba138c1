#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mechfit/log/log.h"
#include "mechfit/mechanics/joint_forces.h"
#include "mechfit/mechanics/magnitudes.h"
#include "mechfit/mechanics/model.h"

// What a family may know when it makes the model that a fit starts from.
namespace mechfit {

struct ArmDescription;  // arm/arm_description.h

// What is known of the forces that are not from the potential or the inputs.
enum class ForceKind { none, network, friction, friction_network };
template <>
inline constexpr auto kNames<ForceKind> = names<ForceKind>({{ForceKind::none, "none"},
                                                            {ForceKind::network, "network"},
                                                            {ForceKind::friction, "friction"},
                                                            {ForceKind::friction_network,
                                                             "friction+network"}});

struct StartData {
  Channels channels;
  Magnitudes size;          // of the training data
  bool full_turns = false;  // some joint goes round in the data
  bool competes = true;     // false: the model only prepares the motions for another family
  // Networks are smaller where the motion is estimated with them.
  bool joint_estimation = true;
  // The objective cannot shrink M, so the gain of the inputs has to be learned.
  bool learn_gain = false;
  // Torques are predicted: M is learned from what is left beside gravity and friction.
  bool by_torque = false;

  // Options of the fit, as FitOptions has them.
  std::string family;
  ForceKind force = ForceKind::friction;
  std::vector<int> hidden;
  int degree = 0;
  int ensemble = 1;
  std::uint64_t seed = 0;
  std::vector<std::string> input_joints;
  bool learn_inputs = false;
  bool learn_gains = false;
  FrictionTerms terms = true;  // of friction, where `force` has it
  bool scale = true;
  std::map<std::string, double> fix;
  std::shared_ptr<const ArmDescription> robot;  // null: nothing is known of the geometry

  bool force_network() const {
    return force == ForceKind::network || force == ForceKind::friction_network;
  }
  bool friction() const {
    return force == ForceKind::friction || force == ForceKind::friction_network;
  }
  FrictionTerms friction_terms() const { return friction() ? terms : FrictionTerms(); }
  InputMap input_map() const {
    return learn_inputs ? InputMap::learned : learn_gains ? InputMap::gains : InputMap::fixed;
  }
};

// A model to start from.
struct Start {
  std::string name;  // for the user: "trig of degree 2"
  Model model;
  std::vector<int> held;  // parameters that are known and keep their values
};

// B0 [n][m]: one where an input pushes a joint. InputError when the options do not fit the log.
std::vector<double> input_matrix(const Channels& channels, const std::vector<std::string>& joints);

// Units for such data. With inputs through a fixed matrix B0 [n][m] (`physical`) the unit of energy
// is that of the work they do in one time unit; without it is free and 1.
Scales data_scales(const Magnitudes& size, const std::vector<JointType>& joints,
                   const std::vector<double>& input_matrix, bool physical);

}  // namespace mechfit
