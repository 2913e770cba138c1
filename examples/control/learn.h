#pragma once

#include <string>
#include <vector>

#include "mechfit/log/log.h"
#include "mechfit/mechanics/model.h"

namespace control {

// What a model of a study is made from.
enum class Source { truth, log, drawing };
inline constexpr const char* kSourceNames[] = {"true equations", "learned", "drawings"};

// A fit (`mechfit fit --quick --family FAMILY --input-hold held --input-delay 0`) from observed
// positions and inputs alone. Said is which joints the inputs push, and that they are held between
// samples, as whoever records them knows. InputError when there is no model.
mechfit::Model learn(const mechfit::Log& log, const std::vector<std::string>& driven,
                     const std::string& family);

}  // namespace control
