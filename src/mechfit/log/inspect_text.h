#pragma once

#include <string>

#include "mechfit/log/inspect.h"

namespace mechfit {

// What an inspection found, as a page for a reader: joints, inputs, runs, then the warnings.
std::string inspection_text(const Log& log, const Inspection& inspection);

}  // namespace mechfit
