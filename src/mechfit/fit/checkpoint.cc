#include "mechfit/fit/checkpoint.h"

#include <bit>

#include "mechfit/base/error.h"
#include "mechfit/files/files.h"
#include "mechfit/files/safetensors.h"

namespace mechfit {
namespace {

using Bits = std::vector<std::int64_t>;

// Numbers go as their bits: infinities are part of a state.
std::int64_t bits(double x) { return std::bit_cast<std::int64_t>(x); }
double number(std::int64_t x) { return std::bit_cast<double>(x); }

Tensor tensor(Bits values) {
  Tensor t;
  t.shape = {static_cast<std::int64_t>(values.size())};
  t.values = std::move(values);
  return t;
}

Tensor tensor(const std::vector<double>& values) {
  Bits out;
  for (double x : values) out.push_back(bits(x));
  return tensor(std::move(out));
}

const Bits& get(const Safetensors& file, const std::string& key, const std::string& path) {
  const auto found = file.tensors.find(key);
  const Bits* values =
      found == file.tensors.end() ? nullptr : std::get_if<Bits>(&found->second.values);
  if (!values) throw InputError(path + ": no array '" + key + "': not a checkpoint of a fit");
  return *values;
}

std::vector<double> numbers(const Safetensors& file, const std::string& key,
                            const std::string& path) {
  std::vector<double> out;
  for (std::int64_t x : get(file, key, path)) out.push_back(number(x));
  return out;
}

constexpr std::size_t kScalars = 14, kRecord = 6;
const std::string kArrays = "joint/";

}  // namespace

void save_checkpoint(const std::string& path, const TrainState& s, const std::string& owner) {
  Safetensors file;
  file.metadata = {{"format", "mechfit checkpoint 1"}, {"owner", owner}};
  file.tensors["theta"] = tensor(s.theta);
  file.tensors["best"] = tensor(s.best);
  file.tensors["adam_mean"] = tensor(s.adam.mean);
  file.tensors["adam_square"] = tensor(s.adam.square);
  Bits scalars = {s.epoch, s.best_epoch};
  for (double x : {s.adam.power1, s.adam.power2, s.best_validation, s.alpha, s.mu, s.random.spare})
    scalars.push_back(bits(x));
  for (std::uint64_t x : s.random.s) scalars.push_back(static_cast<std::int64_t>(x));
  scalars.push_back(s.random.has_spare);
  scalars.push_back(static_cast<std::int64_t>(s.history.size()));
  file.tensors["scalars"] = tensor(std::move(scalars));
  Bits history;
  for (const auto& r : s.history)
    for (std::int64_t x :
         {std::int64_t{r.epoch}, bits(r.loss), bits(r.validation), bits(r.learning_rate),
          std::int64_t{r.halvings}, std::int64_t{r.rejected}})
      history.push_back(x);
  file.tensors["history"] = tensor(std::move(history));
  for (const auto& [name, values] : s.arrays) file.tensors[kArrays + name] = tensor(values);
  write_file_atomically(path, format_safetensors(file));
}

TrainState load_checkpoint(const std::string& path, const std::string& owner) {
  const Safetensors file = parse_safetensors(read_file(path), path);
  if (expect_metadata(file, "format", path) != "mechfit checkpoint 1")
    throw InputError(path + ": not a checkpoint of this version of mechfit");
  if (expect_metadata(file, "owner", path) != owner)
    throw InputError(path + ": this checkpoint is of a fit with other data or options");
  TrainState s;
  s.theta = numbers(file, "theta", path);
  s.best = numbers(file, "best", path);
  s.adam.mean = numbers(file, "adam_mean", path);
  s.adam.square = numbers(file, "adam_square", path);
  const Bits& x = get(file, "scalars", path);
  const Bits& history = get(file, "history", path);
  if (x.size() != kScalars || history.size() != kRecord * static_cast<std::size_t>(x.back()))
    throw InputError(path + ": damaged checkpoint");
  s.epoch = static_cast<int>(x[0]);
  s.best_epoch = static_cast<int>(x[1]);
  s.adam.power1 = number(x[2]);
  s.adam.power2 = number(x[3]);
  s.best_validation = number(x[4]);
  s.alpha = number(x[5]);
  s.mu = number(x[6]);
  s.random.spare = number(x[7]);
  for (int i = 0; i < 4; ++i) s.random.s[i] = static_cast<std::uint64_t>(x[8 + i]);
  s.random.has_spare = x[12] != 0;
  for (std::size_t i = 0; i < history.size(); i += kRecord)
    s.history.push_back({static_cast<int>(history[i]), number(history[i + 1]),
                         number(history[i + 2]), number(history[i + 3]),
                         static_cast<int>(history[i + 4]), static_cast<int>(history[i + 5])});
  for (const auto& [name, values] : file.tensors)
    if (name.starts_with(kArrays))
      s.arrays[name.substr(kArrays.size())] = numbers(file, name, path);
  return s;
}

}  // namespace mechfit
