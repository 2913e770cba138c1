#include "mechfit/base/error.h"
#include "mechfit/base/text.h"
#include "mechfit/files/json_fields.h"
#include "mechfit/mechanics/families/analytic/analytic.h"
#include "mechfit/mechanics/model_family.h"

namespace mechfit {
namespace {

using nlohmann::json;

// A chain's equations grow with the cube of its joints: a file must not ask for any number.
constexpr int kMostSystemJoints = 64;

std::vector<std::string> constant_names(const AnalyticSystem& system) {
  std::vector<std::string> names;
  for (const auto& constant : system.constants()) names.push_back(constant.name);
  return names;
}

}  // namespace

void AnalyticSystem::write(Safetensors& file) const {
  // Only the name of the equations is stored: they must be those that make_system knows.
  if (joints() > kMostSystemJoints)
    throw InputError("system '" + name() + "': a model file holds at most " +
                     std::to_string(kMostSystemJoints) + " joints, not " +
                     std::to_string(joints()));
  const auto names = constant_names(*this);
  if (constant_names(make_system(name(), joints())) != names)
    throw InputError("system '" + name() +
                     "' has equations of its own, which a model file cannot hold");
  file.metadata["config"] = to_text({{"system", name()}, {"constants", names}});
  file.tensors["constants"] = {{parameter_count()}, theta_};
}

AnalyticSystem AnalyticSystem::read(const Safetensors& file, const Channels& channels,
                                    const std::string& name) {
  const JsonFields config(expect_metadata(file, "config", name), name + ": config");
  const auto names = config.texts("constants");
  if (channels.n() > kMostSystemJoints)
    throw InputError(name + ": " + std::to_string(channels.n()) + " joints, expected at most " +
                     std::to_string(kMostSystemJoints));
  try {
    AnalyticSystem system = make_system(config.text("system"), channels.n());
    if (names != constant_names(system))
      throw InputError("system '" + system.name() + "' has the constants " +
                       listed(constant_names(system)) + ", the file has " + listed(names));
    system.set_parameters(expect_doubles(file, "constants", {system.parameter_count()}, name));
    return system;
  } catch (const InputError& e) {
    const std::string what = e.what();
    throw InputError(what.starts_with(name) ? what : name + ": " + what);
  }
}

}  // namespace mechfit
