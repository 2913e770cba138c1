#include "mechfit/base/error.h"
#include "mechfit/mechanics/model_family.h"

namespace mechfit {
namespace {

using Shape = std::vector<std::int64_t>;

constexpr int kMostJoints = 1000;

std::vector<double> positive(const Safetensors& file, const std::string& tensor, const Shape& shape,
                             const std::string& name) {
  const auto& values = expect_doubles(file, tensor, shape, name);
  for (const double x : values)
    if (!(x > 0)) throw InputError(name + ": tensor '" + tensor + "': scales must be positive");
  return values;
}

}  // namespace

void write_scales(const Scales& scales, Safetensors& file) {
  const auto n = static_cast<std::int64_t>(scales.q.size());
  const auto m = static_cast<std::int64_t>(scales.u.size());
  file.tensors["scale.q_offset"] = {{n}, scales.q_offset};
  file.tensors["scale.q"] = {{n}, scales.q};
  file.tensors["scale.v"] = {{n}, scales.v};
  file.tensors["scale.u"] = {{m}, scales.u};
  file.tensors["scale.energy"] = {{1}, std::vector<double>{scales.energy}};
  file.tensors["scale.time"] = {{1}, std::vector<double>{scales.time}};
}

Scales read_scales(const Safetensors& file, const Channels& channels, const std::string& name) {
  const std::int64_t n = channels.n(), m = channels.m();
  Scales scales;
  scales.q_offset = expect_doubles(file, "scale.q_offset", {n}, name);
  scales.q = positive(file, "scale.q", {n}, name);
  scales.v = positive(file, "scale.v", {n}, name);
  scales.u = positive(file, "scale.u", {m}, name);
  scales.energy = positive(file, "scale.energy", {1}, name)[0];
  scales.time = positive(file, "scale.time", {1}, name)[0];
  return scales;
}

nlohmann::json friction_json(const FrictionTerms& terms) {
  if (terms == FrictionTerms(static_cast<bool>(terms))) return static_cast<bool>(terms);
  return {{"terms", to_text(terms)}, {"width", terms.width}};
}

FrictionTerms read_friction(const JsonFields& config) {
  const std::optional<JsonFields> fields = config.object_if_any("friction");
  if (!fields) return config.flag("friction");
  FrictionTerms terms = parse_friction_terms(fields->text("terms"), fields->where());
  terms.width = fields->number("width");
  if (!(terms.width >= 0)) throw InputError(fields->where() + ": 'width' is below 0");
  return terms;
}

std::vector<JointType> read_joint_types(const JsonFields& config, const Channels& channels,
                                        const std::string& name) {
  if (channels.n() > kMostJoints)
    throw InputError(name + ": " + std::to_string(channels.n()) + " joints, expected at most " +
                     std::to_string(kMostJoints));
  auto types = config.choices<JointType>("joint_types");
  if (types.size() != channels.joints.size())
    throw InputError(name + ": config: " + std::to_string(types.size()) +
                     " joint types, expected " + std::to_string(channels.n()));
  return types;
}

}  // namespace mechfit
