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
std::vector<JointType> read_joint_types(const JsonFields& config, const Channels& channels,
                                        const std::string& name);

}  // namespace mechfit
