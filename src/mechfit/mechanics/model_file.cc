#include "mechfit/mechanics/model_file.h"

#include <tuple>

#include "mechfit/base/error.h"
#include "mechfit/files/files.h"
#include "mechfit/files/json_fields.h"
#include "mechfit/files/utf.h"
#include "mechfit/mechanics/families/families.h"
#include "mechfit/mechanics/model_family.h"
#include "mechfit/version.h"

namespace mechfit {
namespace {

constexpr const char* kFormat = "mechfit model 1";

constexpr const char* kMembers = "members";
constexpr const char* kCovariance = "covariance";
constexpr const char* kKnowledge = "knowledge";
constexpr const char* kContacts = "contacts";
constexpr std::size_t kMostMembers = 1000;

std::string member_prefix(std::size_t k) { return "member." + std::to_string(k) + "."; }

// With `prefix` before the names of metadata and tensors.
void write_model(const Model& model, const std::string& prefix, Safetensors& file) {
  Safetensors part;
  part.metadata["family"] = model.family();
  model.write(part);
  for (auto& [key, text] : part.metadata) file.metadata[prefix + key] = std::move(text);
  for (auto& [key, tensor] : part.tensors) file.tensors[prefix + key] = std::move(tensor);
}

void check_channels(const Channels& channels, const Model& model) {
  const std::size_t n = static_cast<std::size_t>(model.joints());
  MECHFIT_CHECK(channels.joints.size() == n && channels.joint_types.size() == n &&
                    channels.units.size() == n && channels.m() == model.inputs(),
                "channels do not fit the model");
}

// Each time with its standard error.
constexpr std::tuple<const char*, double InputTiming::*> kTimes[] = {
    {"input_delay", &InputTiming::delay},
    {"input_delay_error", &InputTiming::delay_error},
    {"input_lag", &InputTiming::lag},
    {"input_lag_error", &InputTiming::lag_error}};
constexpr const char* kInputHold = "input_hold";

// Only what differs from held inputs that act at once.
void write_timing(const InputTiming& timing, std::map<std::string, std::string>& metadata) {
  if (timing.hold != InputHold::held) metadata[kInputHold] = name_of(timing.hold);
  for (const auto& [key, member] : kTimes) {
    std::string text;
    append_number(text, timing.*member);
    if (timing.*member != 0) metadata[key] = text;
  }
}

InputTiming take_timing(std::map<std::string, std::string>& metadata, const std::string& name) {
  InputTiming timing;
  if (const auto text = metadata.extract(kInputHold)) {
    const auto hold = value_of<InputHold>(text.mapped());
    if (!hold)
      throw InputError(name + ": " + kInputHold + " " + in_quotes(text.mapped()) +
                       ", expected held or linear");
    timing.hold = *hold;
  }
  for (const auto& [key, member] : kTimes)
    if (const auto text = metadata.extract(key)) {
      const bool number = parse_number(text.mapped(), timing.*member) == NumberStatus::ok;
      if (!number || timing.*member < 0)
        throw InputError(name + ": " + key + " " + in_quotes(text.mapped()) +
                         ", expected seconds, 0 or more");
    }
  return timing;
}

Safetensors to_file(const ModelRecord& record) {
  check_channels(record.channels, record.model);
  Safetensors file;
  file.metadata = record.metadata;
  file.metadata["format"] = kFormat;
  file.metadata["mechfit_version"] = kVersion;
  file.metadata["channels"] = to_text({{"joints", record.channels.joints},
                                       {"joint_types", names_of(record.channels.joint_types)},
                                       {"units", record.channels.units},
                                       {"inputs", record.channels.inputs}});
  write_timing(record.timing, file.metadata);
  if (record.knowledge) file.metadata[kKnowledge] = format_knowledge(*record.knowledge);
  if (!record.contacts.empty()) file.metadata[kContacts] = format_contacts(record.contacts);
  write_model(record.model, "", file);
  if (!record.covariance.empty()) {
    const std::int64_t p = record.model.parameter_count();
    MECHFIT_CHECK(static_cast<std::int64_t>(record.covariance.size()) == p * p);
    file.tensors[kCovariance] = {{p, p}, record.covariance};
  }
  for (std::size_t k = 0; k < record.members.size(); ++k) {
    check_channels(record.channels, record.members[k]);
    write_model(record.members[k], member_prefix(k), file);
  }
  if (!record.members.empty()) file.metadata[kMembers] = std::to_string(record.members.size());
  return file;
}

// What one member would be in a file of its own.
Safetensors member_part(const Safetensors& file, const std::string& prefix) {
  Safetensors part;
  for (const auto& [key, text] : file.metadata)
    if (key.starts_with(prefix)) part.metadata[key.substr(prefix.size())] = text;
  for (const auto& [key, tensor] : file.tensors)
    if (key.starts_with(prefix)) part.tensors[key.substr(prefix.size())] = tensor;
  return part;
}

Model read_model(const Safetensors& file, const Channels& channels, const std::string& name) {
  const std::string& family_name = expect_metadata(file, "family", name);
  std::string valid;
  for (const Family& family : families()) {
    valid += (valid.empty() ? "" : ", ") + family.name;
    if (family_name != family.name) continue;
    Model model = family.read(file, channels, name);
    if (model.inputs() != channels.m())
      throw InputError(name + ": channels: " + std::to_string(channels.m()) +
                       " inputs, the model has " + std::to_string(model.inputs()));
    return model;
  }
  throw InputError(name + ": family " + in_quotes(family_name) + ", expected one of " + valid);
}

std::size_t member_count(const Safetensors& file, const std::string& name) {
  const auto found = file.metadata.find(kMembers);
  if (found == file.metadata.end()) return 0;
  for (std::size_t k = 1; k <= kMostMembers; ++k)
    if (found->second == std::to_string(k)) return k;
  throw InputError(name + ": " + in_quotes(found->second) + " members, expected 1 to " +
                   std::to_string(kMostMembers));
}

Channels read_channels(const Safetensors& file, const std::string& name) {
  const JsonFields fields(expect_metadata(file, "channels", name), name + ": channels");
  Channels channels;
  channels.joints = fields.texts("joints");
  channels.joint_types = fields.choices<JointType>("joint_types");
  channels.units = fields.texts("units");
  channels.inputs = fields.texts("inputs");
  if (channels.joints.empty()) throw InputError(name + ": channels: no joints");
  if (channels.joint_types.size() != channels.joints.size() ||
      channels.units.size() != channels.joints.size())
    throw InputError(name + ": channels: " + std::to_string(channels.joints.size()) + " joints, " +
                     std::to_string(channels.joint_types.size()) + " types and " +
                     std::to_string(channels.units.size()) + " units, expected one for each");
  return channels;
}

}  // namespace

std::string format_timing(const InputTiming& timing) {
  return to_text({{"hold", name_of(timing.hold)},
                  {"delay", timing.delay},
                  {"delay_error", timing.delay_error},
                  {"lag", timing.lag},
                  {"lag_error", timing.lag_error}});
}

std::string format_model(const ModelRecord& record) {
  Safetensors file = to_file(record);
  // Headers are UTF-8: the checksum is that of the text as it will be read.
  std::map<std::string, std::string> metadata;
  for (const auto& [key, text] : file.metadata)
    if (key != "checksum") metadata[replace_invalid_utf8(key)] = replace_invalid_utf8(text);
  file.metadata = std::move(metadata);
  file.metadata["checksum"] = checksum(file);
  return format_safetensors(file);
}

ModelRecord parse_model(std::string_view bytes, const std::string& name) {
  Safetensors file = parse_safetensors(bytes, name);
  const auto found = file.metadata.find("format");
  if (found == file.metadata.end())
    throw InputError(name + ": not a model of mechfit, there is no metadata 'format'");
  if (found->second != kFormat)
    throw InputError(name + ": format " + in_quotes(found->second) + ", expected " +
                     in_quotes(kFormat) + " (made by another version of mechfit?)");
  const std::string& expected = expect_metadata(file, "checksum", name);
  if (expected != checksum(file))
    throw InputError(name + ": damaged, its checksum is " + checksum(file) + ", expected " +
                     in_quotes(expected));

  const Channels channels = read_channels(file, name);
  ModelRecord record{read_model(file, channels, name), channels, file.metadata};
  const std::size_t members = member_count(file, name);
  for (std::size_t k = 0; k < members; ++k) {
    const std::string prefix = member_prefix(k);
    record.members.push_back(
        read_model(member_part(file, prefix), channels, name + ": member " + std::to_string(k)));
    for (const char* key : {"family", "config"}) record.metadata.erase(prefix + key);
  }
  if (file.tensors.contains(kCovariance)) {
    const std::int64_t p = record.model.parameter_count();
    record.covariance = expect_doubles(file, kCovariance, {p, p}, name);
  }
  if (const auto text = file.metadata.find(kKnowledge); text != file.metadata.end()) {
    record.knowledge =
        parse_knowledge(text->second, channels.n(), channels.m(), name + ": " + kKnowledge);
    record.metadata.erase(kKnowledge);
  }
  if (const auto contacts = record.metadata.extract(kContacts))
    record.contacts = parse_contacts(contacts.mapped(), channels.n(), name + ": " + kContacts);
  record.timing = take_timing(record.metadata, name);
  const Safetensors known = to_file(record);
  for (const auto& [key, tensor] : file.tensors)
    if (!known.tensors.contains(key))
      throw InputError(name + ": tensor " + in_quotes(key) + " does not belong to this model");
  for (const char* key : {"channels", "config", "checksum", kMembers}) record.metadata.erase(key);
  return record;
}

void save_model(const std::string& path, const ModelRecord& record, bool overwrite) {
  refuse_overwrite(path, overwrite);
  write_file_atomically(path, format_model(record));
}

ModelRecord load_model(const std::string& path) { return parse_model(read_file(path), path); }

}  // namespace mechfit
