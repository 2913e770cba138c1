#include "mechfit/fit/checkpoint.h"

#include <fmt/format.h>

#include "mechfit/files/files.h"
#include "mechfit/files/number.h"
#include "mechfit/fit/state_archive.h"
#include "mechfit/mechanics/families/arm/arm_description.h"

namespace mechfit {
namespace {

constexpr const char* kFormat = "mechfit checkpoint 2";
constexpr const char* kTrained = "trained";           // metadata `method` of a TrainState
constexpr const char* kJoint = "joint";               // and of candidates
constexpr const char* kGaussNewton = "gauss-newton";  // engine of a candidate
constexpr const char* kNetwork = "network";
// A file with more is damaged: an ensemble of 1000 and some to spare.
constexpr std::size_t kMostCandidates = 2000;

std::string key(std::size_t candidate, const char* what) {
  return "candidate." + std::to_string(candidate) + "." + what;
}

}  // namespace

std::string settings_text(const FitOptions& o) {
  std::string text = fmt::format(
      "family={} method={} learning_rate={} epochs={} batch={} seed={} hidden={} force={} "
      "input_joints={} learn_inputs={} degree={} ensemble={} step={} smoother={} smoothed={} "
      "selection={} patience={} barrier_weight={} integrator={} precision={} scale={} quick={} "
      "keep_all={} friction={} learn_gains={} input_hold={} input_delay={} input_lag={}",
      o.family, name_of(o.method), o.learning_rate, o.epochs, o.batch, o.seed,
      fmt::join(o.hidden, ","), name_of(o.force), fmt::join(o.input_joints, ","), o.learn_inputs,
      o.degree, o.ensemble, o.step, name_of(o.smoother), o.smoothed, name_of(o.selection),
      o.patience, o.barrier_weight.value_or(0.0), name_of(o.integrator), name_of(o.precision),
      o.scale, o.quick, o.keep_all, o.friction, o.learn_gains,
      o.input_hold ? name_of(*o.input_hold) : "auto", o.input_delay.value_or(-1),
      o.input_lag.value_or(-1));
  for (const auto& [name, value] : o.fix) text += fmt::format(" fix.{}={}", name, value);
  if (o.robot) text += " robot=" + description_text(*o.robot);
  return text;
}

std::string format_checkpoint(const FitState& state, const std::string& owner) {
  Safetensors file;
  file.metadata = {{"format", kFormat}, {"owner", owner}};
  StateWriter writer(file);
  FitState copy = state;  // the description of a struct is one for reading and writing
  if (auto* trained = std::get_if<TrainState>(&copy.progress)) {
    file.metadata["method"] = kTrained;
    writer("train", *trained);
  } else {
    auto& candidates = std::get<std::vector<CandidateState>>(copy.progress);
    file.metadata["method"] = kJoint;
    file.metadata["candidates"] = std::to_string(candidates.size());
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      const bool network = std::holds_alternative<NetworkState>(candidates[k].joint);
      file.metadata[key(k, "name")] = candidates[k].name;
      file.metadata[key(k, "engine")] = network ? kNetwork : kGaussNewton;
      std::visit([&](auto& joint) { writer(key(k, "state"), joint); }, candidates[k].joint);
    }
  }
  file.metadata["checksum"] = checksum(file);
  return format_safetensors(file);
}

FitState parse_checkpoint(std::string_view bytes, const std::string& owner,
                          const std::string& name) {
  const Safetensors file = parse_safetensors(bytes, name);
  if (expect_metadata(file, "format", name) != kFormat)
    throw InputError(name + ": not a checkpoint of this version of mechfit");
  StateReader reader(file, name);
  if (expect_metadata(file, "checksum", name) != checksum(file)) reader.damaged();
  if (expect_metadata(file, "owner", name) != owner)
    throw InputError(name + ": this checkpoint is of a fit with other data or options");
  FitState state;
  if (expect_metadata(file, "method", name) == kTrained) {
    reader("train", std::get<TrainState>(state.progress));
    return state;
  }
  std::vector<CandidateState> candidates;
  const std::string& count = expect_metadata(file, "candidates", name);
  for (std::size_t k = 0; std::to_string(k) != count; ++k) {
    if (k == kMostCandidates) reader.damaged();
    CandidateState candidate;
    candidate.name = expect_metadata(file, key(k, "name"), name);
    if (expect_metadata(file, key(k, "engine"), name) == kNetwork) candidate.joint = NetworkState();
    std::visit([&](auto& joint) { reader(key(k, "state"), joint); }, candidate.joint);
    candidates.push_back(std::move(candidate));
  }
  state.progress = std::move(candidates);
  return state;
}

void save_checkpoint(const std::string& path, const FitState& state, const std::string& owner) {
  write_file_atomically(path, format_checkpoint(state, owner));
}

FitState load_checkpoint(const std::string& path, const std::string& owner) {
  return parse_checkpoint(read_file(path), owner, path);
}

}  // namespace mechfit
