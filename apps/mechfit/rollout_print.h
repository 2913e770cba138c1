#pragma once

#include <string>

#include "mechfit/evaluate/rollouts.h"

namespace mechfit {

void print_rollout(const RolloutResult& result, const std::string& output);
void print_rollout_json(const RolloutResult& result, const std::string& output);

}  // namespace mechfit
