#pragma once

#include <string>

#include "hwy/targets.h"

namespace mechfit {

// f(name) on every instruction set that this machine has and that code is dispatched to anew at
// each call.
template <class Function>
void on_every_instruction_set(const Function& f) {
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().DeInit();
    f(std::string(hwy::TargetName(target)));
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().DeInit();
}

}  // namespace mechfit
