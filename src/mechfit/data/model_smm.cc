#include <algorithm>
#include <span>

#include "mechfit/base/error.h"
#include "mechfit/data/json_fields.h"
#include "mechfit/data/model_family.h"

namespace mechfit {
namespace {

using nlohmann::json;
using Shape = std::vector<std::int64_t>;

constexpr int kMostJoints = 1000;
constexpr int kWidest = 1 << 20;  // hidden layer

const EnumNames<Activation> kActivations = {{Activation::tanh, "tanh"},
                                            {Activation::softplus, "softplus"},
                                            {Activation::identity, "identity"}};
const EnumNames<InputMap> kInputMaps = {
    {InputMap::fixed, "fixed"}, {InputMap::scaled, "scaled"}, {InputMap::learned, "learned"}};
const EnumNames<Initialisation> kInitialisations = {
    {Initialisation::row_normalised, "row_normalised"}, {Initialisation::xavier, "xavier"}};

struct Part {
  std::string name;
  Shape shape;
};

// theta, cut into named arrays in its own order (smm.h).
std::vector<Part> parts(const SmmConfig& c) {
  const auto n = static_cast<std::int64_t>(c.joints.size()), m = std::int64_t{c.inputs};
  const std::int64_t features =
      n + std::count(c.joints.begin(), c.joints.end(), JointType::periodic);
  std::vector<Part> out;
  const auto network = [&](const std::string& name, std::int64_t inputs, std::int64_t outputs) {
    for (std::size_t layer = 0; layer <= c.hidden.size(); ++layer) {
      const std::int64_t width = layer < c.hidden.size() ? c.hidden[layer] : outputs;
      const std::string prefix = name + "." + std::to_string(layer);
      out.push_back({prefix + ".weight", {width, inputs}});
      out.push_back({prefix + ".bias", {width}});
      inputs = width;
    }
  };
  network("mass", features, n * (n + 1) / 2);
  network("potential", features, 1);
  if (c.force_network) network("force", features + n, n);
  if (c.friction) {
    out.push_back({"friction.viscous", {n}});
    out.push_back({"friction.coulomb", {n}});
  }
  if (c.input_map == InputMap::scaled && m > 0) out.push_back({"input.gamma", {1}});
  if (c.input_map == InputMap::learned) out.push_back({"input.learned", {n, m}});
  return out;
}

std::int64_t count(const Shape& shape) {
  std::int64_t product = 1;
  for (const auto d : shape) product *= d;
  return product;
}

std::vector<double> positive(const Safetensors& file, const std::string& tensor, const Shape& shape,
                             const std::string& name) {
  const auto& values = expect_doubles(file, tensor, shape, name);
  for (const double x : values)
    if (!(x > 0)) throw InputError(name + ": tensor '" + tensor + "': scales must be positive");
  return values;
}

}  // namespace

void write_family(const Smm& smm, Safetensors& file) {
  const SmmConfig& c = smm.config();
  const std::int64_t n = smm.joints(), m = smm.inputs();
  std::vector<std::string> activations;
  for (const auto a : c.activations) activations.push_back(enum_name(kActivations, a));
  file.metadata["family"] = kSmmFamily;
  file.metadata["config"] =
      to_text({{"joint_types", names_of(c.joints)},
               {"hidden", c.hidden},
               {"activations", activations},
               {"force_network", c.force_network},
               {"friction", c.friction},
               {"input_map", enum_name(kInputMaps, c.input_map)},
               {"initialisation", enum_name(kInitialisations, c.initialisation)}});
  file.tensors["input.matrix"] = {{n, m}, c.input_matrix};
  file.tensors["scale.q_offset"] = {{n}, c.scales.q_offset};
  file.tensors["scale.q"] = {{n}, c.scales.q};
  file.tensors["scale.v"] = {{n}, c.scales.v};
  file.tensors["scale.u"] = {{m}, c.scales.u};
  file.tensors["scale.energy"] = {{1}, std::vector<double>{c.scales.energy}};
  file.tensors["scale.time"] = {{1}, std::vector<double>{c.scales.time}};
  std::span<const double> rest = smm.parameters();
  for (const Part& part : parts(c)) {
    const auto own = rest.first(static_cast<std::size_t>(count(part.shape)));
    file.tensors[part.name] = {part.shape, std::vector<double>(own.begin(), own.end())};
    rest = rest.subspan(own.size());
  }
  MECHFIT_CHECK(rest.empty());
}

// Nothing is built before the file was seen to hold arrays of the size it speaks of.
Model read_smm(const Safetensors& file, const Channels& channels, const std::string& name) {
  const JsonFields config(expect_metadata(file, "config", name), name + ": config");
  SmmConfig c;
  c.joints = config.choices("joint_types", joint_type_names());
  c.inputs = channels.m();
  c.hidden = config.integers("hidden", 1, kWidest);
  c.activations = config.choices("activations", kActivations);
  c.force_network = config.flag("force_network");
  c.friction = config.flag("friction");
  c.input_map = config.choice("input_map", kInputMaps);
  c.initialisation = config.choice("initialisation", kInitialisations);
  if (channels.n() > kMostJoints)
    throw InputError(name + ": " + std::to_string(channels.n()) + " joints, expected at most " +
                     std::to_string(kMostJoints));
  if (c.joints.size() != channels.joints.size())
    throw InputError(name + ": config: " + std::to_string(c.joints.size()) +
                     " joint types, expected " + std::to_string(channels.n()));
  if (c.activations.size() != c.hidden.size())
    throw InputError(name + ": config: " + std::to_string(c.activations.size()) +
                     " activations for " + std::to_string(c.hidden.size()) + " hidden layers");

  const std::int64_t n = channels.n(), m = channels.m();
  c.input_matrix = expect_doubles(file, "input.matrix", {n, m}, name);
  c.scales.q_offset = expect_doubles(file, "scale.q_offset", {n}, name);
  c.scales.q = positive(file, "scale.q", {n}, name);
  c.scales.v = positive(file, "scale.v", {n}, name);
  c.scales.u = positive(file, "scale.u", {m}, name);
  c.scales.energy = positive(file, "scale.energy", {1}, name)[0];
  c.scales.time = positive(file, "scale.time", {1}, name)[0];
  std::vector<double> theta;
  for (const Part& part : parts(c)) {
    const auto& values = expect_doubles(file, part.name, part.shape, name);
    theta.insert(theta.end(), values.begin(), values.end());
  }
  Smm smm(std::move(c));
  smm.set_parameters(theta);
  return Model(std::move(smm));
}

}  // namespace mechfit
