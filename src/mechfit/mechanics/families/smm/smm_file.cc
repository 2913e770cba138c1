#include <algorithm>
#include <span>

#include "mechfit/base/error.h"
#include "mechfit/files/json_fields.h"
#include "mechfit/mechanics/families/smm/smm.h"
#include "mechfit/mechanics/model_family.h"

namespace mechfit {
namespace {

using nlohmann::json;
using Shape = std::vector<std::int64_t>;

constexpr int kWidest = 1 << 20;  // hidden layer

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
  if (c.friction.viscous) out.push_back({"friction.viscous", {n}});
  if (c.friction.coulomb) out.push_back({"friction.coulomb", {n}});
  const auto functions = static_cast<std::int64_t>(friction_functions(c.friction).size());
  const std::int64_t further = functions - c.friction.viscous - c.friction.coulomb;
  if (further > 0) out.push_back({"friction.further", {further * n}});
  if (c.input_map == InputMap::scaled && m > 0) out.push_back({"input.gamma", {1}});
  if (c.input_map == InputMap::gains && m > 1) out.push_back({"input.gains", {m - 1}});
  if (c.input_map == InputMap::learned) out.push_back({"input.learned", {n, m}});
  return out;
}

std::int64_t count(const Shape& shape) {
  std::int64_t product = 1;
  for (const auto d : shape) product *= d;
  return product;
}

}  // namespace

void Smm::write(Safetensors& file) const {
  const SmmConfig& c = config_;
  const std::int64_t n = n_, m = m_;
  std::vector<std::string> activations;
  for (const auto a : c.activations) activations.push_back(name_of(a));
  file.metadata["config"] = to_text({{"joint_types", names_of(c.joints)},
                                     {"hidden", c.hidden},
                                     {"activations", activations},
                                     {"force_network", c.force_network},
                                     {"friction", friction_json(c.friction)},
                                     {"input_map", name_of(c.input_map)},
                                     {"initialisation", name_of(c.initialisation)}});
  file.tensors["input.matrix"] = {{n, m}, c.input_matrix};
  write_scales(c.scales, file);
  std::span<const double> rest = parameters();
  for (const Part& part : parts(c)) {
    const auto own = rest.first(static_cast<std::size_t>(count(part.shape)));
    file.tensors[part.name] = {part.shape, std::vector<double>(own.begin(), own.end())};
    rest = rest.subspan(own.size());
  }
  MECHFIT_CHECK(rest.empty());
}

// Nothing is built before the file was seen to hold arrays of the size it speaks of.
Smm Smm::read(const Safetensors& file, const Channels& channels, const std::string& name) {
  const JsonFields config(expect_metadata(file, "config", name), name + ": config");
  SmmConfig c;
  c.joints = read_joint_types(config, channels, name);
  c.inputs = channels.m();
  c.hidden = config.integers("hidden", 1, kWidest);
  c.activations = config.choices<Activation>("activations");
  c.force_network = config.flag("force_network");
  c.friction = read_friction(config);
  c.input_map = config.choice<InputMap>("input_map");
  c.initialisation = config.choice<Initialisation>("initialisation");
  if (c.activations.size() != c.hidden.size())
    throw InputError(name + ": config: " + std::to_string(c.activations.size()) +
                     " activations for " + std::to_string(c.hidden.size()) + " hidden layers");

  const std::int64_t n = channels.n(), m = channels.m();
  c.input_matrix = expect_doubles(file, "input.matrix", {n, m}, name);
  c.scales = read_scales(file, channels, name);
  std::vector<double> theta;
  for (const Part& part : parts(c)) {
    const auto& values = expect_doubles(file, part.name, part.shape, name);
    theta.insert(theta.end(), values.begin(), values.end());
  }
  Smm smm(std::move(c));
  smm.set_parameters(theta);
  return smm;
}

}  // namespace mechfit
