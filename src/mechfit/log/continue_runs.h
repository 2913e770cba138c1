#pragma once

#include <string>
#include <vector>

#include "mechfit/log/log.h"

namespace mechfit {

// Recorders split long recordings into files. Joins runs where the stamps of one go on from those
// of another, in whatever order the files were named; `notes` tell.
void continue_runs(Log& log, std::vector<std::string>& notes);

}  // namespace mechfit
