#include "mechfit/base/error.h"
#include "mechfit/files/json_fields.h"
#include "mechfit/mechanics/families/families.h"
#include "mechfit/mechanics/families/residual/residual.h"
#include "mechfit/mechanics/model_family.h"

namespace mechfit {
namespace {

constexpr int kWidest = 1 << 20;  // hidden layer
const std::string kBase = "base.";

// The base's part of the file, as in a file of its own.
Safetensors base_part(const Safetensors& file, const JsonFields& metadata,
                      const std::string& name) {
  Safetensors part;
  for (const auto& [key, text] : metadata.all().items()) {
    if (!text.is_string()) throw InputError(name + ": config: base: '" + key + "' is not text");
    part.metadata[key] = text.get<std::string>();
  }
  for (const auto& [key, tensor] : file.tensors)
    if (key.starts_with(kBase)) part.tensors[key.substr(kBase.size())] = tensor;
  return part;
}

Model read_base(const Safetensors& file, const JsonFields& config, const Channels& channels,
                const std::string& name) {
  const std::string own = config.text("family");
  for (const Family& family : families())
    if (family.name == own && own != Residual::kFamily)
      return family.read(base_part(file, config.object("base"), name), channels, name + ": base");
  throw InputError(name + ": config: family " + in_quotes(own) + " of the base is not known");
}

}  // namespace

void Residual::write(Safetensors& file) const {
  Safetensors part;
  base_.write(part);
  nlohmann::json base = nlohmann::json::object();
  for (const auto& [key, text] : part.metadata) base[key] = text;
  file.metadata["config"] =
      to_text({{"family", base_.family()}, {"base", base}, {"hidden", config_.hidden}});
  for (auto& [key, tensor] : part.tensors) file.tensors[kBase + key] = std::move(tensor);
  const auto n = static_cast<std::int64_t>(n_);
  file.tensors["network.speed"] = {{n}, config_.speed};
  file.tensors["network.width"] = {{n}, config_.width};
  file.tensors["network.place"] = {{n}, config_.place};
  file.tensors["network.reach"] = {{n}, config_.reach};
  file.tensors["network.force"] = {{n}, config_.force};
  const auto own = std::span(theta_).subspan(base_count());
  file.tensors["network.theta"] = {{static_cast<std::int64_t>(own.size())},
                                   std::vector<double>(own.begin(), own.end())};
}

Residual Residual::read(const Safetensors& file, const Channels& channels,
                        const std::string& name) {
  const JsonFields config(expect_metadata(file, "config", name), name + ": config");
  const std::int64_t n = channels.n();
  Model base = read_base(file, config, channels, name);
  ResidualConfig c;
  c.hidden = config.integers("hidden", 1, kWidest);
  const auto sizes = [&](const char* tensor) {
    const auto& values = expect_doubles(file, tensor, {n}, name);
    for (const double x : values)
      if (!(x > 0)) throw InputError(name + ": tensor '" + tensor + "': sizes must be positive");
    return values;
  };
  c.speed = sizes("network.speed");
  c.width = sizes("network.width");
  c.reach = sizes("network.reach");
  c.force = sizes("network.force");
  c.place = expect_doubles(file, "network.place", {n}, name);
  // Nothing is built before the file was seen to hold as many numbers.
  std::int64_t inputs = 2 * n, count = 0;
  for (const JointType type : base.joint_types()) inputs += type == JointType::periodic ? 2 : 1;
  for (const int width : c.hidden) {
    count += width * (inputs + 1);
    inputs = width;
  }
  count += n * (inputs + 1);
  const auto& own = expect_doubles(file, "network.theta", {count}, name);
  std::vector<double> theta(base.parameters().begin(), base.parameters().end());
  theta.insert(theta.end(), own.begin(), own.end());
  Random random(0);
  Residual out(std::move(base), std::move(c), random);
  out.set_parameters(theta);
  return out;
}

}  // namespace mechfit
