#pragma once

#include <string>

#include "mechfit/files/json_fields.h"
#include "mechfit/files/safetensors.h"
#include "mechfit/log/log.h"
#include "mechfit/mechanics/families/smm/smm.h"

// What families have in common when they store themselves.
namespace mechfit {

void write_scales(const Scales& scales, Safetensors& file);
Scales read_scales(const Safetensors& file, const Channels& channels, const std::string& name);
// Which terms friction has: true or false for the two of old, else an object.
nlohmann::json friction_json(const FrictionTerms& terms);
FrictionTerms read_friction(const JsonFields& config);
std::vector<JointType> read_joint_types(const JsonFields& config, const Channels& channels,
                                        const std::string& name);

}  // namespace mechfit
