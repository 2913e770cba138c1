#include "mechfit/fit/start_model.h"

#include <algorithm>
#include <cmath>

#include "mechfit/base/error.h"
#include "mechfit/mechanics/families/analytic/systems.h"

namespace mechfit {

std::vector<double> input_matrix(const Channels& channels, const std::vector<std::string>& joints) {
  const int n = channels.n(), m = channels.m();
  std::vector<double> b(n * m, 0.0);
  if (joints.empty() && m > n)
    throw InputError("the log has " + std::to_string(m) + " inputs for " + std::to_string(n) +
                     " joints; say which joint each input pushes");
  if (!joints.empty() && static_cast<int>(joints.size()) != m)
    throw InputError(std::to_string(joints.size()) + " input joints given, the log has " +
                     std::to_string(m) + " inputs");
  for (int j = 0; j < m; ++j) {
    int i = j;
    if (!joints.empty()) {
      const auto found = std::find(channels.joints.begin(), channels.joints.end(), joints[j]);
      if (found == channels.joints.end())
        throw InputError("input joint '" + joints[j] + "' is not a joint of the log");
      i = static_cast<int>(found - channels.joints.begin());
    }
    b[i * m + j] = 1.0;
  }
  return b;
}

namespace {

Model start_smm(const Channels& channels, const Magnitudes& size, const FitOptions& options) {
  SmmConfig config;
  config.joints = channels.joint_types;
  config.inputs = channels.m();
  config.hidden = options.hidden;
  if (config.hidden.empty())
    config.hidden =
        options.method == FitMethod::joint ? std::vector{16, 16} : std::vector{32, 32, 32};
  config.activations.assign(config.hidden.size(), Activation::tanh);
  if (config.hidden.size() >= 3) config.activations.back() = Activation::identity;
  config.force_network =
      options.force == ForceKind::network || options.force == ForceKind::friction_network;
  config.friction =
      options.force == ForceKind::friction || options.force == ForceKind::friction_network;
  config.input_matrix = input_matrix(channels, options.input_joints);
  const bool physical = config.inputs > 0 && !options.learn_inputs;
  if (options.learn_inputs) {
    config.input_map = InputMap::learned;
  } else if (physical && options.method == FitMethod::del) {
    config.input_map = InputMap::scaled;
  }
  config.scales = options.scale ? network_scales(size, config.joints, config.input_matrix, physical)
                                : Scales::unit(channels.n(), channels.m());
  Smm smm(config);
  Random random(options.seed);
  smm.initialise(random);
  return Model(std::move(smm));
}

Model start_trig(const Channels& channels, const Magnitudes& size, const FitOptions& options) {
  if (options.force == ForceKind::network || options.force == ForceKind::friction_network)
    throw InputError("family trig has no force network; expected --force none or friction");
  TrigConfig config;
  config.joints = channels.joint_types;
  config.inputs = channels.m();
  config.friction = options.force == ForceKind::friction;
  config.degree = options.degree;
  config.input_matrix = input_matrix(channels, options.input_joints);
  if (options.learn_inputs) config.input_map = InputMap::learned;
  config.scales = network_scales(size, config.joints, config.input_matrix,
                                 config.inputs > 0 && !options.learn_inputs);
  return Model(Trig(std::move(config)));
}

Model start_system(const Channels& channels, const FitOptions& options) {
  AnalyticSystem system =
      make_system(options.family, options.family == "chain" ? channels.n() : kDefaultJoints);
  if (system.joints() != channels.n() || system.inputs() < channels.m())
    throw InputError("system '" + options.family + "' has " + std::to_string(system.joints()) +
                     " joints and " + std::to_string(system.inputs()) + " inputs, the log " +
                     std::to_string(channels.n()) + " and " + std::to_string(channels.m()));
  if (system.inputs() != channels.m())
    throw InputError("system '" + options.family + "' needs " + std::to_string(system.inputs()) +
                     " inputs, the log has " + std::to_string(channels.m()));
  for (const auto& [name, value] : options.fix) system.set_constant(name, value);
  // Damping that may be there must be able to grow from the start.
  if (options.force != ForceKind::none) {
    for (const auto& constant : system.constants())
      if (constant.name.starts_with("eta") && !options.fix.contains(constant.name))
        system.set_constant(constant.name, 0.1);
  }
  return Model(std::move(system));
}

}  // namespace

Model start_model(const Channels& channels, const Magnitudes& size, const FitOptions& options) {
  if (options.family == "smm") {
    if (!options.fix.empty()) throw InputError("only constants of an analytic system can be fixed");
    return start_smm(channels, size, options);
  }
  if (options.family == "trig") {
    if (!options.fix.empty()) throw InputError("only constants of an analytic system can be fixed");
    return start_trig(channels, size, options);
  }
  return start_system(channels, options);
}

std::vector<double> parameter_scales(const Model& model, const FitOptions& options) {
  const AnalyticSystem* system = model.as<AnalyticSystem>();
  if (!system) return {};
  std::vector<double> scales;
  for (std::size_t i = 0; i < system->constants().size(); ++i) {
    const auto& name = system->constants()[i].name;
    const double value = std::fabs(system->parameters()[i]);
    const bool held =
        options.fix.contains(name) || (options.force == ForceKind::none && name.starts_with("eta"));
    scales.push_back(held ? 0.0 : value > 0 ? value : 0.1);
  }
  return scales;
}

Model with_fixed_inputs(const Model& model) {
  const Smm* smm = model.as<Smm>();
  if (!smm || smm->config().input_map != InputMap::scaled || smm->inputs() == 0) return model;
  const double gamma = smm->parameters().back();
  if (!(gamma > 0))
    throw InputError("the fit found inputs that act against their direction (gain " +
                     std::to_string(gamma) + "); check the signs of the inputs");
  SmmConfig config = smm->config();
  config.input_map = InputMap::fixed;
  config.scales.energy /= gamma;  // divides M, V and F
  Smm fixed(config);
  fixed.set_parameters(smm->parameters().first(smm->parameters().size() - 1));
  return Model(std::move(fixed));
}

}  // namespace mechfit
