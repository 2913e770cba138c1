#pragma once

#include "mechfit/log/log.h"

namespace mechfit {

// Puts joints and inputs in the order of these channels, where the names are the same ones.
void arrange_as(const Channels& channels, Log& log);

}  // namespace mechfit
