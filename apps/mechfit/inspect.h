#pragma once

#include <string>
#include <vector>

#include "mechfit/log/inspect.h"
#include "mechfit/log/log.h"

namespace mechfit {

void print_inspection(const Log& log, const Inspection& inspection);
void print_contents(const std::string& contents);  // of files
void print_inspection_json(const Log& log, const Inspection& inspection,
                           const std::vector<std::string>& notes);

}  // namespace mechfit
