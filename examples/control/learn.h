#pragma once

#include <string>
#include <vector>

#include "mechfit/log/log.h"
#include "mechfit/mechanics/model.h"

namespace control {

// What a model of a study is made from.
enum class Source { truth, log, drawing };
inline constexpr const char* kSourceNames[] = {"true equations", "learned", "drawings"};

// A fit with the defaults (`mechfit fit --quick`), from observed positions and inputs alone; all
// that is said is which joints the inputs push. InputError when there is no model.
mechfit::Model learn(const mechfit::Log& log, const std::vector<std::string>& driven);

}  // namespace control
