#pragma once

#include <string>

#include "mechfit/files/json_fields.h"
#include "mechfit/files/safetensors.h"
#include "mechfit/log/log.h"
#include "mechfit/mechanics/model.h"

// How each family of models is laid out in a model file. A new family has a name, write_family and
// a reader here, and its line in the table of model_file.cc.
namespace mechfit {

inline constexpr const char* kAnalyticFamily = "analytic";
inline constexpr const char* kSmmFamily = "smm";
inline constexpr const char* kTrigFamily = "trig";

// Add the metadata `family` and `config`, and the tensors.
void write_family(const AnalyticSystem& system, Safetensors& file);
void write_family(const Smm& smm, Safetensors& file);
void write_family(const Trig& trig, Safetensors& file);

// From the same. InputErrors begin with `name`.
Model read_analytic(const Safetensors& file, const Channels& channels, const std::string& name);
Model read_smm(const Safetensors& file, const Channels& channels, const std::string& name);
Model read_trig(const Safetensors& file, const Channels& channels, const std::string& name);

// What families with scales of their own have in common.
const EnumNames<InputMap>& input_map_names();
void write_scales(const Scales& scales, Safetensors& file);
Scales read_scales(const Safetensors& file, const Channels& channels, const std::string& name);
std::vector<JointType> read_joint_types(const JsonFields& config, const Channels& channels,
                                        const std::string& name);

// The metadata `checksum`: CRC-32 of what the file says, however it is laid out. First the metadata
// but the checksum itself, key and text, then the tensors: name, shape ("2 3 "), raw array; both in
// the order of their names. Every text ends with a zero byte.
std::string model_checksum(const Safetensors& file);

}  // namespace mechfit
