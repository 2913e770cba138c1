#pragma once

#include <string>
#include <vector>

#include "mechfit/mechanics/contact.h"
#include "mechfit/mechanics/families/start.h"

// The list of model families. A new family is a folder beside this file, whose class satisfies
// DescribedLagrangian and has the four static members below, and one line in families.cc.
namespace mechfit {

struct Family {
  std::string name;  // in model files
  ParameterKind kind;
  // Whether the option `family` means this family.
  bool (*known_as)(const std::string& option);
  // Whether it takes part where the data choose the family.
  bool (*automatic)(const StartData& data);
  // The models that a fit may start from, from simple to rich. InputError when the options do not
  // fit the family or the log.
  std::vector<Start> (*starts)(const StartData& data);
  // From a model file. InputErrors begin with `name`.
  Model (*read)(const Safetensors& file, const Channels& channels, const std::string& name);
  // The points of a machine that moves in a plane, as functions of q; null: the family knows none.
  std::vector<PlanarPoint> (*points)(const Model& model) = nullptr;
};

template <DescribedLagrangian L>
auto points_of() -> std::vector<PlanarPoint> (*)(const Model&) {
  if constexpr (requires(const L& family) { family.planar_points(); })
    return [](const Model& model) { return model.as<L>()->planar_points(); };
  return nullptr;
}

template <DescribedLagrangian L>
Family family_of() {
  return {L::kFamily,
          L::kKind,
          [](const std::string& option) { return L::known_as(option); },
          [](const StartData& data) { return L::automatic(data); },
          [](const StartData& data) { return L::starts(data); },
          [](const Safetensors& file, const Channels& channels, const std::string& name) {
            return Model(L::read(file, channels, name));
          },
          points_of<L>()};
}

// From simple to rich.
const std::vector<Family>& families();

// Adds a family of another program's own, as the richest. Once, before anything is fitted or read.
void add_family(Family family);

// The family that the option means. InputError with the valid names.
const Family& find_family(const std::string& option);

}  // namespace mechfit
