#include "mechfit/base/error.h"
#include "mechfit/mechanics/families/trig/trig.h"
#include "mechfit/mechanics/model_family.h"

namespace mechfit {
namespace {

// Beyond these a file is damaged, or would make a model too large to build.
constexpr int kHighestDegree = 8, kMostTrigJoints = 16;

}  // namespace

void Trig::write(Safetensors& file) const {
  const TrigConfig& c = config_;
  const std::int64_t n = n_, m = m_;
  file.metadata["config"] = to_text({{"joint_types", names_of(c.joints)},
                                     {"degree", c.degree},
                                     {"mass_joints", c.mass_joints},
                                     {"potential_joints", c.potential_joints},
                                     {"friction", friction_json(c.friction)},
                                     {"input_map", name_of(c.input_map)}});
  file.tensors["input.matrix"] = {{n, m}, c.input_matrix};
  write_scales(c.scales, file);
  file.tensors["theta"] = {{static_cast<std::int64_t>(theta_.size())}, theta_};
}

Trig Trig::read(const Safetensors& file, const Channels& channels, const std::string& name) {
  const JsonFields config(expect_metadata(file, "config", name), name + ": config");
  TrigConfig c;
  c.joints = read_joint_types(config, channels, name);
  c.inputs = channels.m();
  if (channels.n() > kMostTrigJoints)
    throw InputError(name + ": " + std::to_string(channels.n()) + " joints, expected at most " +
                     std::to_string(kMostTrigJoints));
  c.degree = config.integer("degree", 1, kHighestDegree);
  c.mass_joints = config.integer("mass_joints", 1, channels.n());
  c.potential_joints = config.integer("potential_joints", c.mass_joints, channels.n());
  c.friction = read_friction(config);
  c.input_map = config.choice<InputMap>("input_map");
  c.input_matrix = expect_doubles(file, "input.matrix", {channels.n(), channels.m()}, name);
  c.scales = read_scales(file, channels, name);
  // Nothing is built before the file was seen to hold so many coefficients.
  const auto& theta = expect_doubles(file, "theta", {-1}, name);
  if (trig_coefficients(c) > static_cast<double>(theta.size()))
    throw InputError(name + ": theta has " + std::to_string(theta.size()) +
                     " numbers, too few for degree " + std::to_string(c.degree) + " of " +
                     std::to_string(channels.n()) + " joints");
  Trig trig(std::move(c));
  trig.set_parameters(expect_doubles(file, "theta", {trig.parameter_count()}, name));
  return trig;
}

}  // namespace mechfit
