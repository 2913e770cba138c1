#pragma once

#include <optional>
#include <string>

#include "mechfit/log/log.h"

namespace mechfit {

// 16 hexadecimal digits that tell logs apart: 64-bit FNV-1a of times, positions and inputs of all
// runs, bit by bit, of one log or of two (a log and what validates it). For records ("was this
// model fitted to that log?"), not for security.
std::string fingerprint(const Log& log, const std::optional<Log>& second = std::nullopt);

}  // namespace mechfit
