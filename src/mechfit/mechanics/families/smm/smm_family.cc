#include <fmt/format.h>

#include <cmath>

#include "mechfit/base/memory.h"
#include "mechfit/mechanics/families/smm/smm.h"
#include "mechfit/mechanics/families/start.h"

// What a structured mechanical model says of itself, and how a fit starts with one.
namespace mechfit {
namespace {

// Prior precision of every weight, in the network's own units: weights of size one. Effects on
// errors, on the logs of fit/joint/joint_problem.h: 0.3 -19 to +9 %, 3 +5 to +29 %.
constexpr double kWeightDecay = 1.0;
// Numbers that a fit keeps for each parameter: 50 were measured with layers of 600 on one thread.
constexpr double kNumbersPerParameter = 40;

// Before anything is built: the number of weights may be astronomic.
void require_memory_for(const SmmConfig& config) {
  const double n = static_cast<double>(config.joints.size());
  const auto network = [&](double inputs, double outputs) {
    double count = 0;
    for (const int width : config.hidden) {
      count += width * (inputs + 1);
      inputs = width;
    }
    return count + outputs * (inputs + 1);
  };
  const double count = network(2 * n, n * (n + 1) / 2) + network(2 * n, 1) +
                       (config.force_network ? network(3 * n, n) : 0);
  require_memory(count * kNumbersPerParameter * sizeof(double),
                 fmt::format("networks of {:.2g} parameters (option 'hidden')", count));
}

// Torques tell M from what is left beside gravity and friction: networks that start with this
// share of the ratio of torques to accelerations did best on three arms, whole ones worse.
constexpr double kTorqueMass = 0.1;

// Units in which M of each joint is the ratio of its torque to its acceleration: joints of one arm
// differ by factors of a hundred in what they carry.
void scale_by_torque(const StartData& data, SmmConfig& config) {
  Scales& s = config.scales;
  const int n = data.channels.n(), m = data.channels.m();
  for (int i = 0; i < n; ++i) {
    double force = 0;
    for (int j = 0; j < m; ++j) force += std::abs(config.input_matrix[i * m + j]) * data.size.u[j];
    const double work = force * data.size.v[i] * s.time;
    if (work > 0) s.v[i] *= std::sqrt(s.energy / work);
  }
}

// M = kTorqueMass in those units but for a little, and V is as light: last layers shrink, and L has
// a diagonal of its own. Else random parts of L outweigh it, and stay where data do not tell.
void start_light(Smm& smm) {
  const SmmConfig& c = smm.config();
  const std::size_t n = c.joints.size();
  const double light = std::sqrt(kTorqueMass);
  std::size_t inputs = n;
  for (const JointType type : c.joints) inputs += type == JointType::periodic;
  std::vector<double> theta(smm.parameters().begin(), smm.parameters().end());
  std::size_t at = 0;
  for (const bool mass : {true, false}) {
    const std::size_t outputs = mass ? n * (n + 1) / 2 : 1;
    std::size_t in = inputs;
    for (const int width : c.hidden) {
      at += static_cast<std::size_t>(width) * (in + 1);
      in = static_cast<std::size_t>(width);
    }
    for (const std::size_t end = at + outputs * (in + 1); at < end; ++at) theta[at] *= light;
    // The bias of the first outputs of the first network is L's diagonal, to which 1 is added.
    for (std::size_t i = 0; mass && i < n; ++i) theta[at - outputs + i] += light - 1;
  }
  smm.set_parameters(theta);
}

Smm start_network(const StartData& data, const std::vector<JointType>& joints, std::uint64_t seed) {
  SmmConfig config;
  config.joints = joints;
  config.inputs = data.channels.m();
  config.hidden = data.hidden;
  // Joint estimation: two layers of 16 did better than three of 32 on simulated data, for they make
  // up less where no data are. Smoothed data: the paper's networks.
  if (config.hidden.empty())
    config.hidden = data.joint_estimation ? std::vector{16, 16} : std::vector{32, 32, 32};
  config.activations.assign(config.hidden.size(), Activation::tanh);
  if (config.hidden.size() >= 3) config.activations.back() = Activation::identity;
  config.force_network = data.force_network();
  config.friction = data.friction_terms();
  config.input_matrix = input_matrix(data.channels, data.input_joints);
  const bool physical = config.inputs > 0 && !data.learn_inputs;
  config.input_map = data.input_map();
  if (physical && data.learn_gain) config.input_map = InputMap::scaled;
  config.scales = data.scale ? data_scales(data.size, config.joints, config.input_matrix, physical)
                             : Scales::unit(data.channels.n(), data.channels.m());
  const bool by_torque = data.by_torque && physical && data.scale;
  if (by_torque) scale_by_torque(data, config);
  require_memory_for(config);
  Smm smm(config);
  Random random(seed);
  smm.initialise(random);
  if (by_torque) start_light(smm);
  return smm;
}

}  // namespace

bool Smm::known_as(const std::string& option) { return option == kFamily; }

bool Smm::automatic(const StartData&) { return true; }

std::vector<Start> Smm::starts(const StartData& data) {
  std::vector<Start> list;
  for (int k = 0; k < data.ensemble; ++k) {
    // Every other member of an ensemble sees the angles themselves instead of their sines and
    // cosines: members that differ more than in their seed err more differently.
    std::vector<JointType> joints = data.channels.joint_types;
    if (k % 2 == 1 && !data.full_turns) joints.assign(joints.size(), JointType::plain);
    const std::string name = data.ensemble == 1 ? "smm"
                                                : "smm, member " + std::to_string(k + 1) + " of " +
                                                      std::to_string(data.ensemble);
    list.push_back({name, start_network(data, joints, data.seed + k), {}});
  }
  return list;
}

std::vector<ParameterInfo> Smm::parameters_info() const {
  std::vector<ParameterInfo> list(theta_.size());
  for (std::size_t k = 0; k < list.size(); ++k) {
    list[k].name = "theta " + std::to_string(k);
    list[k].prior_precision = kWeightDecay;
  }
  return list;
}

bool Smm::scale_is_free() const { return !joint_forces_.fixes_scale(); }

std::optional<Smm> Smm::with_fixed_inputs() const {
  if (config_.input_map != InputMap::scaled || m_ == 0) return *this;
  const double gamma = theta_.back();
  if (!(gamma > 0)) return {};
  SmmConfig config = config_;
  config.input_map = InputMap::fixed;
  config.scales.energy /= gamma;  // divides M, V and F
  Smm fixed(config);
  fixed.set_parameters(parameters().first(theta_.size() - 1));
  return fixed;
}

Description Smm::describe() const {
  return {"structured mechanical model (networks)",
          joint_forces_.values(static_cast<int>(network_parameters()))};
}

}  // namespace mechfit
