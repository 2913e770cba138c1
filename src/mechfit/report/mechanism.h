#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mechfit/mechanics/model.h"

namespace mechfit {

struct Motion {
  std::string name;
  std::vector<double> q;  // [T][n], one row per time
};

// The member "animation" of a report document: how a planar machine stands at the times t, one
// actor per motion (the first is drawn pale behind the others). Nothing for models that have no
// sketch.
std::optional<nlohmann::json> animate(const Model& model, std::span<const double> t,
                                      const std::vector<Motion>& motions);

}  // namespace mechfit
