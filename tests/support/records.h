#pragma once

#include <string>
#include <utility>

#include "mechfit/mechanics/model_file.h"

namespace mechfit::testing {

// A record of a model whose joints are q1, q2 ... in rad, its inputs u1 ...
inline ModelRecord record_of(Model model) {
  Channels channels;
  channels.joint_types = model.joint_types();
  for (int i = 0; i < model.joints(); ++i) {
    channels.joints.push_back("q" + std::to_string(i + 1));
    channels.units.push_back("rad");
  }
  for (int i = 0; i < model.inputs(); ++i) channels.inputs.push_back("u" + std::to_string(i + 1));
  return {std::move(model), std::move(channels), {}};
}

}  // namespace mechfit::testing
